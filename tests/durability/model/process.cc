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

std::shared_ptr<const operations::OperationKeys> TheKeys() {
  static const std::shared_ptr<const operations::OperationKeys> kKeys = [] {
    auto keys = std::make_shared<operations::OperationKeys>();
    keys->fingerprints.keys = {{"f1", std::string(32, 'f')}};
    keys->outcomes.keys = {{"o1", std::string(32, 'o')}};
    return keys;
  }();
  return kKeys;
}

const domain::Projects& TheProjects() {
  static const domain::Projects kProjects({TheProject()});
  return kProjects;
}

telemetry::Metrics& TheMetrics() {
  static telemetry::Metrics metrics;
  return metrics;
}

}  // namespace

Async<ports::FinishVerdict> WatchedStore::Finish(const ports::FinishRequest& request,
                                                 const ports::Context& context) {
  absl::StatusOr<ports::FinishVerdict> verdict = co_await store_.Finish(request, context);
  if (verdict.ok()) reference_.OnFinish(request, *verdict);
  co_return verdict;
}

Process::Process(Shared shared, std::uint64_t seed)
    : shared_(shared),
      clock_(shared.world),
      link_(shared.world, shared.redis),
      rng_(seed),
      scripts_(link_, test::TestKeyspace(), {}, clock_, rng_),
      store_(scripts_, scripts_),
      watched_(store_, shared.reference),
      due_(scripts_),
      registry_(scripts_),
      engine_(context_.get_executor(),
              {shared.service, watched_, clock_, rng_, TheMetrics(), registry_}, shared.settings,
              ThePlans(), &TheKeys),
      resolver_(context_.get_executor(),
                {shared.service, watched_, due_, clock_, rng_, TheMetrics()}, shared.settings,
                ThePlans(), TheProjects(), &TheKeys) {}

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

}  // namespace tollbridge::model
