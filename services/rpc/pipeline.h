#ifndef TOLLBRIDGE_SERVICES_RPC_PIPELINE_H_
#define TOLLBRIDGE_SERVICES_RPC_PIPELINE_H_

#include <memory>
#include <utility>
#include <vector>

#include "services/rpc/middleware.h"

namespace tollbridge::rpc {

/// The links of the inbound pipe, outermost first; gateway/wiring/gateway.cc lists them. Belongs to
/// one shard.
class Pipeline {
 public:
  explicit Pipeline(std::vector<std::unique_ptr<Middleware>> links) : links_(std::move(links)) {}

  /// Runs `call` through all links, then `handler`.
  AsyncStatus Run(Call& call, Handler& handler) { return Next(links_, handler)(call); }

 private:
  std::vector<std::unique_ptr<Middleware>> links_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_PIPELINE_H_
