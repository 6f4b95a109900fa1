#include "sandbox/webhooks/webhook_sender.h"

#include <absl/status/statusor.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/core/signal.h"
#include "base/http/client.h"
#include "base/http/url.h"
#include "sandbox/webhooks/delivery_log.h"
#include "sandbox/webhooks/receivers.h"

namespace tollbridge::sandbox {
namespace {

namespace asio = boost::asio;

constexpr long kMaxPending = 100'000;
/// Of all receivers together.
constexpr std::size_t kMaxInFlight = 256;
/// A webhook that waits for the next one of its order goes out then at the latest.
constexpr Millis kLongestHold = std::chrono::seconds(60);

std::string Body(const Delivery& delivery) {
  boost::json::object body;
  body["event"] = delivery.event;
  body["order_id"] = delivery.order_id.ToString();
  body["project_id"] = delivery.project_id.ToString();
  return boost::json::serialize(body);
}

/// Path and query of an absolute URL.
std::string TargetOf(std::string_view url) {
  const std::size_t authority = url.find("://") + 3;
  const std::size_t end = url.find_first_of("/?", authority);
  if (end == std::string_view::npos) return "/";
  return (url[end] == '?' ? "/" : "") + std::string(url.substr(end));
}

}  // namespace

class WebhookSender::State : public std::enable_shared_from_this<WebhookSender::State> {
 public:
  State(asio::any_io_executor executor, Simulation* simulation, FaultInjector* faults)
      : executor_(std::move(executor)),
        simulation_(simulation),
        faults_(faults),
        receivers_(executor_, std::max(policy().first_timeout, policy().retry_timeout)),
        log_(policy().attempts_shown),
        idle_(executor_) {}

  void Stop() {
    stopped_ = true;
    Clear();
    idle_.Fire();
  }

  void Notify(const Order& order, std::string_view event);
  asio::awaitable<void> Idle();

  std::size_t pending() const { return static_cast<std::size_t>(pending_.use_count() - 1); }
  void OnScheduled(std::function<void()> hook) { on_scheduled_ = std::move(hook); }
  boost::json::array Log() const { return log_.ToJson(); }
  void Clear();

 private:
  using DeliveryPtr = std::shared_ptr<Delivery>;

  const WebhookPolicy& policy() const { return simulation_->settings.webhooks; }
  bool is_idle() const { return in_flight_ == 0 && ready_.empty(); }
  std::string UrlOf(const Order& order) const;
  /// A row about a webhook that is not sent.
  void RecordUnsent(const Order& order, std::string_view event, std::string origin,
                    DeliveryOutcome outcome, std::string error, std::string detail);
  void Dispatch(DeliveryPtr delivery, const std::optional<Fault>& fault);
  void Schedule(Time when, DeliveryPtr delivery);
  void Hold(DeliveryPtr delivery);
  void ReleaseHeld(const Uuid& order_id, std::uint64_t below_number);
  void BecomeDue(DeliveryPtr delivery);
  void StartDue();
  void Start(DeliveryPtr delivery, Receiver& receiver);
  asio::awaitable<void> Attempt(DeliveryPtr delivery, std::shared_ptr<http::Client> client,
                                DeliveryLog::RowId row, Time started);
  void Record(const http::SendResult& result, Millis timeout, const Delivery& delivery,
              DeliveryLog::RowId row_id);
  void End(const DeliveryPtr& delivery, bool delivered, Time ended);
  void GiveUp(const DeliveryPtr& delivery, std::string error);

  asio::any_io_executor executor_;
  Simulation* simulation_;
  FaultInjector* faults_;
  Receivers receivers_;
  DeliveryLog log_;
  std::function<void()> on_scheduled_;
  /// Due, in order, and not begun.
  std::deque<DeliveryPtr> ready_;
  std::size_t in_flight_ = 0;
  std::uint64_t next_number_ = 0;
  /// Reordered: until the next of the same order was sent.
  std::map<Uuid, DeliveryPtr> held_;
  /// See Delivery::pending. Another one from Clear on: deliveries from before are then unheard.
  std::shared_ptr<const bool> pending_ = std::make_shared<const bool>(true);
  Signal idle_;
  bool stopped_ = false;
};

std::string WebhookSender::State::UrlOf(const Order& order) const {
  if (order.webhook_url && !order.webhook_url->empty()) return *order.webhook_url;
  for (const Project& project : simulation_->settings.projects) {
    if (project.id == order.project_id) return project.webhook_url;
  }
  return "";
}

void WebhookSender::State::RecordUnsent(const Order& order, std::string_view event,
                                        std::string origin, DeliveryOutcome outcome,
                                        std::string error, std::string detail) {
  log_.Add({.order_id = order.id,
            .project_id = order.project_id,
            .event = event,
            .at = simulation_->clock.Now(),
            .url_origin = std::move(origin),
            .outcome = outcome,
            .error = std::move(error),
            .detail = std::move(detail),
            .final = true});
}

void WebhookSender::State::Notify(const Order& order, std::string_view event) {
  const std::string text = UrlOf(order);
  if (text.empty()) return;
  const absl::StatusOr<http::Url> url = http::ParseUrl(text);
  if (!url.ok()) {
    RecordUnsent(order, event, "", DeliveryOutcome::kFailed, "the webhook_url is not a URL", "");
    return;
  }
  const std::optional<Fault> fault = faults_->OnWebhook(order);
  if (fault && fault->kind == FaultKind::kLose) {
    RecordUnsent(order, event, url->Origin(), DeliveryOutcome::kLost, "", "by the fault plan");
    return;
  }
  const int copies = fault && fault->kind == FaultKind::kDuplicate ? 1 + fault->times : 1;
  for (int i = 0; i < copies; ++i) {
    if (pending_.use_count() > kMaxPending) {
      RecordUnsent(order, event, url->Origin(), DeliveryOutcome::kDropped, "",
                   "too many webhooks wait already");
      continue;
    }
    Dispatch(std::make_shared<Delivery>(Delivery{.event = event,
                                                 .order_id = order.id,
                                                 .project_id = order.project_id,
                                                 .url = *url,
                                                 .target = TargetOf(text),
                                                 .number = next_number_++,
                                                 .pending = pending_}),
             fault);
  }
}

void WebhookSender::State::Dispatch(DeliveryPtr delivery, const std::optional<Fault>& fault) {
  const Time now = simulation_->clock.Now();
  // Where one is held already, this one is the next that it waits for.
  if (fault && fault->kind == FaultKind::kReorder && !held_.contains(delivery->order_id)) {
    Hold(std::move(delivery));
  } else if (fault && fault->kind == FaultKind::kDelay) {
    Schedule(now + fault->time, std::move(delivery));
  } else {
    Schedule(now, std::move(delivery));
  }
}

void WebhookSender::State::Schedule(Time when, DeliveryPtr delivery) {
  simulation_->timeline.At(when, [weak = weak_from_this(), delivery = std::move(delivery)] {
    if (const auto self = weak.lock()) self->BecomeDue(delivery);
  });
}

void WebhookSender::State::Hold(DeliveryPtr delivery) {
  const Uuid order_id = delivery->order_id;
  const std::uint64_t next = delivery->number + 1;
  held_[order_id] = std::move(delivery);
  simulation_->timeline.After(kLongestHold, [weak = weak_from_this(), order_id, next] {
    if (const auto self = weak.lock()) self->ReleaseHeld(order_id, next);
  });
}

void WebhookSender::State::ReleaseHeld(const Uuid& order_id, std::uint64_t below_number) {
  const auto held = held_.find(order_id);
  if (held == held_.end() || held->second->number >= below_number) return;
  DeliveryPtr delivery = std::move(held->second);
  held_.erase(held);
  Schedule(simulation_->clock.Now(), std::move(delivery));
}

void WebhookSender::State::BecomeDue(DeliveryPtr delivery) {
  if (stopped_ || delivery->pending != pending_) return;
  ready_.push_back(std::move(delivery));
  StartDue();
}

void WebhookSender::State::StartDue() {
  const bool one_at_a_time = simulation_->clock.stands();
  while (!ready_.empty() && in_flight_ < (one_at_a_time ? 1 : kMaxInFlight)) {
    DeliveryPtr delivery = std::move(ready_.front());
    ready_.pop_front();
    const absl::StatusOr<Receiver*> receiver = receivers_.Get(delivery->url);
    if (!receiver.ok()) {
      GiveUp(delivery, std::string(receiver.status().message()));
    } else if ((*receiver)->in_flight >= Receivers::kMaxConnections) {
      (*receiver)->waiting.push_back(std::move(delivery));
    } else {
      Start(std::move(delivery), **receiver);
    }
  }
}

void WebhookSender::State::GiveUp(const DeliveryPtr& delivery, std::string error) {
  log_.Add({.order_id = delivery->order_id,
            .project_id = delivery->project_id,
            .event = delivery->event,
            .attempt = delivery->attempts + 1,
            .at = simulation_->clock.Now(),
            .url_origin = delivery->url.Origin(),
            .outcome = DeliveryOutcome::kFailed,
            .error = std::move(error),
            .final = true});
}

void WebhookSender::State::Start(DeliveryPtr delivery, Receiver& receiver) {
  ++delivery->attempts;
  ++in_flight_;
  ++receiver.in_flight;
  const Time now = simulation_->clock.Now();
  // Now and not at its end, so that the log's order does not depend on how long receivers take.
  const DeliveryLog::RowId row = log_.Add({.order_id = delivery->order_id,
                                           .project_id = delivery->project_id,
                                           .event = delivery->event,
                                           .attempt = delivery->attempts,
                                           .at = now,
                                           .url_origin = delivery->url.Origin()});
  asio::co_spawn(executor_, Attempt(std::move(delivery), receiver.client, row, now),
                 asio::detached);
}

asio::awaitable<void> WebhookSender::State::Attempt(DeliveryPtr delivery,
                                                    std::shared_ptr<http::Client> client,
                                                    DeliveryLog::RowId row, Time started) {
  const auto self = shared_from_this();
  const Millis timeout = delivery->attempts == 1 ? policy().first_timeout : policy().retry_timeout;
  // Never within the call that made it due: its end may run what is due next.
  co_await asio::post(executor_, asio::use_awaitable);
  if (stopped_) co_return;
  if (delivery->pending != pending_) {
    End(delivery, false, started);
    co_return;
  }
  http::Request request;
  request.method = "POST";
  request.target = delivery->target;
  request.headers.Set("Content-Type", "application/json");
  request.body = Body(*delivery);
  const http::SendResult result =
      co_await client->Send(std::move(request), {.deadline = BootClock::now() + timeout});
  if (stopped_) co_return;
  const bool delivered = result.fate == http::Fate::kAnswered && result.response.status < 300;
  Time ended = simulation_->clock.Now();
  if (simulation_->clock.stands() && absl::IsDeadlineExceeded(result.error))
    ended = started + timeout;
  if (delivery->pending == pending_) Record(result, timeout, *delivery, row);
  End(delivery, delivered, ended);
}

void WebhookSender::State::Record(const http::SendResult& result, Millis timeout,
                                  const Delivery& delivery, DeliveryLog::RowId row_id) {
  DeliveryRow* row = log_.Find(row_id);
  if (row == nullptr) return;
  row->outcome = DeliveryOutcome::kFailed;
  row->final = delivery.attempts >= policy().max_attempts;
  if (result.fate != http::Fate::kAnswered) {
    row->error = std::string(result.error.message());
    if (absl::IsDeadlineExceeded(result.error)) {
      row->detail = "no answer within " + std::to_string(timeout.count()) + " ms";
    }
    return;
  }
  row->status = result.response.status;
  if (result.response.status < 300) {
    row->outcome = DeliveryOutcome::kDelivered;
    row->final = true;
  } else if (result.response.status < 400) {
    row->detail = "redirects are not followed";
  }
}

void WebhookSender::State::End(const DeliveryPtr& delivery, bool delivered, Time ended) {
  --in_flight_;
  if (Receiver* receiver = receivers_.Find(delivery->url)) {
    --receiver->in_flight;
    if (!receiver->waiting.empty()) {
      ready_.push_front(std::move(receiver->waiting.front()));
      receiver->waiting.pop_front();
    }
  }
  if (delivery->pending == pending_) {
    if (!delivered && delivery->attempts < policy().max_attempts) {
      Schedule(ended + policy().pause, delivery);
    }
    if (delivery->attempts == 1) ReleaseHeld(delivery->order_id, delivery->number);
    if (on_scheduled_) on_scheduled_();
  }
  StartDue();
  if (is_idle()) idle_.Fire();
}

asio::awaitable<void> WebhookSender::State::Idle() {
  const auto self = shared_from_this();
  while (!stopped_ && !is_idle()) co_await idle_.Wait();
}

void WebhookSender::State::Clear() {
  pending_ = std::make_shared<const bool>(true);
  ready_.clear();
  held_.clear();
  receivers_.ForgetWaiting();
  log_.Clear();
  if (is_idle()) idle_.Fire();
}

WebhookSender::WebhookSender(asio::any_io_executor executor, Simulation* simulation,
                             FaultInjector* faults)
    : state_(std::make_shared<State>(std::move(executor), simulation, faults)) {}

WebhookSender::~WebhookSender() { state_->Stop(); }

void WebhookSender::Notify(const Order& order, std::string_view event) {
  state_->Notify(order, event);
}

asio::awaitable<void> WebhookSender::Idle() { return state_->Idle(); }

std::size_t WebhookSender::pending() const { return state_->pending(); }

void WebhookSender::OnScheduled(std::function<void()> hook) {
  state_->OnScheduled(std::move(hook));
}

boost::json::array WebhookSender::Log() const { return state_->Log(); }

void WebhookSender::Clear() { state_->Clear(); }

}  // namespace tollbridge::sandbox
