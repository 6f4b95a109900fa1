#include "services/reconcile/events_audit.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/core/status_macros.h"
#include "services/domain/event_id.h"
#include "services/domain/event_payload.h"
#include "services/domain/occurred_at.h"
#include "services/domain/outbox_header.h"
#include "services/domain/timestamps.h"

namespace tollbridge::reconcile {
namespace {

using domain::ToldOutcome;

constexpr std::chrono::seconds kTimeout{30};
constexpr std::uint64_t kReportEach = 10'000;

std::optional<WallTime> ModifiedOf(const storage::v1::OrderState& state) {
  if (!state.has_modified()) return std::nullopt;
  return domain::ToWallTime(state.modified());
}

std::set<std::string> IdsOf(const std::optional<storage::v1::Outbox>& outbox) {
  std::set<std::string> ids;
  if (!outbox) return ids;
  for (const storage::v1::OutboxEntry& entry : outbox->entries()) ids.insert(entry.id());
  return ids;
}

/// When the outbox was decided; nullopt for one that cannot be read.
std::optional<WallTime> DecidedAt(const storage::v1::Outbox& outbox) {
  if (outbox.entries().empty()) return std::nullopt;
  const storage::v1::OutboxEntry& first = outbox.entries(0);
  const auto event = domain::ReadEvent(domain::HeaderOf(first, "content-type"), first.payload());
  if (!event) return std::nullopt;
  return domain::ToWallTime(event->noticed_at());
}

/// Last number of the snapshot's stream that is not in its outbox.
std::uint32_t LastPublished(const ports::FamilyState& family) {
  std::uint64_t last = family.snapshot.sequence();
  if (family.outbox) {
    for (const storage::v1::OutboxEntry& entry : family.outbox->entries()) {
      if (entry.sequence() > 0) last = std::min(last, entry.sequence() - 1);
    }
  }
  return static_cast<std::uint32_t>(last);
}

bool HasId(Events begin, Events end, std::uint64_t id) {
  return std::find_if(begin, end, [id](const IndexedEvent& event) { return event.id == id; }) !=
         end;
}

}  // namespace

std::string_view NameOf(FaultState state) {
  switch (state) {
    case FaultState::kOpen:
      return "open";
    case FaultState::kAsked:
      return "asked";
    case FaultState::kToldAgain:
      return "told_again";
    case FaultState::kNoSnapshot:
      return "no_snapshot";
  }
  return {};
}

std::uint64_t AuditSummary::open() const {
  std::uint64_t count = 0;
  for (const auto& [fault, number] : faults) {
    if (fault.second != FaultState::kToldAgain) count += number;
  }
  return count;
}

EventsAudit::EventsAudit(const Ports& ports, std::vector<const domain::Project*> projects,
                         const Settings& settings, OnFinding on_finding, OnProgress on_progress)
    : ports_(ports),
      projects_(std::move(projects)),
      settings_(settings),
      on_finding_(std::move(on_finding)),
      on_progress_(std::move(on_progress)) {
  for (std::size_t i = 0; i < projects_.size(); ++i) {
    project_numbers_[projects_[i]->name] = static_cast<std::uint32_t>(i);
  }
}

ports::Context EventsAudit::Within() const {
  return {.deadline = ports_.clock.BootNow() + ports::Millis(kTimeout), .trace = {}};
}

void EventsAudit::Report(std::string_view what, std::uint64_t count) {
  if (count % kReportEach == 0) on_progress_(what, count);
}

WallTime EventsAudit::HorizonOf(std::size_t partition) const {
  const ports::EventPartition& own = partitions_.at(partition);
  const WallTime from = settings_.from.value_or(WallTime::min());
  // What was removed is not known to have been there.
  if (own.first > 0) return std::max(from, own.first_written.value_or(begun_));
  if (settings_.from) return from;
  // Nothing was: the topic is as old as what lies longest on it.
  WallTime oldest = begun_;
  for (const ports::EventPartition& each : partitions_) {
    if (each.topic == own.topic && each.first_written) {
      oldest = std::min(oldest, *each.first_written);
    }
  }
  return oldest;
}

bool EventsAudit::MayBeOn(const std::string& topic, const ports::FamilyState& family) const {
  const auto found = settings_.topics.find(family.entry.key.project);
  if (found == settings_.topics.end()) return true;
  const std::vector<Topic>& topics = found->second;
  // It stays on one for as long as that is its project's.
  const auto own = std::ranges::find(topics, family.snapshot.topic(), &Topic::mark);
  if (!family.snapshot.stream().empty() && own != topics.end()) return own->name == topic;
  return std::ranges::find(topics, topic, &Topic::name) != topics.end();
}

WallTime EventsAudit::HorizonOf(const ports::FamilyState& family) const {
  // Where it is not known on which of them a family is: what one of them does not reach back to may
  // have been there.
  WallTime latest = WallTime::min();
  for (const std::size_t partition : ports_.topic.PartitionsOf(family.entry.key.root.ToString())) {
    if (!MayBeOn(partitions_.at(partition).topic, family)) continue;
    latest = std::max(latest, HorizonOf(partition));
  }
  return latest;
}

absl::Status EventsAudit::LookAgain() {
  TB_ASSIGN_OR_RETURN(std::vector<ports::EventPartition> now, ports_.topic.Look());
  if (now.size() != partitions_.size()) {
    return absl::UnavailableError("the topics of events have other partitions now: begin again");
  }
  partitions_ = std::move(now);
  return absl::OkStatus();
}

Async<AuditSummary> EventsAudit::Run() {
  begun_ = ports_.clock.WallNow();
  absl::StatusOr<std::vector<ports::EventPartition>> partitions = ports_.topic.Look();
  TB_CO_RETURN_IF_ERROR(partitions.status());
  partitions_ = *std::move(partitions);
  if (partitions_.empty()) co_return absl::NotFoundError("the topics of events have no partitions");
  std::uint64_t records = 0;
  for (const ports::EventPartition& each : partitions_) {
    records += static_cast<std::uint64_t>(each.end - each.first);
  }
  const std::size_t slices = records / settings_.most_events + 1;
  for (std::size_t slice = 0; slice < slices; ++slice) {
    index_ = EventIndex();
    TB_CO_RETURN_IF_ERROR(co_await RunSlice(slice, slices));
  }
  co_return summary_;
}

AsyncStatus EventsAudit::RunSlice(std::size_t slice, std::size_t slices) {
  // In this order: what a snapshot says was told is on the topic, which is read up to its end then.
  TB_CO_RETURN_IF_ERROR(co_await WalkFamilies(slice, slices));
  TB_CO_RETURN_IF_ERROR(co_await ports_.topic.Read(
      [this, slice, slices](const auto& record) { TakeEvent(record, slice, slices); }));
  TB_CO_RETURN_IF_ERROR(LookAgain());
  index_.Sort();
  co_return co_await JudgeAll();
}

AsyncStatus EventsAudit::WalkFamilies(std::size_t slice, std::size_t slices) {
  for (std::size_t i = 0; i < projects_.size(); ++i) {
    std::string cursor;
    do {
      TB_CO_ASSIGN_OR_RETURN(ports::FamilyPage page,
                             co_await ports_.families.Next(projects_[i]->name, cursor, Within()));
      for (const ports::FamilyState& family : page.families) {
        if (!EventIndex::IsIn(family.entry.key.root, slice, slices)) continue;
        TakeFamily(family, static_cast<std::uint32_t>(i));
      }
      cursor = std::move(page.next);
    } while (!cursor.empty());
  }
  co_return absl::OkStatus();
}

void EventsAudit::TakeFamily(const ports::FamilyState& family, std::uint32_t project) {
  Report("families", ++summary_.families);
  const Uuid& root = family.entry.key.root;
  if (family.outbox) {
    const std::optional<WallTime> decided = DecidedAt(*family.outbox);
    if (!decided || begun_ - *decided > settings_.late_outbox) {
      index_.outcomes.push_back({.root = root, .id = kLateOutbox, .project = project});
    }
  }
  const WallTime horizon = HorizonOf(family);
  const std::set<std::string> pending = IdsOf(family.outbox);
  const std::vector<ToldOutcome> all =
      domain::ToldOutcomes(*projects_[project], root, family.snapshot);
  for (const ToldOutcome& told : all) {
    const std::optional<WallTime> modified = ModifiedOf(*told.state);
    // An order is not modified before what happens to it.
    if (modified && *modified < horizon) {
      ++summary_.older;
      continue;
    }
    if (pending.contains(told.id.ToString())) continue;
    ++summary_.outcomes;
    index_.outcomes.push_back({.root = root, .id = ShortOf(told.id), .project = project});
  }
  const std::optional<Uuid> stream = Uuid::FromBytes(family.snapshot.stream());
  if (!stream) return;
  index_.families.push_back({.root = root,
                             .stream = ShortOf(*stream),
                             .sequence = LastPublished(family),
                             .project = project});
  // Where all of it is missing nothing shows a gap. What is told of a family is so in its life.
  const WallTime life = WallTime(std::chrono::seconds(family.snapshot.began()));
  const bool in_time = life >= horizon && (!settings_.to || life <= *settings_.to);
  if (all.empty() && LastPublished(family) > 0 && in_time) {
    index_.outcomes.push_back({.root = root, .id = kNumbers, .project = project});
  }
}

void EventsAudit::TakeEvent(const ports::EventRecord& record, std::size_t slice,
                            std::size_t slices) {
  if (record.type == domain::kHeartbeatType) return;
  const auto event = domain::ReadEvent(record.content_type, record.value);
  const std::optional<Uuid> root = event ? Uuid::Parse(event->root_order_id()) : std::nullopt;
  const std::optional<Uuid> id = event ? Uuid::Parse(event->id()) : std::nullopt;
  const std::optional<Uuid> stream = event ? Uuid::Parse(event->stream()) : std::nullopt;
  if (!root || !id || !stream || event->sequence() == 0) {
    if (slice == 0) ++summary_.unreadable;
    return;
  }
  if (!EventIndex::IsIn(*root, slice, slices)) return;
  const auto project = project_numbers_.find(event->project());
  if (project == project_numbers_.end() && settings_.only_these) return;
  Report("events", ++summary_.events);
  const bool in_time = (!settings_.from || record.written >= *settings_.from) &&
                       (!settings_.to || record.written <= *settings_.to);
  index_.events.push_back(
      {.root = *root,
       .stream = ShortOf(*stream),
       .id = ShortOf(*id),
       .offset = record.offset,
       .sequence = static_cast<std::uint32_t>(event->sequence()),
       .digest = static_cast<std::uint32_t>(std::hash<std::string>()(record.value)),
       .partition = record.partition,
       .project = project == project_numbers_.end() ? kNoProject : project->second,
       .in_time = in_time});
}

AsyncStatus EventsAudit::JudgeAll() {
  const auto is_whole = [this](std::int32_t partition) {
    return partitions_.at(static_cast<std::size_t>(partition)).first == 0;
  };
  Events event = index_.events.cbegin();
  auto family = index_.families.cbegin();
  auto outcome = index_.outcomes.cbegin();
  while (event != index_.events.cend() || outcome != index_.outcomes.cend()) {
    Suspect suspect;
    const bool by_event = outcome == index_.outcomes.cend() ||
                          (event != index_.events.cend() && event->root <= outcome->root);
    suspect.root = by_event ? event->root : outcome->root;
    suspect.begin = event;
    for (; event != index_.events.cend() && event->root == suspect.root; ++event) {
      suspect.project = event->project;
    }
    suspect.end = event;
    while (family != index_.families.cend() && family->root < suspect.root) ++family;
    const bool known = family != index_.families.cend() && family->root == suspect.root;
    if (known) suspect.project = family->project;
    for (; outcome != index_.outcomes.cend() && outcome->root == suspect.root; ++outcome) {
      suspect.project = outcome->project;
      if (outcome->id == kLateOutbox) {
        suspect.unpublished = true;
      } else if (outcome->id == kNumbers) {
        suspect.numbers_missing = suspect.begin == suspect.end;
      } else if (!HasId(suspect.begin, suspect.end, outcome->id)) {
        suspect.missing.push_back(outcome->id);
      }
    }
    if (suspect.begin != suspect.end) {
      suspect.faults =
          CheckStreams(suspect.begin, suspect.end, known ? &*family : nullptr, is_whole);
    }
    if (suspect.faults.empty() && suspect.missing.empty() && !suspect.unpublished &&
        !suspect.numbers_missing) {
      continue;
    }
    TB_CO_RETURN_IF_ERROR(co_await Judge(suspect));
  }
  co_return absl::OkStatus();
}

AsyncStatus EventsAudit::Judge(const Suspect& suspect) {
  ports::FamilyKey key{.project = {}, .root = suspect.root};
  ports::FamilyState state;
  const bool configured = suspect.project != kNoProject;
  if (configured) {
    key.project = projects_[suspect.project]->name;
    TB_CO_ASSIGN_OR_RETURN(state, co_await ports_.snapshots.Load(key, Within()));
  }
  std::vector<EventFinding> findings;
  const std::optional<Uuid> stream = Uuid::FromBytes(state.snapshot.stream());
  for (const StreamFault& fault : suspect.faults) {
    const bool gone_on = stream && ShortOf(*stream) != fault.stream;
    FaultState become = FaultState::kOpen;
    if (fault.told_again || gone_on) become = FaultState::kToldAgain;
    findings.push_back(
        {.fault = fault.fault,
         .state = become,
         .family = key,
         .order = std::nullopt,
         .type = {},
         .sequence = fault.sequence,
         .topic = partitions_.at(static_cast<std::size_t>(fault.partition)).topic,
         .partition = partitions_.at(static_cast<std::size_t>(fault.partition)).number,
         .offset = fault.offset});
  }
  const WallTime life = WallTime(std::chrono::seconds(state.snapshot.began()));
  if (suspect.numbers_missing && state.snapshot.sequence() > 0 && life >= HorizonOf(state)) {
    findings.push_back(MissingFromTheFirst(state));
  }
  if (configured) {
    TB_CO_ASSIGN_OR_RETURN(std::vector<EventFinding> missing,
                           co_await FindMissing(suspect, *projects_[suspect.project], state));
    std::ranges::move(missing, std::back_inserter(findings));
  }
  // One that is published and was only not cleared makes copies at worst.
  const std::set<std::string> pending = IdsOf(state.outbox);
  if (suspect.unpublished && std::ranges::any_of(pending, [&](const std::string& text) {
        const std::optional<Uuid> id = Uuid::Parse(text);
        return !id || !HasId(suspect.begin, suspect.end, ShortOf(*id));
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
    TB_CO_ASSIGN_OR_RETURN(asked, co_await Mend(key, state, open));
  }
  for (EventFinding& finding : findings) {
    if (finding.state == FaultState::kOpen && asked) finding.state = FaultState::kAsked;
    ++summary_.faults[{finding.fault, finding.state}];
    on_finding_(finding);
  }
  co_return absl::OkStatus();
}

EventFinding EventsAudit::MissingFromTheFirst(const ports::FamilyState& state) const {
  EventFinding gap{.fault = EventFault::kGap,
                   .family = state.entry.key,
                   .order = std::nullopt,
                   .type = {},
                   .sequence = 1};
  for (const std::size_t partition : ports_.topic.PartitionsOf(state.entry.key.root.ToString())) {
    const ports::EventPartition& each = partitions_.at(partition);
    if (!MayBeOn(each.topic, state)) continue;
    gap.topic = each.topic;
    gap.partition = each.number;
    gap.offset = each.end;
  }
  return gap;
}

Async<std::vector<EventFinding>> EventsAudit::FindMissing(const Suspect& suspect,
                                                          const domain::Project& project,
                                                          const ports::FamilyState& state) {
  std::vector<EventFinding> missing;
  if (suspect.missing.empty()) co_return missing;
  const WallTime horizon = HorizonOf(state);
  const WallTime life = WallTime(std::chrono::seconds(state.snapshot.began()));
  for (const ToldOutcome& told : domain::ToldOutcomes(project, suspect.root, state.snapshot)) {
    if (std::ranges::find(suspect.missing, ShortOf(told.id)) == suspect.missing.end()) continue;
    const std::optional<WallTime> modified = ModifiedOf(*told.state);
    if (modified && *modified < horizon) {
      --summary_.outcomes;
      ++summary_.older;
      continue;
    }
    // What was changed after that time may have happened in it.
    const bool later = settings_.to && (!modified || *modified > *settings_.to);
    // What was told of a family happened in its life, or not long before it.
    if (later || life - settings_.baseline_window < horizon) {
      const absl::StatusOr<WallTime> when = co_await AskWhen(project, told);
      if (!when.ok()) {
        ++summary_.undecided;
        continue;
      }
      if (*when < horizon) {
        --summary_.outcomes;
        ++summary_.older;
        continue;
      }
      if (settings_.to && *when > *settings_.to) {
        --summary_.outcomes;
        continue;
      }
    }
    missing.push_back({.fault = EventFault::kMissing,
                       .state = FaultState::kOpen,
                       .family = state.entry.key,
                       .order = told.order,
                       .type = domain::EventType(told.state->kind(), told.what)});
  }
  co_return missing;
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
                              const std::vector<EventFinding>& open) {
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
                                                  .what = {.from = HorizonOf(state)},
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
