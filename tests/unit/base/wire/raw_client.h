#ifndef TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_RAW_CLIENT_H_
#define TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_RAW_CLIENT_H_

#include <netinet/in.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct nghttp2_hd_inflater;

namespace tollbridge::wire {

/// A frame of HTTP/2 as it came.
struct Frame {
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
  std::string payload;
};

namespace frame {
inline constexpr std::uint8_t kData = 0;
inline constexpr std::uint8_t kHeaders = 1;
inline constexpr std::uint8_t kPriority = 2;
inline constexpr std::uint8_t kReset = 3;
inline constexpr std::uint8_t kSettings = 4;
inline constexpr std::uint8_t kPing = 6;
inline constexpr std::uint8_t kGoAway = 7;
inline constexpr std::uint8_t kWindowUpdate = 8;
inline constexpr std::uint8_t kContinuation = 9;
inline constexpr std::uint8_t kEndStream = 0x1;
inline constexpr std::uint8_t kAck = 0x1;
inline constexpr std::uint8_t kEndHeaders = 0x4;
inline constexpr std::uint8_t kPadded = 0x8;
}  // namespace frame

using Fields = std::vector<std::pair<std::string, std::string>>;

/// An IPv4 address.
sockaddr_in SocketAddress(const std::string& host, std::uint16_t port);
/// The last `bytes` of a number, the highest first.
std::string NumberBytes(std::uint32_t number, int bytes = 4);
/// The bytes of a frame.
std::string FrameBytes(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                       std::string_view payload);
/// A header block without compression.
std::string HeaderBlock(const Fields& fields);
/// The headers of a gRPC call, in order.
Fields CallHeaders(std::string_view path);
/// HEADERS and DATA of a whole call with one message, in frames as long as they may be.
std::string CallBytes(std::uint32_t stream, std::string_view path, std::string_view message);
/// A message with its prefix.
std::string Message(std::string_view message);
std::string Preface();

/// What came for one stream until it ended.
struct Answer {
  std::map<std::string, std::string> headers;
  std::string data;
  std::optional<std::uint32_t> reset;

  std::string status() const { return Header("grpc-status"); }
  std::string Header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// A client that sends whatever bytes it is given. Blocks, for a generous time at most.
class RawClient {
 public:
  /// Sends the preface when told so. `source` is the address that it connects from.
  explicit RawClient(std::uint16_t port, bool preface = true,
                     const std::string& source = "127.0.0.1");
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// Whether all of it could be written.
  bool Send(std::string_view bytes);
  /// The next frame; nullopt when the server has closed the connection. SETTINGS are acknowledged
  /// if the preface was sent.
  std::optional<Frame> Next();
  /// Reads until the stream has ended; what belongs to others is left out.
  Answer Await(std::uint32_t stream);
  /// Reads until GOAWAY: its error. nullopt when the connection ended without one.
  std::optional<std::uint32_t> AwaitGoAway();
  /// Reads to the end.
  void AwaitClose();
  /// Ends it at once, with RST.
  void Abort();

 private:
  bool Read(std::size_t size, std::string* out);

  int socket_;
  const bool speaks_;
  struct Delete {
    void operator()(nghttp2_hd_inflater* inflater) const;
  };
  std::unique_ptr<nghttp2_hd_inflater, Delete> inflater_;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_RAW_CLIENT_H_
