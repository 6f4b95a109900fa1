#ifndef TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_OUTBOX_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_OUTBOX_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/script_runner.h"
#include "adapters/redis/taken_over.h"
#include "services/ports/operation_outbox.h"

namespace tollbridge::redis {

/// The stream that the scripts of RedisOperationStore write transitions to, and the lists of what
/// is to be retired (scripts/record.lua). One round trip a call. All go on when Redis is out of
/// memory: draining and retiring free some.
class RedisOperationOutbox : public ports::OperationOutbox {
 public:
  /// `scripts` lives on the same shard. `token` names this outbox among those of all processes.
  RedisOperationOutbox(ScriptRunner& scripts, std::string token)
      : scripts_(scripts), token_(std::move(token)), taken_over_(scripts.connection()) {}

  Async<std::vector<ports::UndrainedRecord>> Take(const std::string& project, std::size_t limit,
                                                  ports::Millis lease,
                                                  const ports::Context& context) override;
  AsyncStatus Drained(const std::string& project,
                      const std::vector<ports::UndrainedRecord>& records,
                      const ports::Context& context) override;
  Async<std::size_t> Retire(const std::string& project, std::size_t limit,
                            const ports::Context& context) override;

 private:
  ScriptRunner& scripts_;
  std::string token_;
  TakenOver taken_over_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_OUTBOX_H_
