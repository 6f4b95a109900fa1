#include "adapters/kafka/hint_feed.h"

#include <absl/cleanup/cleanup.h>
#include <absl/status/status.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/kafka/broker.h"
#include "adapters/kafka/hint_consumer.h"
#include "base/core/boot_clock.h"
#include "base/core/must_go_on.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"

namespace tollbridge::kafka {
namespace {

namespace asio = boost::asio;

/// How often it is looked whether a client is exchanged.
constexpr std::chrono::milliseconds kExchangeInterval{2};
/// Between tries of one whose topic has gone to come back.
constexpr std::chrono::seconds kBetweenTries{1};
/// From when one has come back: a topic may seem to go again and again, as where one of several
/// brokers is behind, and each time the group shares out its partitions anew.
constexpr std::chrono::seconds kBetweenReturns{10};

}  // namespace

/// One consumer after the other. Kept alive by the coroutines that run in it.
struct KafkaHintFeed::State : std::enable_shared_from_this<State> {
  HintFeedSettings settings;
  asio::any_io_executor executor;
  std::shared_ptr<HintConsumer> consumer;
  ports::HintFeedObserver* observer = nullptr;
  /// Somebody is to have another client, or has one already and the old one stops.
  bool exchanging = false;
  bool renewing = false;
  bool stopped = false;

  /// When it last had another client since the topic had gone.
  BootTime came_back;

  absl::Status StartConsumer();
  /// As Renew; nullopt: by the settings that it has.
  static AsyncStatus Exchange(std::shared_ptr<State> self, std::optional<ClientSettings> client);
  static asio::awaitable<void> ComeBack(std::shared_ptr<State> self,
                                        std::shared_ptr<HintConsumer> gone);
  static AsyncStatus TryToComeBack(std::shared_ptr<State> self);
  static asio::awaitable<void> WaitWhile(std::shared_ptr<State> self, bool State::* flag);
};

absl::Status KafkaHintFeed::State::StartConsumer() {
  return consumer->Start(observer,
                         [state = weak_from_this(), gone = std::weak_ptr<HintConsumer>(consumer)] {
                           const auto self = state.lock();
                           if (self == nullptr) return;
                           asio::co_spawn(self->executor, ComeBack(self, gone.lock()), MustGoOn{});
                         });
}

asio::awaitable<void> KafkaHintFeed::State::WaitWhile(std::shared_ptr<State> self,
                                                      bool State::* flag) {
  asio::steady_timer timer(self->executor);
  while ((*self).*flag) {
    timer.expires_after(kExchangeInterval);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

asio::awaitable<void> KafkaHintFeed::State::ComeBack(std::shared_ptr<State> self,
                                                     std::shared_ptr<HintConsumer> gone) {
  telemetry::Log(telemetry::Severity::kWarning, "hint_topic_gone",
                 {{"topic", self->settings.topic}});
  asio::steady_timer timer(self->executor);
  BootTime next_try = self->came_back + kBetweenReturns;
  while (true) {
    if (const auto now = BootClock::now(); next_try > now) {
      timer.expires_after(next_try - now);
      co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_await WaitWhile(self, &State::exchanging);
    // Others may have exchanged it meanwhile, for other settings.
    if (self->stopped || self->consumer != gone) co_return;
    const absl::Status came_back = co_await TryToComeBack(self);
    if (came_back.ok() || absl::IsCancelled(came_back) || absl::IsFailedPrecondition(came_back)) {
      co_return;
    }
    telemetry::Log(telemetry::Severity::kWarning, "hint_topic_gone_still",
                   {{"reason", std::string(came_back.message())}});
    // Whoever has new settings comes in between.
    next_try = BootClock::now() + kBetweenTries;
  }
}

AsyncStatus KafkaHintFeed::State::TryToComeBack(std::shared_ptr<State> self) {
  try {
    absl::Status exchanged = co_await Exchange(self, std::nullopt);
    if (exchanged.ok()) self->came_back = BootClock::now();
    co_return exchanged;
  } catch (const std::exception& error) {
    // As where no descriptor is left for a queue.
    co_return absl::UnavailableError(error.what());
  }
}

AsyncStatus KafkaHintFeed::State::Exchange(std::shared_ptr<State> self,
                                           std::optional<ClientSettings> client) {
  co_await WaitWhile(self, &State::exchanging);
  self->exchanging = true;
  const absl::Cleanup done = [&] { self->exchanging = false; };
  HintFeedSettings renewed = self->settings;
  if (client) renewed.client = *std::move(client);
  TB_CO_ASSIGN_OR_RETURN(std::shared_ptr<HintConsumer> next,
                         HintConsumer::Create(renewed, self->executor));
  // As long as no broker takes the new client, the old one stays in the group.
  TB_CO_RETURN_IF_ERROR(
      co_await AwaitBroker(next->client(), {}, BootClock::now() + kNewClientLimit));
  if (self->stopped) co_return absl::CancelledError("the hint feed was stopped");
  if (self->consumer->fenced()) {
    co_return absl::FailedPreconditionError("kafka: a newer process has the name in the group");
  }
  self->settings = std::move(renewed);
  const std::shared_ptr<HintConsumer> old = std::exchange(self->consumer, std::move(next));
  {
    self->renewing = true;
    const absl::Cleanup renewed_it = [&] { self->renewing = false; };
    // However it ends: what was not committed comes again, and the group learns in time.
    static_cast<void>(co_await old->Stop());
    old->Abandon();
  }
  if (self->stopped) co_return absl::CancelledError("the hint feed was stopped");
  co_return self->StartConsumer();
}

absl::StatusOr<std::unique_ptr<KafkaHintFeed>> KafkaHintFeed::Create(
    const HintFeedSettings& settings, asio::any_io_executor executor) {
  TB_ASSIGN_OR_RETURN(auto consumer, HintConsumer::Create(settings, executor));
  auto state = std::make_shared<State>();
  state->settings = settings;
  state->executor = std::move(executor);
  state->consumer = std::move(consumer);
  if (settings.metrics != nullptr) {
    settings.metrics->OnCollect([weak = std::weak_ptr(state)](telemetry::Metrics& /*metrics*/) {
      if (const auto feed = weak.lock()) feed->consumer->ReportShare();
    });
  }
  return std::unique_ptr<KafkaHintFeed>(new KafkaHintFeed(std::move(state)));
}

KafkaHintFeed::KafkaHintFeed(std::shared_ptr<State> state) : state_(std::move(state)) {}

KafkaHintFeed::~KafkaHintFeed() {
  state_->stopped = true;
  state_->consumer->Abandon();
}

absl::Status KafkaHintFeed::Start(ports::HintFeedObserver* observer) {
  state_->observer = observer;
  return state_->StartConsumer();
}

Async<std::vector<ports::HintRecord>> KafkaHintFeed::Next() {
  const std::shared_ptr<State> state = state_;
  while (true) {
    const std::shared_ptr<HintConsumer> consumer = state->consumer;
    absl::StatusOr<std::vector<ports::HintRecord>> records = co_await consumer->Next();
    const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    const bool over = state->stopped || cancellation.cancelled() != asio::cancellation_type::none;
    if (over || consumer == state->consumer || !absl::IsCancelled(records.status())) {
      co_return records;
    }
    // It was only taken out of use: its successor goes on.
  }
}

AsyncStatus KafkaHintFeed::Renew(ClientSettings settings) {
  return State::Exchange(state_, std::move(settings));
}

void KafkaHintFeed::StoreOffset(std::int32_t partition, std::int64_t next_offset,
                                std::string note) {
  state_->consumer->StoreOffset(partition, next_offset, std::move(note));
}

void KafkaHintFeed::Pause(std::int32_t partition) { state_->consumer->SetPaused(partition, true); }

void KafkaHintFeed::Resume(std::int32_t partition) {
  state_->consumer->SetPaused(partition, false);
}

AsyncStatus KafkaHintFeed::Stop() {
  const std::shared_ptr<State> state = state_;
  state->stopped = true;
  co_await State::WaitWhile(state, &State::renewing);
  co_return co_await state->consumer->Stop();
}

bool KafkaHintFeed::Owns(std::int32_t partition) const { return state_->consumer->Owns(partition); }

bool KafkaHintFeed::member() const { return state_->consumer->member(); }

}  // namespace tollbridge::kafka
