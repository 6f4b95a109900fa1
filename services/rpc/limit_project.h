#ifndef TOLLBRIDGE_SERVICES_RPC_LIMIT_PROJECT_H_
#define TOLLBRIDGE_SERVICES_RPC_LIMIT_PROJECT_H_

#include <chrono>
#include <cstdint>
#include <unordered_map>

#include "services/domain/project.h"
#include "services/rpc/middleware.h"

namespace tollbridge::rpc {

struct LimitProjectSettings {
  /// Most calls of one project behind this link at once, on one shard.
  std::int64_t max_in_flight = 1024;
  /// RetryInfo of a call that was one too many.
  std::chrono::milliseconds retry_after{500};
};

/// Link: RESOURCE_EXHAUSTED OVERLOADED with RetryInfo when the call's project has its fill of
/// this shard, so that no project takes all places of the others. Stands behind Authorize: only who
/// may act for a project takes its places. Calls that wait (Call::waits) are not counted, nor those
/// that name no configured project.
class LimitProject : public Middleware {
 public:
  explicit LimitProject(LimitProjectSettings settings) : settings_(settings) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  LimitProjectSettings settings_;
  /// As many entries as there are projects. Its elements stay where they are.
  std::unordered_map<const domain::Project*, std::int64_t> in_flight_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_LIMIT_PROJECT_H_
