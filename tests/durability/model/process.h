#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_PROCESS_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_PROCESS_H_

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "adapters/redis/operation_outbox.h"
#include "adapters/redis/operation_registry.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/unresolved_operations.h"
#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/operations/engine.h"
#include "services/operations/resolver.h"
#include "services/operations/settings.h"
#include "tests/durability/model/reference.h"
#include "tests/durability/model/service.h"
#include "tests/durability/model/traits.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/simulation/redis_link.h"
#include "tests/support/simulation/world.h"

namespace tollbridge::model {

/// The store of a process, seen by the reference.
class WatchedStore final : public ports::OperationStore {
 public:
  /// `tells_before_it_keeps`, a planted mistake: a result is taken for kept that is not.
  WatchedStore(ports::OperationStore& store, Reference& reference, bool tells_before_it_keeps)
      : store_(store), reference_(reference), tells_before_it_keeps_(tells_before_it_keeps) {}

  Async<ports::ClaimResult> Claim(const ports::ClaimRequest& request,
                                  const ports::Context& context) override {
    return store_.Claim(request, context);
  }
  AsyncStatus Release(const ports::OperationIdentity& identity, const std::string& owner,
                      const ports::Context& context) override {
    return store_.Release(identity, owner, context);
  }
  AsyncStatus BeginStep(const ports::OperationIdentity& identity, const ports::ClaimResult& claim,
                        const std::string& owner, const ports::StepTarget& step,
                        ports::Millis lease, const ports::Context& context) override {
    return store_.BeginStep(identity, claim, owner, step, lease, context);
  }
  Async<ports::FinishVerdict> Finish(const ports::FinishRequest& request,
                                     const ports::Context& context) override;
  Async<bool> InitializeEpoch(const Uuid& epoch, const ports::Context& context) override {
    return store_.InitializeEpoch(epoch, context);
  }

 private:
  ports::OperationStore& store_;
  Reference& reference_;
  bool tells_before_it_keeps_;
};

/// What the processes of a run share.
struct Shared {
  World& world;
  RedisState& redis;
  Service& service;
  Reference& reference;
  const operations::Settings& settings;
  const Traits& traits;
  bool tells_before_it_keeps = false;
};

/// One life of one process: the product's engine and resolver over its Redis stores. Its end is a
/// crash: what it was doing never goes on.
class Process {
 public:
  /// `keys`: the process' own key files.
  Process(Shared shared, std::uint64_t seed, const operations::KeySource& keys);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Calls the engine as a caller does.
  void Start(const Ask& ask);
  /// A second person looks at the operation, and confirms what it sees there, if anything.
  void Confirm(const Ask& ask);
  /// One pass of the resolver, unless one is under way.
  void Resolve();
  /// Takes what is in the outboxes of the projects to the topic, and retires what is old enough.
  void Drain();

  RedisLink& link() { return link_; }
  ProcessClock& clock() { return clock_; }
  redis::ScriptRunner& scripts() { return scripts_; }
  redis::RedisOperationStore& store() { return store_; }
  boost::asio::io_context& context() { return context_; }

 private:
  static boost::asio::awaitable<void> Call(Process* self, Ask ask);
  static boost::asio::awaitable<void> ConfirmSeen(Process* self, Ask ask);
  static boost::asio::awaitable<void> Pass(Process* self);
  static boost::asio::awaitable<void> DrainAll(Process* self);
  void Poll();

  Shared shared_;
  ProcessClock clock_;
  RedisLink link_;
  test::FakeRng rng_;
  redis::ScriptRunner scripts_;
  redis::RedisOperationStore store_;
  WatchedStore watched_;
  redis::RedisUnresolvedOperations due_;
  redis::RedisOperationRegistry registry_;
  redis::RedisOperationOutbox outbox_;
  bool resolving_ = false;
  /// The first to go: coroutines use the rest.
  boost::asio::io_context context_{1};
  operations::Engine engine_;
  operations::Resolver resolver_;
};

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_DURABILITY_MODEL_PROCESS_H_
