#ifndef TOLLBRIDGE_ADAPTERS_REDIS_REFUSED_CALLS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_REFUSED_CALLS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "adapters/redis/script_runner.h"
#include "adapters/redis/taken_over.h"
#include "services/ports/refused_calls.h"

namespace tollbridge::redis {

/// A stream of each project, beside that of transitions (scripts/record.lua). One round trip a
/// call; taking and draining go on when Redis is out of memory.
class RedisRefusedCalls : public ports::RefusedCalls {
 public:
  /// `scripts` lives on the same shard.
  explicit RedisRefusedCalls(ScriptRunner& scripts)
      : scripts_(scripts), taken_over_(scripts.connection()) {}

  Async<bool> Note(const std::string& project, const operations::v1::OperationRecord& record,
                   const ports::Context& context) override;
  Async<ports::RefusedCallsPage> Take(const std::string& project, const std::string& next,
                                      std::size_t limit, const ports::Context& context) override;
  AsyncStatus Drained(const std::string& project,
                      const std::vector<ports::UndrainedRecord>& records,
                      const ports::Context& context) override;

 private:
  ScriptRunner& scripts_;
  TakenOver taken_over_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_REFUSED_CALLS_H_
