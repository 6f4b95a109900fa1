#include "services/reconcile/events_audit.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/core/status_macros.h"
#include "services/domain/event_id.h"
#include "services/domain/event_payload.h"
#include "services/reconcile/snapshot_facts.h"

namespace tollbridge::reconcile {
namespace {

using domain::ToldOutcome;

constexpr std::chrono::seconds kTimeout{30};
constexpr std::uint64_t kReportEach = 10'000;

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
    case FaultState::kTooOld:
      return "too_old";
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
    project_numbers_[projects_[i]->name] = static_cast<ProjectNumber>(i);
  }
}

ports::Context EventsAudit::Within() const {
  return {.deadline = ports_.clock.BootNow() + ports::Millis(kTimeout), .trace = {}};
}

void EventsAudit::Report(std::string_view what, std::uint64_t count) {
  if (count % kReportEach == 0) on_progress_(what, count);
}

bool EventsAudit::Suspect::HasId(const Uuid& id) const {
  return std::find_if(begin, end, [short_id = ShortOf(id)](const IndexedEvent& event) {
           return event.id == short_id;
         }) != end;
}

absl::Status EventsAudit::LookAgain() {
  TB_ASSIGN_OR_RETURN(std::vector<ports::EventPartition> now, ports_.topic.Look());
  if (now.size() != reach_->partitions().size()) {
    return absl::UnavailableError("the topics of events have other partitions now: begin again");
  }
  reach_->set_partitions(std::move(now));
  return absl::OkStatus();
}

Async<AuditSummary> EventsAudit::Run() {
  begun_ = ports_.clock.WallNow();
  absl::StatusOr<std::vector<ports::EventPartition>> partitions = ports_.topic.Look();
  TB_CO_RETURN_IF_ERROR(partitions.status());
  if (partitions->empty()) co_return absl::NotFoundError("the topics of events have no partitions");
  std::uint64_t records = 0;
  for (const ports::EventPartition& each : *partitions) {
    records += static_cast<std::uint64_t>(each.end - each.first);
  }
  reach_.emplace(ports_.topic, *std::move(partitions),
                 TopicReach::Scope{.topics = settings_.topics,
                                   .from = settings_.from,
                                   .baseline_window = settings_.baseline_window,
                                   .begun = begun_});
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
        TakeFamily(family, static_cast<ProjectNumber>(i));
      }
      cursor = std::move(page.next);
    } while (!cursor.empty());
  }
  co_return absl::OkStatus();
}

void EventsAudit::TakeFamily(const ports::FamilyState& family, ProjectNumber project) {
  Report("families", ++summary_.families);
  const Uuid& root = family.entry.key.root;
  if (family.outbox) {
    const std::optional<WallTime> decided = DecidedAt(*family.outbox);
    if (!decided || begun_ - *decided > settings_.late_outbox) {
      index_.outcomes.push_back({.root = root, .id = kLateOutbox, .project = project});
    }
  }
  const bool whole = reach_->HasAllOf(family);
  const bool any = TakeOutcomes(family, project, whole);
  const std::optional<Uuid> stream = Uuid::FromBytes(family.snapshot.stream());
  if (!stream) return;
  index_.families.push_back({.root = root,
                             .stream = ShortOf(*stream),
                             .sequence = LastPublished(family),
                             .project = project,
                             .whole = whole});
  // Where all of it is missing nothing shows a gap. What is told of a family is so in its life.
  const WallTime life = LifeOf(family);
  const bool in_time = MayBeToldInTime(life) && (!settings_.to || life <= *settings_.to);
  if (!any && LastPublished(family) > 0 && whole && in_time) {
    index_.outcomes.push_back({.root = root, .id = kNumbers, .project = project});
  }
}

bool EventsAudit::TakeOutcomes(const ports::FamilyState& family, ProjectNumber project,
                               bool whole) {
  const Uuid& root = family.entry.key.root;
  const WallTime reach = reach_->Of(family);
  const WallTime from = settings_.from.value_or(WallTime::min());
  const std::set<std::string> pending = IdsOf(family.outbox);
  const std::vector<ToldOutcome> all =
      domain::ToldOutcomes(*projects_[project], root, family.snapshot);
  for (const ToldOutcome& told : all) {
    const std::optional<WallTime> modified = ModifiedOf(*told.state);
    Owed owed = Owed::kYes;
    // An order is not modified before what happens to it.
    if (modified && *modified < std::max(reach, from) && !(whole && LifeOf(family) >= from)) {
      const bool late = MayBeToldInTime(*modified) && (whole || *modified >= reach);
      owed = late ? Owed::kIfNothingIsThere : Owed::kIfNumbersAreLost;
    }
    if (owed != Owed::kYes) ++summary_.older;
    if (pending.contains(told.id.ToString())) continue;
    if (owed == Owed::kYes) ++summary_.outcomes;
    // Of one that has settled there is no stream that could have lost numbers lately.
    if (owed == Owed::kIfNumbersAreLost && family.snapshot.stream().empty()) continue;
    index_.outcomes.push_back(
        {.root = root, .id = ShortOf(told.id), .project = project, .owed = owed});
  }
  return !all.empty();
}

bool EventsAudit::MayBeToldInTime(WallTime happened) const {
  return !settings_.from || happened + settings_.baseline_window >= *settings_.from;
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
  const std::optional<ProjectNumber> project = ProjectOf(*event);
  if (!project) return;
  Report("events", ++summary_.events);
  InTime written = InTime::kIn;
  if (settings_.from && record.written < *settings_.from) written = InTime::kBefore;
  if (settings_.to && record.written > *settings_.to) written = InTime::kAfter;
  index_.events.push_back(
      {.root = *root,
       .stream = ShortOf(*stream),
       .id = ShortOf(*id),
       .offset = record.offset,
       .sequence = static_cast<std::uint32_t>(event->sequence()),
       .digest = static_cast<std::uint32_t>(std::hash<std::string>()(record.value)),
       .partition = record.partition,
       .project = *project,
       .written = written});
}

std::optional<ProjectNumber> EventsAudit::ProjectOf(const events::v1::PaymentEvent& event) {
  const auto named = project_numbers_.find(event.project());
  const bool is_named = named != project_numbers_.end();
  if (is_named && domain::IsOfProject(event, projects_[named->second]->id)) return named->second;
  // It was told under a name that its project had before.
  for (std::size_t i = 0; i < projects_.size(); ++i) {
    if (domain::IsOfProject(event, projects_[i]->id)) return static_cast<ProjectNumber>(i);
  }
  if (is_named) return named->second;
  if (settings_.only_these) return std::nullopt;
  const std::size_t next = projects_.size() + other_numbers_.size();
  if (next >= kNoProject && !other_numbers_.contains(event.project())) return kNoProject;
  return other_numbers_.try_emplace(event.project(), static_cast<ProjectNumber>(next))
      .first->second;
}

AsyncStatus EventsAudit::JudgeAll() {
  const auto key_of = [](const auto& each) { return std::pair(each.root, each.project); };
  Events event = index_.events.cbegin();
  auto family = index_.families.cbegin();
  auto outcome = index_.outcomes.cbegin();
  while (event != index_.events.cend() || outcome != index_.outcomes.cend()) {
    const bool by_event = outcome == index_.outcomes.cend() ||
                          (event != index_.events.cend() && key_of(*event) <= key_of(*outcome));
    const auto key = by_event ? key_of(*event) : key_of(*outcome);
    Suspect suspect{.root = key.first, .project = key.second, .begin = event};
    while (event != index_.events.cend() && key_of(*event) == key) ++event;
    suspect.end = event;
    while (family != index_.families.cend() && key_of(*family) < key) ++family;
    if (family != index_.families.cend() && key_of(*family) == key) suspect.family = &*family;
    for (; outcome != index_.outcomes.cend() && key_of(*outcome) == key; ++outcome) {
      TakeInto(suspect, *outcome);
    }
    suspect.faults = FaultsOf(suspect, suspect.family);
    if (suspect.IsOne()) TB_CO_RETURN_IF_ERROR(co_await Judge(std::move(suspect)));
  }
  co_return absl::OkStatus();
}

void EventsAudit::TakeInto(Suspect& suspect, const IndexedOutcome& outcome) {
  const bool nothing_is_there = suspect.begin == suspect.end;
  if (outcome.id == kLateOutbox) {
    suspect.unpublished = true;
  } else if (outcome.id == kNumbers) {
    suspect.numbers_missing = nothing_is_there;
  } else if (std::find_if(suspect.begin, suspect.end, [&](const IndexedEvent& event) {
               return event.id == outcome.id;
             }) == suspect.end) {
    (outcome.owed == Owed::kYes ? suspect.missing : suspect.early).push_back(outcome.id);
    if (outcome.owed == Owed::kIfNothingIsThere && nothing_is_there) suspect.undated = true;
  }
}

std::vector<StreamFault> EventsAudit::FaultsOf(const Suspect& suspect,
                                               const IndexedFamily* family) const {
  if (suspect.begin == suspect.end) return {};
  return CheckStreams(suspect.begin, suspect.end, family, [this](std::int32_t partition) {
    return reach_->partitions().at(static_cast<std::size_t>(partition)).first == 0;
  });
}

}  // namespace tollbridge::reconcile
