#ifndef TOLLBRIDGE_BASE_WIRE_START_QUEUE_H_
#define TOLLBRIDGE_BASE_WIRE_START_QUEUE_H_

#include <absl/functional/any_invocable.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/core/boot_clock.h"

namespace tollbridge::wire {

/// Has a shard look at what was read, start calls and take steps of TLS handshakes a few at a time,
/// and then lets everything else that is due there come first. Where more is ready, each address
/// has its turn, and what it makes waits for it: its calls come before what more it sends, so that
/// they do not pile up. Used on its shard only. Internal to base/wire.
class StartQueue : public std::enable_shared_from_this<StartQueue> {
 public:
  explicit StartQueue(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  /// Starts a call of that address, whose request has so many bytes: at once, where nothing waits
  /// and little was done in this turn.
  void Start(const std::string& source, std::size_t bytes, absl::AnyInvocable<void()> call);
  /// Returns when so many bytes that came from that address may be looked at. `source` outlives it.
  boost::asio::awaitable<void> Read(const std::string& source, std::size_t bytes);
  /// Returns when a step of a TLS handshake may be taken. `source` outlives it.
  boost::asio::awaitable<void> Handshake(const std::string& source);

 private:
  struct Work {
    absl::AnyInvocable<void()> start;
    /// What it costs, in calls.
    std::size_t weight = 1;
  };
  struct Waiting {
    std::deque<Work> calls;
    std::deque<Work> others;
  };

  /// Whether what costs so much can be done now.
  bool Passes(std::size_t weight);
  boost::asio::awaitable<void> Await(const std::string& source, std::size_t weight);
  Waiting& WaitsOf(const std::string& source);
  void TurnSoon();
  void Turn();

  boost::asio::any_io_executor executor_;
  /// Never empty ones.
  std::unordered_map<std::string, Waiting> waiting_;
  /// The addresses in it, by turns.
  std::deque<std::string> turns_;
  BootTime began_{};      ///< the turn
  std::size_t done_ = 0;  ///< in it
  bool next_is_due_ = false;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_START_QUEUE_H_
