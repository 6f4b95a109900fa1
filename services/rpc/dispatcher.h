#ifndef TOLLBRIDGE_SERVICES_RPC_DISPATCHER_H_
#define TOLLBRIDGE_SERVICES_RPC_DISPATCHER_H_

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/core/async.h"
#include "services/rpc/call.h"
#include "services/rpc/middleware.h"
#include "services/rpc/pipeline.h"

namespace tollbridge::rpc {

/// What the methods of the process lead to, on one shard: the pipe, and behind it the use case of
/// each method that is no mutation. Mutations end in the middleware Durable; one that gets past it
/// is an internal error.
class Dispatcher {
 public:
  explicit Dispatcher(std::vector<std::unique_ptr<Middleware>> links)
      : pipeline_(std::move(links)) {}

  /// `handler` answers the calls of `method`, which outlives this. A method without one answers
  /// UNIMPLEMENTED UNKNOWN_METHOD.
  void Handle(const MethodInfo& method, std::unique_ptr<Handler> handler);

  /// Runs the call through the pipe. On this shard.
  AsyncStatus Dispatch(Call& call);

 private:
  Pipeline pipeline_;
  std::unordered_map<const MethodInfo*, std::unique_ptr<Handler>> handlers_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_DISPATCHER_H_
