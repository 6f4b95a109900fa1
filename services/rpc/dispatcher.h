#ifndef TOLLBRIDGE_SERVICES_RPC_DISPATCHER_H_
#define TOLLBRIDGE_SERVICES_RPC_DISPATCHER_H_

#include <memory>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "base/core/async.h"
#include "services/rpc/call.h"
#include "services/rpc/middleware.h"
#include "services/rpc/pipeline.h"

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace tollbridge::rpc {

/// The answers of a server stream, for its use case. Valid as long as the call.
template <typename Response>
class StreamWriter {
 public:
  explicit StreamWriter(Call& call) : call_(&call) {}

  /// Returns when the flow control allows the next message. CANCELLED when the caller has gone. One
  /// at a time.
  AsyncStatus Write(const Response& message) { return call_->Write(message); }
  bool cancelled() const { return call_->cancelled(); }

 private:
  Call* call_;
};

/// What the methods of the process lead to, on one shard: the pipe, and behind it the use case of
/// each read. Mutations end in the middleware Durable; one that gets past it is an internal error.
///
/// Methods are named in full (`tollbridge.payments.v1.Payments.GetOrder`). A mistake in a
/// registration (no such method, other types, other kind of method, twice) is kept and told by
/// status(), which the server asks before it listens. A published method that nobody registers
/// answers UNIMPLEMENTED UNKNOWN_METHOD.
class Dispatcher {
 public:
  Dispatcher(const MethodTable& methods, std::vector<std::unique_ptr<Middleware>> links)
      : methods_(methods), pipeline_(std::move(links)) {}

  /// A read that answers once. `fn`: Async<Response>(const Request&, const ports::Context&), or
  /// with a third parameter `const Caller&` for a use case that has to know who calls; the
  /// arguments outlive its coroutine. `fn` itself is kept as long as this.
  template <typename Request, typename Response, typename Fn>
  void HandleRead(std::string_view method, Fn fn) {
    Register(method, Request::descriptor(), Response::descriptor(), Kind::kRead,
             std::make_unique<ReadHandler<Request, Response, Fn>>(std::move(fn)));
  }

  /// A read that answers with a stream. `fn`: AsyncStatus(const Request&, const ports::Context&,
  /// StreamWriter<Response>).
  template <typename Request, typename Response, typename Fn>
  void HandleStream(std::string_view method, Fn fn) {
    Register(method, Request::descriptor(), Response::descriptor(), Kind::kStream,
             std::make_unique<StreamHandler<Request, Response, Fn>>(std::move(fn)));
  }

  /// Does what HandleStream does, for a stream that waits for things to happen: it has a bound of
  /// its own (Limit), so that those who wait take no place of those who ask.
  template <typename Request, typename Response, typename Fn>
  void HandleWatch(std::string_view method, Fn fn) {
    Register(method, Request::descriptor(), Response::descriptor(), Kind::kStream,
             std::make_unique<WatchHandler<Request, Response, Fn>>(std::move(fn)));
  }

  /// A mutation, for which Durable has a plan.
  void HandleMutation(std::string_view method);

  /// OK, or the first mistake in a registration.
  const absl::Status& status() const { return status_; }

  /// Runs the call through the pipe. On this shard.
  AsyncStatus Dispatch(Call& call);

 private:
  enum class Kind { kRead, kStream, kMutation };

  template <typename Request, typename Response, typename Fn>
  class ReadHandler : public Handler {
   public:
    explicit ReadHandler(Fn fn) : fn_(std::move(fn)) {}
    AsyncStatus Handle(Call& call) override {
      const ports::Context context = call.context();
      const auto& request = static_cast<const Request&>(call.request());
      absl::StatusOr<Response> answer = co_await Ask(request, context, call.caller());
      if (!answer.ok()) co_return answer.status();
      static_cast<Response&>(call.response()) = *std::move(answer);
      co_return absl::OkStatus();
    }

   private:
    Async<Response> Ask(const Request& request, const ports::Context& context,
                        const Caller& caller) {
      if constexpr (std::is_invocable_v<Fn&, const Request&, const ports::Context&,
                                        const Caller&>) {
        return fn_(request, context, caller);
      } else {
        return fn_(request, context);
      }
    }

    Fn fn_;
  };

  template <typename Request, typename Response, typename Fn>
  class StreamHandler : public Handler {
   public:
    explicit StreamHandler(Fn fn) : fn_(std::move(fn)) {}
    AsyncStatus Handle(Call& call) override {
      const ports::Context context = call.context();
      absl::Status status = co_await fn_(static_cast<const Request&>(call.request()), context,
                                         StreamWriter<Response>(call));
      co_return status;
    }

   private:
    Fn fn_;
  };

  template <typename Request, typename Response, typename Fn>
  class WatchHandler : public StreamHandler<Request, Response, Fn> {
   public:
    using StreamHandler<Request, Response, Fn>::StreamHandler;
    bool waits() const override { return true; }
  };

  void Register(std::string_view method, const google::protobuf::Descriptor* request,
                const google::protobuf::Descriptor* response, Kind kind,
                std::unique_ptr<Handler> handler);
  void Mistake(std::string_view method, const char* what);

  const MethodTable& methods_;
  Pipeline pipeline_;
  std::unordered_map<const MethodInfo*, std::unique_ptr<Handler>> handlers_;
  absl::Status status_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_DISPATCHER_H_
