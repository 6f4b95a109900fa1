#ifndef TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_REGISTRY_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_REGISTRY_H_

#include "adapters/redis/operation_session.h"
#include "services/ports/operation_registry.h"

namespace tollbridge::redis {

/// The records of RedisOperationStore, for operators and for who meets their marks. One round trip
/// a call.
class RedisOperationRegistry : public ports::OperationRegistry {
 public:
  /// `session` lives on the same shard.
  explicit RedisOperationRegistry(OperationSession& session) : session_(session) {}

  Async<operations::v1::Operation> Read(const Uuid& id, const ports::Context& context) override;
  Async<ports::OperationPage> List(const ports::OperationQuery& query,
                                   const ports::Context& context) override;
  Async<operations::v1::Operation> Close(const ports::CloseRequest& request,
                                         const ports::Context& context) override;
  Async<ports::MarkVerdict> JudgeMark(const domain::Mark& mark, const ports::FamilyKey& order,
                                      bool paid, const ports::Context& context) override;

 private:
  /// Runs a script that answers a word first. Where it found no record, and the epoch of this
  /// connection was not checked yet, that is done and it runs again: it may be another server.
  Async<Reply> RunOnRecord(const Script& script, OperationSession::Arguments arguments,
                           const ports::Context& context);

  OperationSession& session_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_REGISTRY_H_
