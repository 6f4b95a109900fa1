#ifndef TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_OUTBOX_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_OUTBOX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "adapters/redis/script_runner.h"
#include "services/ports/operation_outbox.h"

namespace tollbridge::redis {

/// The outbox in the records of RedisOperationStore. One round trip a call. Both calls go on when
/// Redis is out of memory: draining is what lets records expire.
class RedisOperationOutbox : public ports::OperationOutbox {
 public:
  /// `scripts` lives on the same shard.
  explicit RedisOperationOutbox(ScriptRunner& scripts) : scripts_(scripts) {}

  Async<std::vector<ports::UndrainedOperation>> Take(const std::string& project, std::size_t limit,
                                                     ports::Millis lease,
                                                     const ports::Context& context) override;
  AsyncStatus Drained(const std::string& project, const Uuid& id, std::uint32_t number,
                      const ports::Context& context) override;

 private:
  ScriptRunner& scripts_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_OUTBOX_H_
