#ifndef TOLLBRIDGE_ADAPTERS_REDIS_UNRESOLVED_OPERATIONS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_UNRESOLVED_OPERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "adapters/redis/script_runner.h"
#include "services/ports/unresolved_operations.h"

namespace tollbridge::redis {

/// The due queue of operations, over the records of RedisOperationStore. One round trip a call, but
/// for PullDue: one for each thousand operations. All times are of Redis' clock.
class RedisUnresolvedOperations : public ports::UnresolvedOperations {
 public:
  /// `scripts` lives on the same shard.
  explicit RedisUnresolvedOperations(ScriptRunner& scripts) : scripts_(scripts) {}

  Async<ports::DueOperations> TakeDue(const std::string& project, std::size_t limit,
                                      const std::string& token, ports::Millis lease,
                                      const ports::Context& context) override;
  Async<bool> Reschedule(const ports::DueOperation& operation, const std::string& token,
                         const ports::NextLook& next, const ports::Context& context) override;
  /// Leaves those alone that somebody is looking at under a lease.
  AsyncStatus PullDue(const std::string& project, const ports::Context& context) override;
  Async<ports::UnresolvedSurvey> Survey(const std::string& project,
                                        const ports::Context& context) override;

 private:
  ScriptRunner& scripts_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_UNRESOLVED_OPERATIONS_H_
