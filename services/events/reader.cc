#include "services/events/reader.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/core/test_hook.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/domain/event_id.h"
#include "services/domain/kind.h"
#include "services/domain/statuses.h"
#include "services/domain/timestamps.h"
#include "services/events/due_schedule.h"
#include "services/events/event_builder.h"
#include "services/events/family_due.h"
#include "services/events/member_hint.h"
#include "services/events/noticed.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using common::v1::Order;
using ports::Millis;

namespace {

constexpr Millis kHintTimeout = std::chrono::seconds(10);
constexpr Millis kPublishTimeout = std::chrono::seconds(10);
/// Lost compares and foreign outboxes in one read; then the hint waits like in an outage.
constexpr int kMaxLostRounds = 10;

/// A member could not be read that may show something new.
bool LacksOpenMember(const FamilyRound& family, const ports::FamilyState& state,
                     const ports::FamilyKey& key) {
  return std::ranges::any_of(family.orders(), [&](const FamilyOrder& each) {
    if (each.outcome == ReadOutcome::kDone) return false;
    const storage::v1::OrderState* known = domain::FindState(state.snapshot, key.root, each.id);
    return known == nullptr || !domain::WasRead(*known) || !domain::IsFinal(*known);
  });
}

}  // namespace

/// One Read() call.
struct Reader::Round {
  const domain::Project& project;
  const ports::FamilyKey& key;
  const ReadRequest& request;
  telemetry::Span span;
  /// When the payment service was asked last; nullopt: not yet.
  std::optional<BootTime> last_asked;
  /// When it was due, as it was loaded last.
  std::optional<WallTime> seen_due;
  /// As ReadResult has it.
  std::optional<ports::Noticed> noticed;
  /// As ReadResult has it.
  bool answered = false;
};

/// What one try of a round came to.
struct Reader::Tried {
  enum class Next {
    kAgain,  ///< another was first, or an outbox is published or kept: load and read again
    kEnded,  ///< `result` is that of the read
  };
  Next next = Next::kEnded;
  /// kAgain: only how many events were published on the way.
  ReadResult result;
};

Reader::Tried Reader::Ended(ReadResult result) {
  return {.next = Tried::Next::kEnded, .result = std::move(result)};
}

ports::Context Reader::MakeContext(const Round& round, Millis timeout) const {
  return {.deadline = ports_.clock.BootNow() + timeout, .trace = round.span.context()};
}

bool IsKnown(const ports::FamilyState& state) {
  return state.version > 0 || !state.entry.traceparent.empty() ||
         !state.entry.capture_mode.empty() || state.entry.own_checkout ||
         (state.noticed && state.noticed->seen);
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
      root_finder_(fetcher_, ports.snapshots, ports.clock),
      refused_(ports.clock, ports.metrics) {}

Millis Reader::RetryDelay(const domain::Project& project, bool unknown) {
  return fetcher_.RetryDelay(project,
                             unknown ? ReadBudget::Share::kUnknown : ReadBudget::Share::kKnown);
}

void Reader::Count(const domain::Project& project, std::string_view result) const {
  if (result.empty()) return;
  ports_.metrics.Get(telemetry::kReads, {result, project.name}).Increment();
}

awaitable<ReadResult> Reader::Read(const domain::Project& project, const ports::FamilyKey& key,
                                   const ReadRequest& request) {
  Round round{.project = project,
              .key = key,
              .request = request,
              .span = telemetry::StartSpan("read order", request.trace,
                                           request.trace.valid() ? telemetry::SpanKind::kConsumer
                                                                 : telemetry::SpanKind::kInternal),
              .last_asked = std::nullopt,
              .seen_due = std::nullopt,
              .noticed = std::nullopt,
              .answered = false};
  const std::string order_id = key.root.ToString();
  round.span.SetAttribute("tollbridge.order_id", std::string_view(order_id));
  round.span.SetAttribute("tollbridge.project", project.name);
  ReadResult result = co_await ReadUntilSaved(round);
  result.answered = round.answered;
  if (result.outcome != ReadOutcome::kDone) {
    result.seen_due = round.seen_due;
    result.noticed = round.noticed;
  }
  if (result.member_outcome != ReadOutcome::kDone) Count(project, "member_failed");
  if (result.outcome != ReadOutcome::kDone) Count(project, MetricOf(result.outcome));
  if (!result.cause.ok()) round.span.SetError(std::string(result.cause.message()));
  co_return result;
}

awaitable<ReadResult> Reader::ReadUntilSaved(Round& round) {
  std::size_t published = 0;
  for (int lost_rounds = 0; lost_rounds <= kMaxLostRounds; ++lost_rounds) {
    Tried tried = co_await TryOnce(round);
    published += tried.result.published;
    if (tried.next == Tried::Next::kAgain) continue;
    tried.result.published = published;
    co_return std::move(tried.result);
  }
  co_return InfrastructureFailure(
      absl::UnavailableError("other readers are faster with this family"), published);
}

awaitable<Reader::Tried> Reader::TryOnce(Round& round) {
  absl::StatusOr<ports::FamilyState> state =
      co_await ports_.snapshots.Load(round.key, MakeContext(round, kStoreTimeout));
  if (!state.ok()) co_return Ended(InfrastructureFailure(state.status()));
  round.seen_due = state->due;
  round.noticed = NoticeToKeep(round.request.noticed_at, round.request.trusted, *state);

  if (state->outbox) {
    Tried published = co_await Publish(round, *state->outbox, state->outbox_version, state->epoch);
    if (published.result.outcome != ReadOutcome::kDone) co_return published;
    TB_TEST_HOOK("events.after_pending_outbox");
    // What was saved is still the truth, unless another moved on.
    published.next = Tried::Next::kAgain;
    co_return published;
  }
  if (state->root && state->version == 0) {
    ReadResult forwarded = co_await Forward(round, *state, *state->root);
    co_return Ended(std::move(forwarded));
  }

  if (round.last_asked) {
    const Millis since =
        std::chrono::duration_cast<Millis>(ports_.clock.BootNow() - *round.last_asked);
    if (since < kReadSpacing) co_await ports_.clock.Sleep(kReadSpacing - since);
  }
  round.last_asked = ports_.clock.BootNow();
  co_return co_await ReadAndSave(round, *state);
}

awaitable<Reader::Tried> Reader::ReadAndSave(Round& round, const ports::FamilyState& state) {
  const bool unknown = !IsKnown(state) && !round.request.trusted;
  if (round.request.put_off) {
    co_return Ended({.outcome = ReadOutcome::kPutOff, .unknown = unknown});
  }
  const ReadBudget::Share share = unknown ? ReadBudget::Share::kUnknown : ReadBudget::Share::kKnown;
  FetchedOrder root =
      co_await fetcher_.Fetch({.project = round.project,
                               .order = round.key.root,
                               .state = state.version > 0 ? &state.snapshot.root() : nullptr,
                               .share = share,
                               .believe_older = round.request.believe_older,
                               .trace = round.span.context()});
  if (IsAnswer(root.outcome)) round.answered = true;
  if (root.outcome != ReadOutcome::kDone) {
    co_return Ended({.outcome = root.outcome,
                     .cause = root.cause,
                     .settled = IsSettled(state, ports_.clock.WallNow(), settings_),
                     .unknown = unknown});
  }
  if (state.version == 0 && !domain::ParentOf(root.order).empty()) {
    const WallTime now = ports_.clock.WallNow();
    const bool old = IsOld(root.order, FirstNoticed(round.request.noticed_at, state), now);
    const RootFinder::Found found =
        co_await root_finder_.Find({.project = round.project,
                                    .order = round.key.root,
                                    .parent_may_be_gone = round.request.parent_may_be_gone && old,
                                    .trace = round.span.context()},
                                   root.order);
    if (found.outcome != ReadOutcome::kDone) {
      co_return Ended({.outcome = found.outcome,
                       .cause = found.cause,
                       .no_parent = found.no_parent,
                       .settled = IsSettled(state, now, settings_)});
    }
    if (found.root != round.key.root) {
      ReadResult forwarded = co_await Forward(round, state, found.root);
      co_return Ended(std::move(forwarded));
    }
  }
  if (state.version == 0) {
    std::optional<ReadResult> orphan =
        co_await SetOrphanAside(round, root.order, state.entry.own_checkout);
    if (orphan) co_return Ended(*std::move(orphan));
  }

  FamilyRound family({.fetcher = fetcher_,
                      .snapshots = ports_.snapshots,
                      .orphans = orphans_,
                      .clock = ports_.clock},
                     {.project = round.project,
                      .key = round.key,
                      .state = state,
                      .named = round.request.members,
                      .thorough = round.request.thorough,
                      .all = state.tell_again.has_value(),
                      .believe_older = round.request.believe_older,
                      .trace = round.span.context()});
  ReadResult members = co_await family.Run(std::move(root.order));
  if (members.outcome != ReadOutcome::kDone) co_return Ended(std::move(members));
  TB_TEST_HOOK("events.after_read");
  Tried tried = co_await DecideAndSave(round, state, family);
  const bool done = tried.next == Tried::Next::kEnded && tried.result.outcome == ReadOutcome::kDone;
  tried.result.partial = done && family.more();
  if (done && family.failure() != nullptr) {
    tried.result.member_outcome = family.failed_outcome();
    tried.result.member_cause = *family.failure();
  }
  co_return tried;
}

awaitable<ReadResult> Reader::Forward(const Round& round, const ports::FamilyState& state,
                                      Uuid root) {
  if (round.request.hops >= kMaxForwards) {
    co_return ReadResult{
        .outcome = ReadOutcome::kFailed,
        .cause = absl::FailedPreconditionError("the links of its orders lead from root to root")};
  }
  std::vector<Uuid> named = round.request.members;
  named.push_back(round.key.root);
  for (const Uuid& member : named) {
    const absl::Status hinted = co_await WriteHint(round, state, root, member);
    if (!hinted.ok()) co_return InfrastructureFailure(hinted);
  }
  TB_TEST_HOOK("events.after_forward");
  // Whoever has the member come again meanwhile, since its root cannot be read, has moved it.
  const absl::Status noted =
      co_await ports_.snapshots.NoteMember({.member = round.key,
                                            .root = root,
                                            .seen_due = state.due,
                                            .retention = settings_.snapshot_retention},
                                           MakeContext(round, kStoreTimeout));
  if (!noted.ok()) co_return InfrastructureFailure(noted);
  TB_TEST_HOOK("events.after_note");
  Count(round.project, "forwarded");
  co_return ReadResult{};
}

AsyncStatus Reader::WriteHint(const Round& round, const ports::FamilyState& state, Uuid root,
                              Uuid member) {
  const ports::FamilyKey key{.project = round.key.project, .root = root};
  const v1::Hint hint = MemberHint(round.request, state, key, member, ports_.clock.WallNow());
  absl::Status appended = co_await ports_.hint_log.Append(hint, MakeContext(round, kHintTimeout));
  if (appended.ok()) ports_.metrics.Get(telemetry::kHints, {"member"}).Increment();
  co_return appended;
}

awaitable<std::optional<ReadResult>> Reader::SetOrphanAside(const Round& round, const Order& order,
                                                            bool own_checkout) {
  const absl::StatusOr<bool> orphan =
      co_await orphans_.IsUnpaidOrphan(round.key, order, round.span.context());
  if (!orphan.ok()) co_return InfrastructureFailure(orphan.status());
  if (!*orphan) co_return std::nullopt;
  const OrderAge age = AgeOf(order, domain::Decide(order, own_checkout).final);
  co_return ReadResult{.outcome = ReadOutcome::kOrphan,
                       .look_again = NextDue({&age, 1}, ports_.clock.WallNow(), settings_)};
}

awaitable<Reader::Tried> Reader::DecideAndSave(const Round& round, const ports::FamilyState& state,
                                               const FamilyRound& family) {
  const WallTime now = ports_.clock.WallNow();
  std::vector<domain::OrderRead> reads;
  for (const FamilyOrder& each : family.orders()) {
    reads.push_back({.id = each.id,
                     .order = each.order.get(),
                     .capture_mode_sent = !each.entry.capture_mode.empty(),
                     .own_checkout = each.entry.own_checkout,
                     .named = std::ranges::find(round.request.members, each.id) !=
                              round.request.members.end()});
  }
  const bool holds = round.request.wait_for_members && LacksOpenMember(family, state, round.key);
  // Of the whole family at once, when all of it can be read.
  const bool tells_again = state.version > 0 && state.tell_again && !holds;
  const EventTopic& topic = TopicOf(round, state, family);
  const domain::FamilyRead read{.snapshot = state.version > 0 ? &state.snapshot : nullptr,
                                .root = round.key.root,
                                .orders = reads,
                                .now = now,
                                .noticed = FirstNoticed(round.request.noticed_at, state),
                                .baseline_window = settings_.baseline_window,
                                .new_stream = ports_.rng.NewUuid(),
                                .epoch = state.epoch,
                                .doubted_from = state.doubted_from,
                                .tell_again = tells_again ? state.tell_again : std::nullopt,
                                .topic = topic.mark,
                                .hold_members = holds};
  if (round.request.wait_for_members && domain::KindIsUncertain(read)) {
    co_return Ended({.outcome = ReadOutcome::kFailed,
                     .cause = absl::FailedPreconditionError(
                         "a member that may tell the kind of its root cannot be read")});
  }
  domain::FamilyDiff diff = domain::DiffFamily(read);
  // Who is held back has his turn again.
  const std::string& cycle_after = holds ? state.snapshot.cycle_after() : family.cycle_after();
  if (cycle_after.empty()) {
    diff.snapshot.clear_cycle_after();
  } else {
    diff.snapshot.set_cycle_after(cycle_after);
  }

  ports::SaveRequest request;
  request.key = round.key;
  request.expected_version = state.version;
  request.seen_capture_mode = state.entry.capture_mode;
  request.seen_own_checkout = state.entry.own_checkout;
  request.outbox = MakeOutbox(round, state, family, diff, {.topic = topic.name, .now = now});
  request.noticed_at = now;
  // The others come at once, as soon as the project's reads allow.
  request.next_due = family.more()
                         ? now + fetcher_.RetryDelay(round.project, ReadBudget::Share::kKnown)
                         : NextDue(family, round.key.root, diff.snapshot, now, settings_);
  request.snapshot = std::move(diff.snapshot);
  request.seen_due = state.due;
  request.seen_tell_again = state.tell_again;
  request.tell_again = state.tell_again;
  if (tells_again) {
    const bool more = family.more() || !family.cycle_after().empty() || family.LacksTold();
    if (more) {
      request.tell_again->begun = true;
    } else {
      request.tell_again.reset();
      domain::ForgetToldAgain(&request.snapshot);
      // Once more, so that a family that was settled is again.
      if (!request.next_due) request.next_due = now + settings_.longest_read_interval;
    }
  }
  request.retention = settings_.snapshot_retention;
  absl::StatusOr<ports::SaveVerdict> verdict =
      co_await ports_.snapshots.Save(request, MakeContext(round, kStoreTimeout));
  if (!verdict.ok()) co_return Ended(InfrastructureFailure(verdict.status()));
  if (*verdict != ports::SaveVerdict::kSaved) {
    Count(round.project, "lost_compare");
    co_return Tried{.next = Tried::Next::kAgain, .result = {}};
  }

  TB_TEST_HOOK("events.after_save");
  NoteUntold(round, diff.untold);
  Count(round.project, diff.events.empty() ? "unchanged" : "changed");
  Tried tried = Ended({});
  if (!diff.events.empty()) {
    tried = co_await Publish(round, request.outbox, state.version + 1, state.epoch);
  }
  tried.result.settled = !request.next_due;
  co_return tried;
}

const EventTopic& Reader::TopicOf(const Round& round, const ports::FamilyState& state,
                                  const FamilyRound& family) const {
  static const ProjectTopics kUnnamed;
  const auto configured = settings_.topics.find(round.project.name);
  const ProjectTopics& topics =
      configured == settings_.topics.end() ? kUnnamed : configured->second;
  if (!state.snapshot.stream().empty()) {
    for (const EventTopic* each : {&topics.events, &topics.test_orders}) {
      if (each->mark == state.snapshot.topic()) return *each;
    }
  }
  const auto root = std::ranges::find(family.orders(), round.key.root, &FamilyOrder::id);
  const bool test = root != family.orders().end() && root->order && IsTestOrder(*root->order);
  return test ? topics.test_orders : topics.events;
}

void Reader::NoteUntold(const Round& round, const std::vector<domain::Untold>& untold) {
  if (untold.empty()) return;
  ports_.metrics.Get(telemetry::kEventsUntold, {"before_baseline"})
      .Increment(static_cast<double>(untold.size()));
  const std::optional<std::uint64_t> count = untold_.Count(ports_.clock.BootNow(), untold.size());
  if (!count) return;
  const domain::Untold& first = untold.front();
  telemetry::Log(telemetry::Severity::kInfo, "event_not_published",
                 {telemetry::OrderId(first.order.ToString()),
                  {"project", round.key.project},
                  {"type", domain::EventType(first.kind, first.what)},
                  {"occurred_at", domain::ToRfc3339(first.occurred_at)},
                  {"cause", "before_baseline"},
                  {"count", *count},
                  telemetry::Trace(round.span.context())});
}

storage::v1::Outbox Reader::MakeOutbox(const Round& round, const ports::FamilyState& state,
                                       const FamilyRound& family, const domain::FamilyDiff& diff,
                                       const Publication& publication) const {
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
                  .noticed_at = publication.now});
    const telemetry::Span span = StartCreation(event, round.span.context(), origin);
    *outbox.add_entries() =
        MakeOutboxEntry(std::move(event),
                        {.traceparent = span.context().ToTraceparent(),
                         .tracestate = std::string(span.context().ToTracestate()),
                         .origin_traceparent = origin ? creator : std::string()},
                        {.encoding = settings_.encoding,
                         .schema_id = settings_.schema_id,
                         .topic = publication.topic});
  }
  return outbox;
}

awaitable<Reader::Tried> Reader::Publish(const Round& round, const storage::v1::Outbox& outbox,
                                         std::uint64_t version, const std::string& epoch) {
  std::size_t published = 0;
  // One after the other's delivery report: in order, or not at all.
  for (const storage::v1::OutboxEntry& entry : outbox.entries()) {
    const absl::StatusOr<ports::EventPlace> delivered =
        co_await ports_.event_log.Publish(entry, MakeContext(round, kPublishTimeout));
    if (!delivered.ok()) {
      refused_.Note(round.key, entry, delivered.status());
      ReadResult result = InfrastructureFailure(delivered.status(), published);
      result.pending = true;
      co_return Ended(std::move(result));
    }
    TB_TEST_HOOK("events.after_publish_one");
    ++published;
    const auto [kind, what] = KindAndWhat(entry);
    ports_.metrics.Get(telemetry::kEventsPublished, {kind, what}).Increment();
    if (const std::optional<WallTime> happened = HappenedAt(entry)) {
      const std::chrono::duration<double> since = ports_.clock.WallNow() - *happened;
      ports_.metrics.Get(telemetry::kChangeToEvent, {round.request.source})
          .Observe(std::max(0.0, since.count()));
    }
    telemetry::Log(telemetry::Severity::kInfo, "event_published",
                   {telemetry::OrderId(entry.key()),
                    {"event_id", entry.id()},
                    {"kind", kind},
                    {"what", what},
                    {"sequence", entry.sequence()},
                    {"partition", delivered->partition},
                    {"offset", delivered->offset},
                    telemetry::Trace(round.span.context())});
  }
  if (round.request.webhook_accepted) {
    const std::chrono::duration<double> took =
        ports_.clock.WallNow() - *round.request.webhook_accepted;
    ports_.metrics.Get(telemetry::kWebhookToEvent).Observe(std::max(0.0, took.count()));
  }
  TB_TEST_HOOK("events.after_publish");
  const absl::StatusOr<bool> cleared = co_await ports_.snapshots.ClearOutbox(
      round.key, version, epoch, MakeContext(round, kStoreTimeout));
  if (!cleared.ok()) co_return Ended(InfrastructureFailure(cleared.status(), published));
  TB_TEST_HOOK("events.after_clear");
  // Another has, or the store is of another epoch and has kept it: it would be pending for as long
  // as nobody reads the family, and hold the heartbeats back.
  co_return Tried{.next = *cleared ? Tried::Next::kEnded : Tried::Next::kAgain,
                  .result = {.published = published}};
}

}  // namespace tollbridge::events
