// What becomes of a family in which something is wrong.

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "base/core/status_macros.h"
#include "services/domain/event_id.h"
#include "services/domain/occurred_at.h"
#include "services/domain/published.h"
#include "services/domain/timestamps.h"
#include "services/reconcile/events_audit.h"
#include "services/reconcile/snapshot_facts.h"

namespace tollbridge::reconcile {

using domain::ToldOutcome;

bool EventsAudit::CreatedIsLost(const Suspect& suspect, const Uuid& project,
                                const storage::v1::Snapshot& snapshot) {
  constexpr auto kCreated = events::v1::EVENT_WHAT_CREATED;
  const std::uint32_t times = domain::TimesPublished(snapshot.root(), kCreated);
  if (times == 0) return false;
  for (int kind = events::v1::EventKind_MIN; kind <= events::v1::EventKind_MAX; ++kind) {
    if (suspect.HasId(domain::EventId(project, suspect.root,
                                      static_cast<events::v1::EventKind>(kind), kCreated, times))) {
      return false;
    }
  }
  return true;
}

AsyncStatus EventsAudit::Judge(Suspect suspect) {
  ports::FamilyKey key{.project = {}, .root = suspect.root};
  ports::FamilyState state;
  const domain::Project* project =
      suspect.project < projects_.size() ? projects_[suspect.project] : nullptr;
  if (project != nullptr) {
    key.project = project->name;
    TB_CO_ASSIGN_OR_RETURN(state, co_await ports_.snapshots.Load(key, Within()));
  }
  // What the beginning of its stream lacks may have been removed meanwhile.
  if (suspect.family != nullptr && suspect.family->whole && !reach_->HasAllOf(state)) {
    IndexedFamily now = *suspect.family;
    now.whole = false;
    suspect.faults = FaultsOf(suspect, &now);
  }
  const std::optional<Uuid> stream = Uuid::FromBytes(state.snapshot.stream());
  const auto has_gone_on = [&stream](const StreamFault& fault) {
    return fault.told_again || (stream && ShortOf(*stream) != fault.stream);
  };
  const bool gap_left_behind = std::ranges::any_of(suspect.faults, [&](const StreamFault& fault) {
    return fault.fault == EventFault::kGap && has_gone_on(fault);
  });
  const Scope scope = ScopeOf(suspect, state);
  Missing missing;
  if (project != nullptr) {
    TB_CO_ASSIGN_OR_RETURN(missing,
                           co_await FindMissing(suspect, *project, state, scope, gap_left_behind));
  }
  // A family that went on while the topic was read is judged by the next audit.
  const bool stands = stream && suspect.family != nullptr &&
                      suspect.family->stream == ShortOf(*stream) &&
                      suspect.family->sequence == state.snapshot.sequence();
  const bool lacks =
      !missing.findings.empty() || (gap_left_behind && scope.all && stands &&
                                    CreatedIsLost(suspect, project->id, state.snapshot));
  std::vector<EventFinding> findings;
  for (const StreamFault& fault : suspect.faults) {
    EventFinding finding = FindingOf(fault, key);
    if (has_gone_on(fault)) {
      finding.state = FaultState::kToldAgain;
      if (fault.fault == EventFault::kGap && missing.too_old) finding.state = FaultState::kTooOld;
      if (fault.fault == EventFault::kGap && lacks) finding.state = FaultState::kOpen;
    }
    findings.push_back(std::move(finding));
  }
  if (suspect.numbers_missing && state.snapshot.sequence() > 0 && reach_->HasAllOf(state)) {
    findings.push_back(MissingFromTheFirst(state));
  }
  std::ranges::move(missing.findings, std::back_inserter(findings));
  // One that is published and was only not cleared makes copies at worst.
  const std::set<std::string> pending = IdsOf(state.outbox);
  if (suspect.unpublished && std::ranges::any_of(pending, [&](const std::string& text) {
        const std::optional<Uuid> id = Uuid::Parse(text);
        return !id || !suspect.HasId(*id);
      })) {
    findings.push_back({.fault = EventFault::kUnpublished, .family = key});
  }
  std::vector<EventFinding> open;
  for (EventFinding& finding : findings) {
    if (finding.state != FaultState::kOpen) continue;
    if (state.version == 0 && !state.outbox) finding.state = FaultState::kNoSnapshot;
    if (finding.state == FaultState::kOpen) open.push_back(finding);
  }
  bool asked = state.tell_again.has_value();
  if (settings_.repair && !open.empty()) {
    TB_CO_ASSIGN_OR_RETURN(asked, co_await Mend(key, state, open, scope.from));
  }
  for (EventFinding& finding : findings) {
    if (finding.state == FaultState::kOpen && asked) finding.state = FaultState::kAsked;
    ++summary_.faults[{finding.fault, finding.state}];
    on_finding_(finding);
  }
  co_return absl::OkStatus();
}

EventsAudit::Scope EventsAudit::ScopeOf(const Suspect& suspect,
                                        const ports::FamilyState& state) const {
  const std::optional<Uuid> stream = Uuid::FromBytes(state.snapshot.stream());
  const bool from_the_first =
      stream && AllIsInPresentStream(state.snapshot) &&
      std::any_of(suspect.begin, suspect.end, [short_stream = ShortOf(*stream)](const auto& event) {
        return event.stream == short_stream && event.sequence == 1;
      });
  const bool all = from_the_first || reach_->HasAllOf(state);
  const bool gap = std::ranges::find(suspect.faults, EventFault::kGap, &StreamFault::fault) !=
                   suspect.faults.end();
  const bool nothing_is_there = suspect.begin == suspect.end;
  // Numbers that are lost were told in the time, whenever it was that something happened.
  Scope scope{.horizon = all ? WallTime::min() : reach_->Of(state),
              .all = all && (gap || !settings_.from || LifeOf(state) >= *settings_.from),
              .from = {}};
  if (settings_.from && !gap) {
    const WallTime from =
        nothing_is_there ? *settings_.from - settings_.baseline_window : *settings_.from;
    scope.horizon = std::max(scope.horizon, from);
  }
  if (!scope.all && !(all && nothing_is_there)) scope.from = scope.horizon;
  return scope;
}

EventFinding EventsAudit::FindingOf(const StreamFault& fault, const ports::FamilyKey& key) const {
  const ports::EventPartition& place =
      reach_->partitions().at(static_cast<std::size_t>(fault.partition));
  return {.fault = fault.fault,
          .state = FaultState::kOpen,
          .family = key,
          .order = std::nullopt,
          .type = {},
          .sequence = fault.sequence,
          .topic = place.topic,
          .partition = place.number,
          .offset = fault.offset};
}

EventFinding EventsAudit::MissingFromTheFirst(const ports::FamilyState& state) const {
  EventFinding gap{.fault = EventFault::kGap,
                   .family = state.entry.key,
                   .order = std::nullopt,
                   .type = {},
                   .sequence = 1};
  if (const ports::EventPartition* place = reach_->PlaceOf(state)) {
    gap.topic = place->topic;
    gap.partition = place->number;
    gap.offset = place->end;
  }
  return gap;
}

Async<EventsAudit::Missing> EventsAudit::FindMissing(const Suspect& suspect,
                                                     const domain::Project& project,
                                                     const ports::FamilyState& state,
                                                     const Scope& scope, bool gap_left_behind) {
  Missing missing;
  for (const ToldOutcome& told : domain::ToldOutcomes(project, suspect.root, state.snapshot)) {
    const std::uint64_t id = ShortOf(told.id);
    const bool early = std::ranges::find(suspect.early, id) != suspect.early.end();
    if (!early && std::ranges::find(suspect.missing, id) == suspect.missing.end()) continue;
    const absl::StatusOr<Verdict> verdict =
        co_await JudgeOutcome(told, project, state, scope, gap_left_behind);
    if (!verdict.ok()) {
      ++summary_.undecided;
      continue;
    }
    const bool is_missing = *verdict == Verdict::kMissing;
    const bool is_older = *verdict == Verdict::kOlder || *verdict == Verdict::kJustTooOld;
    missing.too_old = missing.too_old || *verdict == Verdict::kJustTooOld;
    if (early && is_missing) {
      --summary_.older;
      ++summary_.outcomes;
    } else if (!early && !is_missing) {
      --summary_.outcomes;
      if (is_older) ++summary_.older;
    }
    if (!is_missing) continue;
    missing.findings.push_back({.fault = EventFault::kMissing,
                                .state = FaultState::kOpen,
                                .family = state.entry.key,
                                .order = told.order,
                                .type = domain::EventType(told.state->kind(), told.what)});
  }
  co_return missing;
}

Async<EventsAudit::Verdict> EventsAudit::JudgeOutcome(const ToldOutcome& told,
                                                      const domain::Project& project,
                                                      const ports::FamilyState& state,
                                                      const Scope& scope, bool gap_left_behind) {
  const std::optional<WallTime> modified = ModifiedOf(*told.state);
  // What happened shortly before it may have been told, and lost, behind it.
  const auto is_older = [&](WallTime time) { return !scope.all && time < scope.horizon; };
  const auto is_just_older = [&](WallTime time) {
    return gap_left_behind && time + settings_.baseline_window >= scope.horizon;
  };
  if (modified && is_older(*modified) && !is_just_older(*modified)) co_return Verdict::kOlder;
  // What was changed after that time may have happened in it.
  const bool later = settings_.to && (!modified || *modified > *settings_.to);
  // What was told of a family happened in its life, or not long before it.
  if (!later && !is_older(LifeOf(state) - settings_.baseline_window)) co_return Verdict::kMissing;
  TB_CO_ASSIGN_OR_RETURN(const WallTime when, co_await AskWhen(project, told));
  if (is_older(when)) co_return is_just_older(when) ? Verdict::kJustTooOld : Verdict::kOlder;
  const bool after = settings_.to.has_value() && when > *settings_.to;
  co_return after ? Verdict::kLater : Verdict::kMissing;
}

Async<WallTime> EventsAudit::AskWhen(const domain::Project& project, const ToldOutcome& outcome) {
  const std::string order_id = outcome.order.ToString();
  TB_CO_ASSIGN_OR_RETURN(const common::v1::Order order,
                         co_await ports_.payment_service.GetOrder(project, order_id, Within()));
  const events::v1::EventWhat shown = outcome.what == events::v1::EVENT_WHAT_NEEDS_REVIEW
                                          ? domain::ReviewIsAbout(order, *outcome.state)
                                          : outcome.what;
  co_return domain::OccurredAt(order, shown, ports_.clock.WallNow());
}

Async<bool> EventsAudit::Mend(const ports::FamilyKey& key, const ports::FamilyState& state,
                              const std::vector<EventFinding>& open, WallTime from) {
  const WallTime now = ports_.clock.WallNow();
  const bool unpublished =
      std::ranges::find(open, EventFault::kUnpublished, &EventFinding::fault) != open.end();
  bool asked = false;
  if (unpublished && (!state.due || *state.due > now)) {
    // The reader publishes it before anything else.
    TB_CO_RETURN_IF_ERROR(co_await ports_.due_queue.Enter(key, now, Within()));
    asked = true;
  }
  if (open.size() > (unpublished ? 1U : 0U)) {
    TB_CO_ASSIGN_OR_RETURN(
        const ports::TellAgainVerdict verdict,
        co_await ports_.snapshots.AskToTellAgain({.key = key,
                                                  .what = {.from = from},
                                                  .due = now,
                                                  .retention = settings_.snapshot_retention},
                                                 Within()));
    asked = asked || verdict == ports::TellAgainVerdict::kAsked;
    if (verdict == ports::TellAgainVerdict::kUnknown) co_return false;
  }
  if (asked) ++summary_.asked;
  co_return true;
}

}  // namespace tollbridge::reconcile
