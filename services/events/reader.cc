#include "services/events/reader.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "services/base/test_hook.h"
#include "services/domain/errors.h"
#include "services/domain/mark.h"
#include "services/domain/statuses.h"
#include "services/events/due_schedule.h"
#include "services/events/event_builder.h"
#include "services/telemetry/log.h"
#include "services/telemetry/metric_definitions.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using common::v1::Order;
using ports::Millis;

namespace {

constexpr Millis kStoreTimeout = std::chrono::seconds(5);
constexpr Millis kReadTimeout = std::chrono::seconds(10);
constexpr Millis kPublishTimeout = std::chrono::seconds(10);
/// Lost compares and foreign outboxes in one read; then the hint waits like in an outage.
constexpr int kMaxLostRounds = 10;

ReadResult InfrastructureFailure(const absl::Status& error) {
  return {.outcome = OutcomeOfInfrastructure(error), .cause = error, .published = 0};
}

/// Kind and what of a finished event, from its type: labels of the metric.
std::pair<std::string, std::string> KindAndWhat(const storage::v1::OutboxEntry& entry) {
  for (const storage::v1::Header& header : entry.headers()) {
    if (header.name() != "ce_type") continue;
    const std::string& type = header.value();
    const auto first = type.find('.');
    const auto second = type.find('.', first + 1);
    const auto third = type.find('.', second + 1);
    if (third == std::string::npos) break;
    return {type.substr(first + 1, second - first - 1),
            type.substr(second + 1, third - second - 1)};
  }
  return {};
}

bool IsPaid(const Order& order) {
  return order.status() == common::v1::ORDER_STATUS_COMPLETED ||
         std::ranges::any_of(order.transactions(), [](const common::v1::Transaction& transaction) {
           return transaction.status() == common::v1::TRANSACTION_STATUS_COMPLETED;
         });
}

std::string_view MetricOf(ReadOutcome outcome) {
  switch (outcome) {
    case ReadOutcome::kOrphan:
      return "orphan";
    case ReadOutcome::kNotFound:
      return "not_found";
    case ReadOutcome::kProjectRefused:
      return "refused";
    default:
      return "failed";
  }
}

}  // namespace

/// The state of one Read() call.
struct Reader::Round {
  const domain::Project& project;
  const ports::FamilyKey& key;
  const Notice& notice;
  telemetry::Span span;
  int stale_reads = 0;
  int lost_rounds = 0;
  std::size_t published = 0;
  bool asked = false;
  BootTime last_asked{};
};

ports::Context Reader::MakeContext(const Round& round, Millis timeout) const {
  return {.deadline = ports_.clock.BootNow() + timeout, .trace = round.span.context()};
}

void Reader::Count(std::string_view result) const {
  ports_.metrics.Get(telemetry::kReads, {result}).Increment();
}

awaitable<ReadResult> Reader::Read(const domain::Project& project, const ports::FamilyKey& key,
                                   const Notice& notice) {
  Round round{
      .project = project,
      .key = key,
      .notice = notice,
      .span = telemetry::StartSpan("read order", notice.trace, telemetry::SpanKind::kConsumer)};
  const std::string order_id = key.root.ToString();
  round.span.SetAttribute("tollbridge.order_id", std::string_view(order_id));
  ReadResult result = co_await ReadUntilSaved(round);
  result.published = round.published;
  if (result.outcome != ReadOutcome::kDone) Count(MetricOf(result.outcome));
  if (!result.cause.ok()) round.span.SetError(std::string(result.cause.message()));
  co_return result;
}

awaitable<ReadResult> Reader::ReadUntilSaved(Round& round) {
  for (;;) {
    bool saved = false;
    ReadResult result = co_await TryOnce(round, &saved);
    if (saved || result.outcome != ReadOutcome::kDone) co_return result;
    if (round.lost_rounds > kMaxLostRounds) {
      co_return InfrastructureFailure(
          absl::UnavailableError("other readers are faster with this family"));
    }
  }
}

awaitable<ReadResult> Reader::TryOnce(Round& round, bool* saved) {
  absl::StatusOr<ports::FamilyState> state =
      co_await ports_.snapshots.Load(round.key, MakeContext(round, kStoreTimeout));
  if (!state.ok()) co_return InfrastructureFailure(state.status());

  if (state->outbox) {
    ReadResult published = co_await Publish(round, *state->outbox, state->version);
    if (published.outcome != ReadOutcome::kDone) co_return published;
    ++round.lost_rounds;
    co_return published;  // load again: what was saved is still the truth, unless another moved on
  }

  if (round.asked) {
    const Millis since =
        std::chrono::duration_cast<Millis>(ports_.clock.BootNow() - round.last_asked);
    if (since < kReadSpacing) co_await ports_.clock.Sleep(kReadSpacing - since);
  }
  round.asked = true;
  round.last_asked = ports_.clock.BootNow();
  const std::string order_id = round.key.root.ToString();
  absl::StatusOr<Order> order = co_await ports_.payment_service.GetOrder(
      round.project, order_id, MakeContext(round, kReadTimeout));
  if (!order.ok()) {
    co_return ReadResult{
        .outcome = OutcomeOfRead(order.status()), .cause = order.status(), .published = 0};
  }
  if (order->has_id() && Uuid::Parse(order->id()) != round.key.root) {
    co_return ReadResult{.outcome = ReadOutcome::kUnreadable,
                         .cause = absl::InternalError("the answer holds another order"),
                         .published = 0};
  }

  if (state->version > 0 && domain::IsOlderThan(*order, state->snapshot.root()) &&
      round.stale_reads < kMaxStaleReads) {
    ++round.stale_reads;
    Count("stale");
    co_return ReadResult{};
  }
  std::optional<ReadResult> orphan = co_await SetOrphanAside(round, *state, *order);
  if (orphan) co_return *std::move(orphan);
  ReadResult result = co_await DecideAndSave(round, *state, *order, saved);
  co_return result;
}

awaitable<std::optional<ReadResult>> Reader::SetOrphanAside(Round& round,
                                                            const ports::FamilyState& state,
                                                            const Order& order) {
  const std::optional<domain::Mark> mark = state.version > 0 ? std::nullopt : domain::MarkOf(order);
  if (!mark) co_return std::nullopt;
  const bool paid = IsPaid(order);
  const absl::StatusOr<ports::MarkVerdict> verdict =
      co_await ports_.registry.JudgeMark(*mark, round.key, paid, MakeContext(round, kStoreTimeout));
  if (!verdict.ok()) co_return InfrastructureFailure(verdict.status());
  if (*verdict == ports::MarkVerdict::kOurs) co_return std::nullopt;

  ports_.metrics.Get(telemetry::kOrphans, {paid ? "paid" : "unpaid"}).Increment();
  telemetry::Log(paid ? telemetry::Severity::kWarning : telemetry::Severity::kInfo, "orphan_order",
                 {telemetry::OrderId(round.key.root.ToString()),
                  telemetry::OperationId(mark->operation.ToString()),
                  {"project", round.key.project},
                  {"paid", paid},
                  telemetry::Trace(round.span.context())});
  if (paid) co_return std::nullopt;
  const bool final = domain::Decide(order, state.entry.own_checkout).final;
  co_return ReadResult{.outcome = ReadOutcome::kOrphan,
                       .look_again = NextDue(order, final, ports_.clock.WallNow(), settings_)};
}

awaitable<ReadResult> Reader::DecideAndSave(Round& round, const ports::FamilyState& state,
                                            const Order& order, bool* saved) {
  const ports::WallTime now = ports_.clock.WallNow();
  const domain::OrderRead read{.id = round.key.root,
                               .order = &order,
                               .capture_mode_sent = !state.entry.capture_mode.empty(),
                               .own_checkout = state.entry.own_checkout};
  domain::FamilyDiff diff =
      domain::DiffFamily({.snapshot = state.version > 0 ? &state.snapshot : nullptr,
                          .root = round.key.root,
                          .orders = {&read, 1},
                          .now = now,
                          .baseline_window = settings_.baseline_window,
                          .new_stream = ports_.rng.NewUuid()});
  const domain::Decision decision = domain::Decide(order, diff.snapshot.root().own_checkout());

  ports::SaveRequest request;
  request.key = round.key;
  request.expected_version = state.version;
  request.outbox = MakeOutbox(round, state, order, diff, now);
  request.snapshot = std::move(diff.snapshot);
  request.next_due = NextDue(order, decision.final, now, settings_);
  request.seen_due = state.due;
  request.retention = settings_.snapshot_retention;
  absl::StatusOr<ports::SaveVerdict> verdict =
      co_await ports_.snapshots.Save(request, MakeContext(round, kStoreTimeout));
  if (!verdict.ok()) co_return InfrastructureFailure(verdict.status());
  if (*verdict != ports::SaveVerdict::kSaved) {
    ++round.lost_rounds;
    Count("lost_compare");
    co_return ReadResult{};
  }

  *saved = true;
  TB_TEST_HOOK("events.after_save");
  Count(diff.events.empty() ? "unchanged" : "changed");
  if (diff.events.empty()) co_return ReadResult{};
  ReadResult published = co_await Publish(round, request.outbox, state.version + 1);
  co_return published;
}

storage::v1::Outbox Reader::MakeOutbox(const Round& round, const ports::FamilyState& state,
                                       const Order& order, const domain::FamilyDiff& diff,
                                       ports::WallTime now) const {
  storage::v1::Outbox outbox;
  if (diff.events.empty()) return outbox;
  const Order clean = OrderForEvents(order, settings_.customer_data);
  const auto origin = telemetry::TraceContext::FromTraceparent(state.entry.traceparent);
  const ReadFacts facts{.project = round.project,
                        .key = round.key,
                        .order = clean,
                        .previous = state.version > 0 ? &state.snapshot.root() : nullptr,
                        .stream = diff.snapshot.stream(),
                        .noticed_at = now};
  for (const domain::DecidedEvent& decided : diff.events) {
    v1::PaymentEvent event = MakeEvent(decided, facts);
    const telemetry::Span span = telemetry::StartSpan(event.type(), round.span.context(),
                                                      telemetry::SpanKind::kProducer, origin);
    *outbox.add_entries() =
        MakeOutboxEntry(std::move(event),
                        {.traceparent = span.context().ToTraceparent(),
                         .origin_traceparent = origin ? state.entry.traceparent : std::string()},
                        settings_.encoding);
  }
  return outbox;
}

awaitable<ReadResult> Reader::Publish(Round& round, const storage::v1::Outbox& outbox,
                                      std::uint64_t version) {
  // One after the other's delivery report: in order, or not at all.
  for (const storage::v1::OutboxEntry& entry : outbox.entries()) {
    const absl::Status delivered =
        co_await ports_.event_log.Publish(entry, MakeContext(round, kPublishTimeout));
    if (!delivered.ok()) co_return InfrastructureFailure(delivered);
    ++round.published;
    const auto [kind, what] = KindAndWhat(entry);
    ports_.metrics.Get(telemetry::kEventsPublished, {kind, what}).Increment();
    telemetry::Log(telemetry::Severity::kInfo, "event_published",
                   {telemetry::OrderId(entry.key()),
                    {"event_id", entry.id()},
                    {"kind", kind},
                    {"what", what},
                    {"sequence", entry.sequence()},
                    telemetry::Trace(round.span.context())});
  }
  if (round.notice.webhook_accepted) {
    const std::chrono::duration<double> took =
        ports_.clock.WallNow() - *round.notice.webhook_accepted;
    ports_.metrics.Get(telemetry::kWebhookToEvent).Observe(std::max(0.0, took.count()));
  }
  TB_TEST_HOOK("events.after_publish");
  const absl::StatusOr<bool> cleared =
      co_await ports_.snapshots.ClearOutbox(round.key, version, MakeContext(round, kStoreTimeout));
  if (!cleared.ok()) co_return InfrastructureFailure(cleared.status());
  TB_TEST_HOOK("events.after_clear");
  co_return ReadResult{};
}

}  // namespace tollbridge::events
