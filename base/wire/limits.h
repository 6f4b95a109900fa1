#ifndef TOLLBRIDGE_BASE_WIRE_LIMITS_H_
#define TOLLBRIDGE_BASE_WIRE_LIMITS_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tollbridge::wire {

/// What anybody who can connect may take of a server. Each bound that refuses something is counted
/// as the Refusal beside it.
struct Limits {
  /// Connections open at a time. For one more, some that wait for their peer are closed, first
  /// those of the address that has most, where that is more than a sixteenth of all, and then those
  /// that have had no call answered OK yet; when none waits, the new one. `connections`
  std::size_t max_connections = 1536;
  /// Of those, from one IPv4 address or one /64 of IPv6. `address`
  std::size_t max_connections_per_address = 256;
  /// From accepting to the peer's first SETTINGS, the TLS handshake included. `handshake`
  std::chrono::milliseconds handshake_timeout{5'000};
  /// Calls of one connection under way, those included that the caller has cancelled. `streams`
  std::size_t max_streams = 100;
  /// One message of a caller. `request_bytes`
  std::size_t max_request_bytes = std::size_t{256} << 10;
  /// Names and values of a request's headers, and 32 for each. `header_bytes`
  std::size_t max_header_bytes = std::size_t{16} << 10;
  /// A byte may stand for one that was sent before, which costs as much again. `header_bytes`
  std::size_t max_headers = 128;
  /// From a request's headers to its end, and for a block of headers to be whole, which ends the
  /// connection. `request_timeout`
  std::chrono::milliseconds request_timeout{10'000};
  /// Bytes that are held for requests that are not there in whole, 4 KiB for each beside its own,
  /// and twice what came of a block of headers, of all connections together. A connection with
  /// 12 KiB of them or less loses none. `held_bytes`
  std::size_t max_held_bytes = std::size_t{32} << 20;
  /// Bytes of answers that wait for their callers, 4 KiB for each beside its own, of all
  /// connections together, or nearly so: each tells of 64 KiB at a time. While it is more, an
  /// answer has hurried_write_timeout in place of write_timeout, and half of it where twice as much
  /// waits. `unsent_bytes`
  std::size_t max_unsent_bytes = std::size_t{32} << 20;
  std::chrono::milliseconds hurried_write_timeout{1'000};
  /// Frames of one connection in a second, and at once: RST_STREAM, and ours for what is invalid
  /// (`resets`), SETTINGS (`settings`), PING (`pings`; one behind each answer, or part of one, is
  /// free), and those that carry nothing: DATA that is empty or padding, PRIORITY (`empty_frames`).
  /// More of them end the connection.
  int max_resets_per_second = 200;
  int max_settings_per_second = 20;
  int max_pings_per_second = 50;
  int max_empty_frames_per_second = 100;
  /// A connection that says nothing for so long is sent a PING; when nothing comes of it within
  /// the timeout, the connection ends. `keepalive`
  std::chrono::milliseconds keepalive_time{std::chrono::minutes(10)};
  std::chrono::milliseconds keepalive_timeout{20'000};
  /// For the peer to take 64 KiB off the socket, and for the rest of an answer that flow control
  /// holds back. `stalled`
  std::chrono::milliseconds write_timeout{30'000};
  /// A connection that is older is asked to end, so that callers spread over replicas; calls on it
  /// have the grace.
  std::chrono::milliseconds max_connection_age{std::chrono::minutes(30)};
  std::chrono::milliseconds max_connection_age_grace{std::chrono::minutes(2)};
};

/// Why a connection or a request was refused or ended.
enum class Refusal {
  kConnections,
  kAddress,
  kNoDescriptors,
  kHandshake,
  kProtocol,
  kStreams,
  kRequestBytes,
  kHeaderBytes,
  kRequestTimeout,
  kHeldBytes,
  kUnsentBytes,
  kCompressed,
  kResets,
  kSettings,
  kPings,
  kEmptyFrames,
  kKeepalive,
  kStalled,
  kMalformed,
};

/// In the order of Refusal. malformed: HTTP/2 in order, but no gRPC request, or one for a method
/// that is not there. no_descriptors: accepting failed, for want of file descriptors mostly.
inline constexpr std::array<std::string_view, 19> kRefusalNames = {
    "connections",  "address",       "no_descriptors", "handshake",       "protocol",
    "streams",      "request_bytes", "header_bytes",   "request_timeout", "held_bytes",
    "unsent_bytes", "compressed",    "resets",         "settings",        "pings",
    "empty_frames", "keepalive",     "stalled",        "malformed"};

constexpr std::string_view NameOf(Refusal refusal) {
  return kRefusalNames[static_cast<std::size_t>(refusal)];
}

/// What a server has refused since it began, and what it holds. Any thread.
class Counts {
 public:
  void Count(Refusal refusal, std::uint64_t by = 1) {
    counts_[static_cast<std::size_t>(refusal)].fetch_add(by, std::memory_order_relaxed);
  }
  std::uint64_t of(Refusal refusal) const {
    return counts_[static_cast<std::size_t>(refusal)].load(std::memory_order_relaxed);
  }

  /// Bytes of half-sent requests. Adds, and gives what there are then.
  std::int64_t Hold(std::int64_t by) { return held_.fetch_add(by, std::memory_order_relaxed) + by; }
  std::int64_t held() const { return held_.load(std::memory_order_relaxed); }

  /// Bytes of answers that wait for their callers. Adds, and gives what there are then.
  std::int64_t Wait(std::int64_t by) {
    return unsent_.fetch_add(by, std::memory_order_relaxed) + by;
  }
  std::int64_t unsent() const { return unsent_.load(std::memory_order_relaxed); }

  /// Connections that are open.
  void Open(std::int64_t by) { open_.fetch_add(by, std::memory_order_relaxed); }
  std::int64_t open() const { return open_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, kRefusalNames.size()> counts_{};
  std::atomic<std::int64_t> held_{0};
  std::atomic<std::int64_t> unsent_{0};
  std::atomic<std::int64_t> open_{0};
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_LIMITS_H_
