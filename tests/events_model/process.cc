#include "tests/events_model/process.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <utility>

namespace tollbridge::events_model {

namespace asio = boost::asio;

namespace {

telemetry::Metrics& TheMetrics() {
  static telemetry::Metrics metrics;
  return metrics;
}

events::Settings SettingsOf(const Traits& traits) {
  events::Settings settings;
  settings.max_reads = traits.max_reads;
  return settings;
}

reconcile::SweepSettings SweepSettingsOf(const events::Settings& events) {
  reconcile::SweepSettings settings;
  settings.index_lag = std::chrono::seconds(30);
  settings.baseline_window = events.baseline_window;
  settings.take_again_after = reconcile::PollerSettings().take_again_after;
  return settings;
}

}  // namespace

Process::Process(Shared shared, std::uint64_t seed, domain::Projects projects)
    : shared_(shared),
      projects_(std::move(projects)),
      keyspace_("tb:", projects_),
      clock_(shared.world),
      link_(shared.world, shared.redis),
      rng_(seed),
      scripts_(link_, keyspace_, redis::OperationStoreOptions(), clock_, rng_),
      snapshots_(scripts_),
      watched_snapshots_(snapshots_, shared.planted),
      due_queue_(link_, keyspace_),
      known_orders_(link_, keyspace_),
      sweep_state_(scripts_),
      watched_sweep_state_(sweep_state_, clock_, shared.planted),
      registry_(scripts_),
      hint_log_(shared.hints, shared.world),
      event_log_(shared.events),
      context_(std::make_unique<asio::io_context>(1)) {
  Start();
}

Process::~Process() {
  shared_.world.Drop(*context_);
  feed_.reset();
  sweep_.reset();
  poller_.reset();
  loop_.reset();
  context_.reset();
}

void Process::Start() {
  const events::Settings settings = SettingsOf(shared_.traits);
  feed_.emplace(shared_.hints, shared_.world, *context_);
  reader_.emplace(events::Reader::Ports{.payment_service = shared_.service,
                                        .snapshots = watched_snapshots_,
                                        .registry = registry_,
                                        .event_log = event_log_,
                                        .hint_log = hint_log_,
                                        .clock = clock_,
                                        .rng = rng_,
                                        .metrics = TheMetrics()},
                  settings);
  handler_.emplace(events::HintHandler::Ports{.reader = *reader_,
                                              .snapshots = watched_snapshots_,
                                              .due_queue = due_queue_,
                                              .dead_letters = shared_.letters,
                                              .clock = clock_,
                                              .metrics = TheMetrics()},
                   settings);
  loop_ = events::HintLoop::Create(
      context_->get_executor(),
      {.feed = *feed_, .handler = *handler_, .clock = clock_, .projects = projects_}, settings);
  poller_ = reconcile::DuePoller::Create(
      {.due_queue = due_queue_, .hint_log = hint_log_, .clock = clock_, .metrics = TheMetrics()},
      projects_, reconcile::PollerSettings());
  sweep_ = reconcile::SearchSweep::Create({.payment_service = shared_.service,
                                           .known_orders = known_orders_,
                                           .state = watched_sweep_state_,
                                           .due_queue = due_queue_,
                                           .hint_log = hint_log_,
                                           .clock = clock_,
                                           .rng = rng_,
                                           .metrics = TheMetrics()},
                                          SweepSettingsOf(settings));
  static_cast<void>(loop_->Start());
  asio::co_spawn(*context_, loop_->Run(), asio::detached);
  for (const domain::Project& project : projects_.all()) {
    asio::co_spawn(*context_, sweep_->Run(project), asio::detached);
  }
  Run();
}

void Process::Run() {
  context_->restart();
  context_->poll();
}

void Process::Poll(const std::string& project) {
  if (!polling_.insert(project).second) return;
  asio::co_spawn(*context_, PollOnce(this, project), asio::detached);
  Run();
}

asio::awaitable<void> Process::PollOnce(Process* self, std::string project) {
  const absl::StatusOr<std::size_t> polled = co_await self->poller_->PollOnce(project);
  static_cast<void>(polled);
  self->polling_.erase(project);
}

void Process::Stop() {
  sweep_->Stop();
  const auto stop = [](Process* self) -> asio::awaitable<void> {
    const BootTime deadline = self->clock_.BootNow() + std::chrono::seconds(10);
    const absl::Status stopped = co_await self->loop_->Stop(deadline);
    static_cast<void>(stopped);
  };
  asio::co_spawn(*context_, stop(this), asio::detached);
  Run();
}

void Process::InitializeStore() {
  const auto initialize = [](Process* self) -> asio::awaitable<void> {
    const absl::StatusOr<bool> made = co_await self->scripts_.InitializeEpoch(
        self->rng_.NewUuid(), self->clock_.BootNow() + std::chrono::seconds(1));
    static_cast<void>(made);
  };
  asio::co_spawn(*context_, initialize(this), asio::detached);
  Run();
}

void Process::StandStill(Time length) {
  shared_.world.Freeze(*context_, shared_.world.now() + length);
  feed_->StandsStill(length);
}

}  // namespace tollbridge::events_model
