#include "tests/durability/model/process.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "tests/durability/model/kinds.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::model {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kCallDeadline{15};

constexpr std::size_t kDrainedAtOnce = 1000;
constexpr std::chrono::seconds kDrainLease{30};
/// Longer than the last look at what was closed by absence.
constexpr std::chrono::minutes kOutcomesKept{70};

redis::OperationStoreOptions OptionsOf(const Traits& traits) {
  redis::OperationStoreOptions options;
  if (traits.retires) options.outcomes_kept = kOutcomesKept;
  if (traits.replicated) options.min_replicas = 1;
  return options;
}

telemetry::Metrics& TheMetrics() {
  static telemetry::Metrics metrics;
  return metrics;
}

}  // namespace

Async<ports::FinishVerdict> WatchedStore::Finish(const ports::FinishRequest& request,
                                                 const ports::Context& context) {
  ports::FinishRequest asked = request;
  if (tells_before_it_keeps_) asked.replicated = false;
  absl::StatusOr<ports::FinishVerdict> verdict = co_await store_.Finish(asked, context);
  if (verdict.ok()) reference_.OnFinish(request, *verdict);
  if (!verdict.ok() && asked.replicated != request.replicated) {
    co_return ports::FinishVerdict::kRecorded;
  }
  co_return verdict;
}

Process::Process(Shared shared, std::uint64_t seed, const operations::KeySource& keys)
    : shared_(shared),
      clock_(shared.world),
      link_(shared.world, shared.redis),
      rng_(seed),
      scripts_(link_, test::TestKeyspace(), OptionsOf(shared.traits), clock_, rng_),
      store_(scripts_, scripts_),
      watched_(store_, shared.reference, shared.tells_before_it_keeps),
      due_(scripts_),
      registry_(scripts_),
      outbox_(scripts_, rng_.NewUuid().ToString()),
      engine_(context_.get_executor(),
              {shared.service, watched_, clock_, rng_, TheMetrics(), registry_}, shared.settings,
              ThePlans(), keys),
      resolver_(context_.get_executor(),
                {shared.service, watched_, due_, clock_, rng_, TheMetrics(), registry_},
                shared.settings, ThePlans(), TheProjects(shared.traits.projects), keys) {}

Process::~Process() { shared_.world.Drop(context_); }

void Process::Poll() {
  context_.restart();
  context_.poll();
}

void Process::Start(const Ask& ask) {
  shared_.reference.OnCall(ask.call);
  asio::co_spawn(context_, Call(this, ask), asio::detached);
  Poll();
}

asio::awaitable<void> Process::Call(Process* self, Ask ask) {
  const payments::v1::CreateOrderRequest request = RequestOf(ask);
  const ports::Context context{self->clock_.BootNow() + kCallDeadline, {}};
  const operations::Reply reply = co_await self->engine_.Run(PlanOf(ask, request), context);
  self->shared_.reference.OnReply(ask.call, reply);
}

void Process::Confirm(const Ask& ask) {
  asio::co_spawn(context_, ConfirmSeen(this, ask), asio::detached);
  Poll();
}

asio::awaitable<void> Process::ConfirmSeen(Process* self, Ask ask) {
  const ports::Context context{self->clock_.BootNow() + kCallDeadline, {}};
  const std::string& project = ProjectAt(ask.project).name;
  const auto seen = co_await self->registry_.Read(project, ask.operation, context);
  if (!seen.ok() || !seen->has_approval() || seen->approval().has_confirmed_by()) co_return;
  const ports::ConfirmRequest confirm{
      .project = project,
      .id = ask.operation,
      .confirmation = {.approval = *Uuid::Parse(seen->approval().id()), .names = {"second"}},
      .who = "second",
      .note = "confirmed"};
  // It may get through, whatever becomes of the answer.
  self->shared_.reference.OnConfirm(ask.key, seen->approval().id());
  const auto confirmed = co_await self->registry_.Confirm(confirm, context);
  static_cast<void>(confirmed);
}

void Process::Resolve() {
  if (resolving_) return;
  resolving_ = true;
  asio::co_spawn(context_, Pass(this), asio::detached);
  Poll();
}

asio::awaitable<void> Process::Pass(Process* self) {
  co_await self->resolver_.Pass();
  self->resolving_ = false;
}

void Process::Drain() {
  asio::co_spawn(context_, DrainAll(this), asio::detached);
  Poll();
}

asio::awaitable<void> Process::DrainAll(Process* self) {
  for (const domain::Project& project : TheProjects(self->shared_.traits.projects).all()) {
    const auto soon = [self] {
      return ports::Context{self->clock_.BootNow() + self->shared_.settings.store_timeout, {}};
    };
    const auto taken =
        co_await self->outbox_.Take(project.name, kDrainedAtOnce, kDrainLease, soon());
    if (!taken.ok()) continue;
    if (!taken->empty()) {
      const absl::Status drained = co_await self->outbox_.Drained(project.name, *taken, soon());
      if (!drained.ok()) continue;
    }
    const auto retired = co_await self->outbox_.Retire(project.name, kDrainedAtOnce, soon());
    static_cast<void>(retired);
  }
}

}  // namespace tollbridge::model
