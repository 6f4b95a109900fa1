#ifndef TOLLBRIDGE_BASE_WIRE_SESSION_H_
#define TOLLBRIDGE_BASE_WIRE_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wire/header_blocks.h"
#include "base/wire/server_call.h"

struct nghttp2_session;

namespace tollbridge::wire {

/// Frames that a connection may send a few of in a second.
enum class ControlFrame { kReset, kSettings, kPing, kEmpty };

/// What a session tells its connection, while it takes bytes in or gives some out.
class SessionEvents {
 public:
  virtual ~SessionEvents() = default;
  /// The headers of a request begin. nullptr: it is not taken, and was reset.
  virtual ServerCall* OnRequest(std::int32_t stream) = 0;
  virtual void OnClosed(ServerCall& call) = 0;
  virtual void OnControlFrame(ControlFrame frame) = 0;
  /// The peer's SETTINGS came.
  virtual void OnSettled() = 0;
  virtual void OnPong() = 0;
  /// Headers or data of a call have gone.
  virtual void OnAnswered() = 0;
  /// A frame that the protocol does not allow, or a stream over the bound. The session answers by
  /// itself.
  virtual void OnInvalidFrame(bool too_many_streams) = 0;
  /// A block of headers is so long that the connection is to end. What came with the last of it is
  /// not taken in.
  virtual void OnLongBlock() = 0;
  /// The session says GOAWAY, with an error.
  virtual void OnGivenUp() = 0;
};

/// HTTP/2 of one connection, as nghttp2 speaks it: bytes to events and back, without I/O. Of the
/// calls it knows their addresses, from OnRequest to OnClosed.
class Session {
 public:
  enum class Error : std::uint32_t {
    kNone = 0x0,
    kRefusedStream = 0x7,
    kCancel = 0x8,
    kEnhanceYourCalm = 0xb,
  };

  Session(SessionEvents& events, const Limits& limits);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Takes bytes in. False when they cannot be HTTP/2 of this server's: it has said so, and takes
  /// no more.
  bool Receive(std::string_view bytes);
  /// The next bytes to send; empty when there are none now. Valid until the next call.
  std::string_view NextBytes();
  /// Nothing is to come and nothing is to go: the connection can be closed.
  bool done() const;
  /// Frames that wait to be sent.
  std::size_t queued() const;
  /// What came of a block of headers that is not whole.
  std::size_t block_bytes() const { return blocks_.bytes(); }
  /// Blocks of headers that have begun.
  std::uint64_t blocks() const { return blocks_.begun(); }

  void Respond(ServerCall& call, const HeaderViews& headers, bool end);
  void Resume(std::int32_t stream);
  /// Bytes of a call may be followed by as many. Those of the connection are as they come.
  void Consume(std::int32_t stream, std::size_t bytes);
  void Reset(std::int32_t stream, Error error);
  void Ping();
  /// GOAWAY without a last stream: further calls are to go elsewhere, and are taken all the same.
  /// A PING follows it, whose pong says that the peer has heard of it.
  void NotifyShutdown();
  /// GOAWAY: no further calls are taken.
  void SayGoodbye();
  /// GOAWAY, and nothing after it.
  void Terminate(Error error);

 private:
  friend struct SessionCallbacks;

  /// Of a HEADERS frame. A number below one that was taken is free no more (RFC 9113, 5.1.1).
  void TakeNumber(std::int32_t stream);

  SessionEvents& events_;
  struct Delete {
    void operator()(nghttp2_session* session) const;
  };
  std::unique_ptr<nghttp2_session, Delete> session_;
  HeaderBlocks blocks_;
  std::int32_t newest_ = 0;
  /// Numbers between two that were taken, first and last.
  std::vector<std::pair<std::int32_t, std::int32_t>> passed_over_;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_SESSION_H_
