#ifndef TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_REGISTRY_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_REGISTRY_H_

#include "adapters/redis/script_runner.h"
#include "services/ports/operation_registry.h"

namespace tollbridge::redis {

/// The records of RedisOperationStore, for operators and for who meets their marks. One round trip
/// a call.
class RedisOperationRegistry : public ports::OperationRegistry {
 public:
  /// `scripts` lives on the same shard.
  explicit RedisOperationRegistry(ScriptRunner& scripts) : scripts_(scripts) {}

  Async<operations::v1::Operation> Read(const std::string& project, const Uuid& id,
                                        const ports::Context& context) override;
  Async<ports::OperationPage> List(const ports::OperationQuery& query,
                                   const ports::Context& context) override;
  Async<operations::v1::Operation> Close(const ports::CloseRequest& request,
                                         const ports::Context& context) override;
  Async<operations::v1::Operation> Confirm(const ports::ConfirmRequest& request,
                                           const ports::Context& context) override;
  Async<ports::MarkVerdict> JudgeMark(const domain::Mark& mark, const ports::FamilyKey& order,
                                      bool paid, const ports::Context& context) override;

 private:
  /// Runs a script that answers a word first. Where it found no record, and the epoch of this
  /// connection was not checked yet, that is done and it runs again: it may be another server.
  Async<Reply> RunOnRecord(const Script& script, const std::string& project,
                           ScriptRunner::Arguments arguments, const ports::Context& context);

  ScriptRunner& scripts_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_REGISTRY_H_
