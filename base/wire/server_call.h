#ifndef TOLLBRIDGE_BASE_WIRE_SERVER_CALL_H_
#define TOLLBRIDGE_BASE_WIRE_SERVER_CALL_H_

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/core/signal.h"
#include "base/net/tls.h"
#include "base/wire/codec.h"
#include "base/wire/limits.h"

namespace tollbridge::wire {

class ServerCall;

/// What the path of a call leads to.
struct Method {
  /// The call starts with its headers and reads its messages one by one. Else it starts when its
  /// one message is there in whole.
  bool streams_requests = false;
  /// On the call's shard. Every call that is started ends in Finish.
  std::function<void(std::shared_ptr<ServerCall>)> start;
};

/// By path, as "/package.Service/Method".
using Methods = std::map<std::string, Method, std::less<>>;

/// What all calls of a server share.
struct Service {
  Limits limits;
  Methods methods;
  /// The answer to a path that leads nowhere.
  CallStatus unknown_method;
  /// Too many answers wait: has every connection give up those that have waited for too long.
  std::function<void()> hurry = [] {};
  Counts counts;
};

/// The other side of a connection.
struct Peer {
  /// "address:port", IPv6 in brackets.
  std::string address;
  bool tls = false;
  /// Of the certificate, which the handshake has verified.
  net::CertificateNames certificate;
};

using HeaderViews = std::vector<std::pair<std::string_view, std::string_view>>;

/// What a call needs of its connection. Internal to base/wire.
class CallTransport {
 public:
  virtual ~CallTransport() = default;
  /// Sends the first headers; with `end` they are all that is sent.
  virtual void Respond(ServerCall& call, const HeaderViews& headers, bool end) = 0;
  /// There are bytes to send again, or there is an end.
  virtual void Resume(ServerCall& call) = 0;
  /// The peer may send so much more on this call.
  virtual void Consume(ServerCall& call, std::size_t bytes) = 0;
  /// The peer is to forget the call.
  virtual void Reset(ServerCall& call) = 0;
  /// Starts the call when what has been received is taken in.
  virtual void Ready(ServerCall& call) = 0;
  /// The call has to be looked at then.
  virtual void LookBy(BootTime time) = 0;
  /// So many more calls have a handler that runs and no end yet, or fewer.
  virtual void Runs(int by) = 0;
  /// A call of the connection was answered OK.
  virtual void Proven() = 0;
  /// So many more bytes of answers wait for the peer, or fewer.
  virtual void Wait(std::int64_t by) = 0;
};

/// One gRPC call on its way. Lives on the shard of its connection and is used there only, but for
/// cancelled(). When the caller goes away the call lives on until its handler lets it go.
class ServerCall : public std::enable_shared_from_this<ServerCall> {
 public:
  struct Origin {
    std::int32_t stream;
    std::size_t shard;
    boost::asio::any_io_executor executor;
    std::shared_ptr<const Peer> peer;
    /// Calls of the connection that are open, or whose handler has not finished.
    std::shared_ptr<std::size_t> under_way;
  };
  ServerCall(std::shared_ptr<Service> service, CallTransport& transport, Origin origin);
  ServerCall(const ServerCall&) = delete;
  ServerCall& operator=(const ServerCall&) = delete;

  // For the handler.

  const std::string& path() const { return path_; }
  /// What the caller sent, without what is gRPC's own.
  const Metadata& metadata() const { return metadata_; }
  /// The first value of that name; nullptr when there is none.
  const std::string* FindMetadata(std::string_view name) const;
  /// What the caller has left, from when the call came.
  std::optional<std::chrono::nanoseconds> timeout() const { return timeout_; }
  /// The call has no more than that from now on, whatever its caller said: a writer whose caller
  /// takes nothing would wait for ever.
  void LimitTime(std::chrono::nanoseconds time);
  const Peer& peer() const { return *origin_.peer; }
  /// The place of the executor among those of the server.
  std::size_t shard() const { return origin_.shard; }
  const boost::asio::any_io_executor& executor() const { return origin_.executor; }
  /// Whether the caller has gone: cancelled, time over, connection lost. Any thread.
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }

  /// Nobody asks for metadata any more: it is not kept as long as the call.
  void DropMetadata() { metadata_ = {}; }
  /// The one message of a call that streams none. Once.
  std::string TakeRequest();
  /// The next message; nullopt when the caller has sent its last. CANCELLED when it has gone, and
  /// when the call has ended with an error of its own, as for a message that is too long.
  Async<std::optional<std::string>> Read();
  /// Sends a message and returns when the flow control has taken most of it. CANCELLED when the
  /// caller has gone. `initial` goes out with the first message.
  AsyncStatus Write(std::string message, const Metadata& initial);
  /// Ends the call, with one message before if there is one and the status is OK. Once.
  void Finish(const CallStatus& status, const std::string* message, const Metadata& initial,
              const Metadata& trailing);
  /// Waits until something has happened: bytes came, went, the caller has gone, Wake was called.
  boost::asio::awaitable<void> WaitForNews();
  void Wake();

  // For the connection.

  std::int32_t stream() const { return origin_.stream; }
  /// Of each header and trailer, before it is added. False when there are so many that no answer is
  /// owed: the call is to be reset.
  bool CountHeader(std::string_view name, std::string_view value);
  /// A header. A caller's trailers say nothing to us.
  void AddHeader(std::string_view name, std::string_view value);
  void HeadersEnded();
  void AddData(std::string_view bytes);
  void RequestEnded();
  void Start();
  /// Nothing is received or sent any more.
  void Closed();
  /// Ends it for the caller, whatever its handler does.
  void EndWith(const CallStatus& status);
  /// The same, and its handler is told that the caller has gone.
  void Dismiss(const CallStatus& status);
  void Refuse(const CallStatus& status, Refusal refusal);

  /// Puts bytes to send into `into`: how many. `*end` when the trailers follow.
  std::size_t Take(std::span<char> into, bool* end);
  const Metadata& trailers() const { return trailers_; }

  bool request_ended() const { return request_ended_; }
  /// A frame of it was invalid, and that is counted.
  void MarkInvalid() { invalid_ = true; }
  bool invalid() const { return invalid_; }
  /// Bytes that are held for a request that is not there in whole, or waits for its start.
  std::size_t held_bytes() const;
  /// When it has to be looked at.
  BootTime look_by() const;
  void Look(BootTime now);
  /// Gives its answer up when it has waited for the peer since before `since`. False when the peer
  /// has not even taken that since then.
  bool Hurry(BootTime since);

 private:
  std::optional<std::string_view> FirstProblem() const;
  void RefuseHttp();
  void AddMetadata(std::string_view name, std::string_view value);
  void SetOnce(std::optional<std::string>& header, std::string_view value);
  void SendHeaders(const Metadata& initial);
  void End(const CallStatus& status, const std::string* message, const Metadata& initial,
           const Metadata& trailing);
  std::size_t unsent() const { return out_.size() - sent_; }
  /// Tells the connection what waits of an answer that is there in whole, and that it waits.
  void CountUnsent();
  void GiveUp(Refusal refusal);
  bool can_send() const { return transport_ != nullptr && !ended_; }

  // A call may outlive its server.
  std::shared_ptr<Service> service_;
  /// nullptr when the stream is closed.
  CallTransport* transport_;
  Origin origin_;
  const BootTime began_;

  // What came.
  std::string path_;
  std::string http_method_;
  std::optional<std::string> content_type_;
  std::optional<std::string> timeout_text_;
  std::optional<std::string> encoding_;
  Metadata metadata_;
  std::size_t header_bytes_ = 0;
  std::size_t headers_ = 0;
  bool header_twice_ = false;
  bool bad_binary_ = false;
  std::optional<std::chrono::nanoseconds> timeout_;
  /// The status for what is no gRPC request, when it has ended: not every client of HTTP reads an
  /// answer that comes before. Else empty.
  std::string_view http_refusal_;
  const Method* method_ = nullptr;
  MessageReader reader_;
  /// Taken in and not given back to the flow control yet.
  std::size_t unconsumed_ = 0;
  bool request_ended_ = false;
  bool invalid_ = false;

  // What goes.
  bool started_ = false;
  bool handler_done_ = false;
  bool headers_sent_ = false;
  bool ended_ = false;
  BootTime ended_at_{};
  bool reset_ = false;
  std::string out_;
  std::size_t sent_ = 0;
  std::int64_t counted_ = 0;
  Metadata trailers_;

  std::atomic<bool> cancelled_{false};
  std::unique_ptr<Signal> news_;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_SERVER_CALL_H_
