#include "services/events/reader.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/core/test_hook.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/domain/kind.h"
#include "services/domain/statuses.h"
#include "services/domain/timestamps.h"
#include "services/events/due_schedule.h"
#include "services/events/event_builder.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using common::v1::Order;
using ports::Millis;

namespace {

constexpr Millis kHintTimeout = std::chrono::seconds(10);
constexpr Millis kPublishTimeout = std::chrono::seconds(10);
/// Lost compares and foreign outboxes in one read; then the hint waits like in an outage.
constexpr int kMaxLostRounds = 10;

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

/// A member could not be read that may show something new.
bool LacksOpenMember(const FamilyRound& family, const ports::FamilyState& state,
                     const ports::FamilyKey& key) {
  return std::ranges::any_of(family.orders(), [&](const FamilyOrder& each) {
    if (each.outcome == ReadOutcome::kDone) return false;
    const storage::v1::OrderState* known = domain::FindState(state.snapshot, key.root, each.id);
    return known == nullptr || !domain::WasRead(*known) || !domain::IsFinal(*known);
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
    case ReadOutcome::kOverBudget:
      return {};  // counted where it was refused
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
  int lost_rounds = 0;
  std::size_t published = 0;
  bool asked = false;
  BootTime last_asked{};
};

ports::Context Reader::MakeContext(const Round& round, Millis timeout) const {
  return {.deadline = ports_.clock.BootNow() + timeout, .trace = round.span.context()};
}

bool IsKnown(const ports::FamilyState& state) {
  return state.version > 0 || !state.entry.traceparent.empty() ||
         !state.entry.capture_mode.empty() || state.entry.own_checkout;
}

Reader::Reader(const Ports& ports, const Settings& settings)
    : ports_(ports),
      settings_(settings),
      fetcher_({.payment_service = ports.payment_service,
                .clock = ports.clock,
                .metrics = ports.metrics},
               static_cast<double>(settings.max_reads_per_second),
               static_cast<double>(settings.max_unknown_reads_per_second)),
      orphans_({.registry = ports.registry, .clock = ports.clock, .metrics = ports.metrics}),
      root_finder_(fetcher_, ports.snapshots, ports.clock) {}

Millis Reader::ComeAgain(const domain::Project& project, bool unknown) {
  return fetcher_.ComeAgain(project,
                            unknown ? ReadBudget::Share::kUnknown : ReadBudget::Share::kKnown);
}

void Reader::Count(std::string_view result) const {
  if (result.empty()) return;
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
  if (result.member_outcome != ReadOutcome::kDone) Count("member_failed");
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
    TB_TEST_HOOK("events.after_pending_outbox");
    ++round.lost_rounds;
    co_return published;  // load again: what was saved is still the truth, unless another moved on
  }
  if (state->root && state->version == 0) {
    *saved = true;
    ReadResult forwarded = co_await Forward(round, *state, *state->root);
    co_return forwarded;
  }

  if (round.asked) {
    const Millis since =
        std::chrono::duration_cast<Millis>(ports_.clock.BootNow() - round.last_asked);
    if (since < kReadSpacing) co_await ports_.clock.Sleep(kReadSpacing - since);
  }
  round.asked = true;
  round.last_asked = ports_.clock.BootNow();
  ReadResult result = co_await ReadAndSave(round, *state, saved);
  co_return result;
}

awaitable<ReadResult> Reader::ReadAndSave(Round& round, const ports::FamilyState& state,
                                          bool* saved) {
  const bool unknown = !IsKnown(state) && !round.notice.trusted;
  const ReadBudget::Share share = unknown ? ReadBudget::Share::kUnknown : ReadBudget::Share::kKnown;
  FetchedOrder root =
      co_await fetcher_.Fetch({.project = round.project,
                               .order = round.key.root,
                               .state = state.version > 0 ? &state.snapshot.root() : nullptr,
                               .share = share,
                               .trace = round.span.context()});
  if (root.outcome != ReadOutcome::kDone) {
    co_return ReadResult{.outcome = root.outcome, .cause = root.cause, .unknown = unknown};
  }
  if (state.version == 0 && !domain::ParentOf(root.order).empty()) {
    const RootFinder::Found found =
        co_await root_finder_.Find(round.project, round.key.root, root.order, round.span.context());
    if (found.outcome != ReadOutcome::kDone) {
      co_return ReadResult{.outcome = found.outcome, .cause = found.cause};
    }
    *saved = true;
    ReadResult forwarded = co_await Forward(round, state, found.root);
    co_return forwarded;
  }
  if (state.version == 0) {
    std::optional<ReadResult> orphan =
        co_await SetOrphanAside(round, root.order, state.entry.own_checkout);
    if (orphan) co_return *std::move(orphan);
  }

  FamilyRound family({.fetcher = fetcher_,
                      .snapshots = ports_.snapshots,
                      .orphans = orphans_,
                      .clock = ports_.clock},
                     {.project = round.project,
                      .key = round.key,
                      .state = state,
                      .named = round.notice.members,
                      .thorough = round.notice.thorough,
                      .trace = round.span.context()});
  ReadResult members = co_await family.Run(std::move(root.order));
  if (members.outcome != ReadOutcome::kDone) co_return members;
  TB_TEST_HOOK("events.after_read");
  ReadResult result = co_await DecideAndSave(round, state, family, saved);
  if (family.failure() != nullptr && result.outcome == ReadOutcome::kDone) {
    result.member_outcome = family.failed_outcome();
    result.member_cause = *family.failure();
  }
  co_return result;
}

awaitable<ReadResult> Reader::Forward(Round& round, const ports::FamilyState& state, Uuid root) {
  std::vector<Uuid> named = round.notice.members;
  named.push_back(round.key.root);
  for (const Uuid& member : named) {
    const absl::Status hinted = co_await HintAt(round, root, member);
    if (!hinted.ok()) co_return InfrastructureFailure(hinted);
  }
  TB_TEST_HOOK("events.after_forward");
  const absl::Status noted =
      co_await ports_.snapshots.NoteMember({.member = round.key,
                                            .root = root,
                                            .seen_due = state.due,
                                            .retention = settings_.snapshot_retention},
                                           MakeContext(round, kStoreTimeout));
  if (!noted.ok()) co_return InfrastructureFailure(noted);
  TB_TEST_HOOK("events.after_note");
  Count("forwarded");
  co_return ReadResult{};
}

AsyncStatus Reader::HintAt(Round& round, Uuid root, Uuid member) {
  v1::Hint hint;
  hint.set_order_id(root.ToString());
  hint.set_member(member.ToString());
  hint.set_project(round.key.project);
  hint.set_source(v1::HINT_SOURCE_READER);
  *hint.mutable_noticed_at() = domain::ToTimestamp(round.notice.noticed_at);
  absl::Status appended = co_await ports_.hint_log.Append(hint, MakeContext(round, kHintTimeout));
  if (appended.ok()) ports_.metrics.Get(telemetry::kHints, {"member"}).Increment();
  co_return appended;
}

awaitable<std::optional<ReadResult>> Reader::SetOrphanAside(Round& round, const Order& order,
                                                            bool own_checkout) {
  const absl::StatusOr<bool> orphan =
      co_await orphans_.IsUnpaidOrphan(round.key, order, round.span.context());
  if (!orphan.ok()) co_return InfrastructureFailure(orphan.status());
  if (!*orphan) co_return std::nullopt;
  const OrderAge age = AgeOf(order, domain::Decide(order, own_checkout).final);
  co_return ReadResult{.outcome = ReadOutcome::kOrphan,
                       .look_again = NextDue({&age, 1}, ports_.clock.WallNow(), settings_)};
}

awaitable<ReadResult> Reader::DecideAndSave(Round& round, const ports::FamilyState& state,
                                            const FamilyRound& family, bool* saved) {
  const ports::WallTime now = ports_.clock.WallNow();
  std::vector<domain::OrderRead> reads;
  for (const FamilyOrder& each : family.orders()) {
    reads.push_back({.id = each.id,
                     .order = each.order.get(),
                     .capture_mode_sent = !each.entry.capture_mode.empty(),
                     .own_checkout = each.entry.own_checkout});
  }
  const domain::FamilyRead read{
      .snapshot = state.version > 0 ? &state.snapshot : nullptr,
      .root = round.key.root,
      .orders = reads,
      .now = now,
      .baseline_window = settings_.baseline_window,
      .new_stream = ports_.rng.NewUuid(),
      .hold_members = round.notice.wait_for_members && LacksOpenMember(family, state, round.key)};
  if (round.notice.wait_for_members && domain::KindIsUncertain(read)) {
    co_return ReadResult{.outcome = ReadOutcome::kFailed,
                         .cause = absl::FailedPreconditionError(
                             "a member that may tell the kind of its root cannot be read")};
  }
  domain::FamilyDiff diff = domain::DiffFamily(read);

  ports::SaveRequest request;
  request.key = round.key;
  request.expected_version = state.version;
  request.outbox = MakeOutbox(round, state, family, diff, now);
  request.next_due = DueOf(round, family, diff.snapshot, now);
  request.snapshot = std::move(diff.snapshot);
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

std::optional<ports::WallTime> Reader::DueOf(const Round& round, const FamilyRound& family,
                                             const storage::v1::Snapshot& next,
                                             ports::WallTime now) {
  // The others come at once, as soon as the project's reads allow.
  if (family.more()) return now + fetcher_.ComeAgain(round.project, ReadBudget::Share::kKnown);
  std::vector<OrderAge> ages;
  std::set<std::string> looked_at;
  for (const FamilyOrder& each : family.orders()) {
    looked_at.insert(each.id.ToBytes());
    const storage::v1::OrderState* state = domain::FindState(next, round.key.root, each.id);
    if (each.order) {
      const bool own_checkout = state != nullptr && state->own_checkout();
      ages.push_back(AgeOf(*each.order, domain::Decide(*each.order, own_checkout).final));
    } else if (each.outcome != ReadOutcome::kNotFound || (state && domain::WasRead(*state))) {
      ages.push_back({});
    }
  }
  // Final members that were not read: the latest end counts.
  for (const storage::v1::OrderState& member : next.members()) {
    if (looked_at.contains(member.order_id()) || !member.has_modified()) continue;
    ages.push_back({.final = true, .ended = domain::ToInstant(member.modified())});
  }
  return NextDue(ages, now, settings_);
}

storage::v1::Outbox Reader::MakeOutbox(const Round& round, const ports::FamilyState& state,
                                       const FamilyRound& family, const domain::FamilyDiff& diff,
                                       ports::WallTime now) const {
  storage::v1::Outbox outbox;
  std::map<Uuid, Order> clean_orders;
  for (const domain::DecidedEvent& decided : diff.events) {
    const auto found = std::ranges::find(family.orders(), decided.order, &FamilyOrder::id);
    const auto [clean, is_new] = clean_orders.try_emplace(decided.order);
    if (is_new) clean->second = OrderForEvents(*found->order, settings_.customer_data);
    const std::string& creator = found->entry.traceparent;
    const auto origin = telemetry::TraceContext::FromTraceparent(creator);
    v1::PaymentEvent event = MakeEvent(
        decided, {.project = round.project,
                  .key = round.key,
                  .order = clean->second,
                  .previous = domain::FindState(state.snapshot, round.key.root, decided.order),
                  .stream = diff.snapshot.stream(),
                  .noticed_at = now});
    const telemetry::Span span = telemetry::StartSpan(event.type(), round.span.context(),
                                                      telemetry::SpanKind::kProducer, origin);
    *outbox.add_entries() =
        MakeOutboxEntry(std::move(event),
                        {.traceparent = span.context().ToTraceparent(),
                         .origin_traceparent = origin ? creator : std::string()},
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
    TB_TEST_HOOK("events.after_publish_one");
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
