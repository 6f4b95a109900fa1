#include "services/reconcile/sweep_plan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/domain/errors.h"
#include "services/domain/statuses.h"
#include "services/domain/timestamps.h"
#include "services/domain/wire_names.h"

namespace tollbridge::reconcile {

using domain::ToTimestamp;
using domain::ToWallTime;
using ports::Millis;
using storage::v1::SweepPart;
using storage::v1::SweepPass;
using storage::v1::SweepProgress;
using storage::v1::SweepStage;

namespace {

constexpr std::chrono::hours kDay{24};
/// What is so far behind waits for the pass over the day, whose place may be taken.
constexpr std::chrono::hours kLongestNew{1};
/// A pass over what is new that fails for longer leaves its place to the next one.
constexpr std::chrono::minutes kLongestFailing{10};
/// What fails only once may have met a moment.
constexpr std::chrono::seconds kShortestFailing{10};
/// What fails as a whole for longer is divided once, although nothing is answered.
constexpr std::chrono::hours kLongestWhole{1};
/// That others were answered no longer ago than this, where a part fails already.
constexpr std::chrono::minutes kAnsweredLately{2};
constexpr std::chrono::milliseconds kShortestPeriod{1};
/// More are put off undivided.
constexpr int kMostParts = 128;
/// Of more those next to each other are asked for as one, and divided again.
constexpr int kMostInVain = 64;
constexpr std::int64_t kPageSize = 100;
constexpr std::string_view kBeforeFirst = "-1";

/// What the pass asks for now.
SweepPart PartOf(const SweepPass& pass) {
  if (pass.has_part()) return pass.part();
  SweepPart part;
  part.set_stage(pass.stage());
  part.set_search_after(pass.search_after());
  if (pass.stage() == storage::v1::SWEEP_STAGE_PERIOD) {
    *part.mutable_from() = pass.from();
    *part.mutable_to() = pass.to();
  }
  return part;
}

void SetSearchAfter(std::string search_after, SweepPass* pass) {
  if (pass->has_part()) {
    pass->mutable_part()->set_search_after(std::move(search_after));
  } else {
    pass->set_search_after(std::move(search_after));
  }
}

std::string QueryOf(const SweepPart& part) {
  const auto of_status = [](common::v1::OrderStatus status) {
    return "status:" + std::string(domain::WireName(status));
  };
  switch (part.stage()) {
    case storage::v1::SWEEP_STAGE_NEW:
      return of_status(common::v1::ORDER_STATUS_NEW);
    case storage::v1::SWEEP_STAGE_PROCESSING:
      return of_status(common::v1::ORDER_STATUS_PROCESSING);
    case storage::v1::SWEEP_STAGE_SEE_TRANSACTIONS:
      return of_status(common::v1::ORDER_STATUS_SEE_TRANSACTIONS);
    default:
      return "created:[" + domain::ToRfc3339(ToWallTime(part.from())) + " TO " +
             domain::ToRfc3339(ToWallTime(part.to())) + "]";
  }
}

/// Hits alone do not tell, since orders leave a result while it is read; nor does a short page,
/// since the service may give smaller ones than were asked for.
bool IsLastPage(const common::v1::OrderSearchResult& page, const SweepPart& part) {
  const int orders = page.orders_size() + page.unreadable_size();
  if (orders == 0) return true;
  return part.search_after().empty() && page.has_hits() && page.hits() <= orders;
}

SweepPass NewPass(WallTime from, WallTime to, WallTime now) {
  SweepPass pass;
  *pass.mutable_began() = ToTimestamp(now);
  *pass.mutable_from() = ToTimestamp(from);
  *pass.mutable_to() = ToTimestamp(to);
  pass.set_stage(storage::v1::SWEEP_STAGE_PERIOD);
  pass.set_whole_day(from <= to - kDay);
  return pass;
}

void BeginFirst(WallTime now, const SweepSettings& settings, SweepProgress* progress) {
  const WallTime to = now - settings.index_lag;
  SweepPass pass = NewPass(to - std::max<Millis>(settings.first_period, kDay), to, now);
  pass.set_stage(storage::v1::SWEEP_STAGE_NEW);
  pass.set_first(true);
  *progress->mutable_swept_to() = pass.to();
  for (auto* began : {progress->mutable_first_began(), progress->mutable_day_swept(),
                      progress->mutable_last_began()}) {
    *began = pass.began();
  }
  *progress->mutable_first_pass() = std::move(pass);
}

/// Whether it is no clock of another host that is ahead by a little: passes overlap by as much.
bool IsFarAhead(WallTime time, Millis interval, WallTime now) { return time > now + interval; }

/// Also where it began far ahead of now: by a clock that was ahead, and nobody knows when.
bool IsOver(WallTime since, Millis interval, WallTime now) {
  return IsFarAhead(since, interval, now) || now - since >= interval;
}

void BringBack(WallTime now, google::protobuf::Timestamp* time) {
  if (ToWallTime(*time) > now) *time = ToTimestamp(now);
}

/// Orders created from `from` on that lie behind the cursor are the next day's pass's.
void Owe(WallTime from, SweepProgress* progress) {
  if (progress->has_owed_from()) from = std::min(from, ToWallTime(progress->owed_from()));
  *progress->mutable_owed_from() = ToTimestamp(from);
}

bool BeginNew(WallTime now, const SweepSettings& settings, SweepProgress* progress) {
  if (progress->has_pass() || UntilNextPass(*progress, now, settings) > Millis(0)) return false;
  const WallTime to = now - settings.index_lag;
  const WallTime swept_to = ToWallTime(progress->swept_to());
  WallTime from = std::min(swept_to, to) - settings.interval;
  // Of a cursor that lies ahead nobody knows how far it really came.
  if (IsFarAhead(swept_to, settings.interval, to)) from = std::min(from, to - kDay);
  if (from < to - std::max<Millis>(3 * settings.interval, kLongestNew)) {
    Owe(from, progress);
    from = to - 2 * settings.interval;
  }
  *progress->mutable_pass() = NewPass(from, to, now);
  return true;
}

/// From where on the day's pass asks. What the index was half a day late with is found however long
/// nobody asked.
WallTime WholeDayFrom(WallTime now, const SweepSettings& settings, const SweepProgress& progress) {
  Millis unasked{0};
  if (progress.has_day_swept()) {
    unasked = std::max(now - ToWallTime(progress.day_swept()) - kDay / 2, unasked);
  }
  return now - settings.index_lag - kDay - unasked;
}

bool IsInFirst(WallTime now, const SweepProgress& progress) {
  return progress.has_first_pass() && now - ToWallTime(progress.first_pass().began()) < kDay;
}

/// The first pass asks for what was there before it. What the index has got since is late.
WallTime BesideFirst(WallTime to, const SweepSettings& settings, const SweepProgress& progress) {
  const WallTime began = ToWallTime(progress.first_pass().began());
  return std::max(to - kDay, began - settings.index_lag - settings.interval);
}

/// What is owed and fails keeps nobody from the whole day, which has it in it.
void MakeWay(SweepProgress* progress) {
  if (!progress->has_day_pass()) return;
  const SweepPass& pass = progress->day_pass();
  if (pass.whole_day() || !pass.has_failing_since()) return;
  Owe(ToWallTime(pass.from()), progress);
  if (pass.has_part()) *progress->add_in_vain() = pass.part();
  progress->mutable_in_vain()->MergeFrom(pass.later());
  progress->clear_day_pass();
}

bool BeginDay(WallTime now, const SweepSettings& settings, SweepProgress* progress) {
  WallTime last_began = ToWallTime(progress->day_swept());
  if (progress->has_day_began())
    last_began = std::max(last_began, ToWallTime(progress->day_began()));
  const bool due = IsOver(last_began, settings.day_interval, now);
  if (due) MakeWay(progress);
  if (progress->has_day_pass() || (!due && !progress->has_owed_from())) return false;
  const WallTime to = now - settings.index_lag;
  const WallTime whole_from = WholeDayFrom(now, settings, *progress);
  WallTime from = to;
  if (due) from = IsInFirst(now, *progress) ? BesideFirst(to, settings, *progress) : whole_from;
  if (progress->has_owed_from()) from = std::min(from, ToWallTime(progress->owed_from()));
  progress->clear_owed_from();
  SweepPass pass = NewPass(from, to, now);
  pass.set_whole_day(from <= whole_from);
  for (SweepPart& part : *progress->mutable_in_vain()) {
    if (ToWallTime(part.from()) >= from && ToWallTime(part.to()) <= to) continue;
    part.set_in_vain(false);
    *pass.add_later() = std::move(part);
  }
  progress->clear_in_vain();
  *progress->mutable_day_pass() = std::move(pass);
  if (due) *progress->mutable_day_began() = ToTimestamp(now);
  return true;
}

void End(SweepPlace place, WallTime now, SweepProgress* progress) {
  *progress->mutable_last_ended() = ToTimestamp(now);
  if (place == SweepPlace::kFirst) return progress->clear_first_pass();
  const SweepPass& pass = *PassAt(place, progress);
  // Also one that an earlier version began in the other place.
  if (pass.whole_day()) *progress->mutable_day_swept() = pass.began();
  if (place == SweepPlace::kDay) return progress->clear_day_pass();
  *progress->mutable_swept_to() = pass.to();
  *progress->mutable_last_began() = pass.began();
  progress->clear_pass();
}

/// Goes on with what comes after what it asks for now, the longest first, so that little is put off
/// with what fails where that is much, and last with what was asked for in vain, one after the
/// other; whether there is any.
bool NextPart(SweepPass* pass) {
  if (!pass->has_part() && pass->stage() != storage::v1::SWEEP_STAGE_PERIOD) {
    pass->set_stage(static_cast<SweepStage>(pass->stage() + 1));
    pass->clear_search_after();
    return true;
  }
  auto& later = *pass->mutable_later();
  if (later.empty()) return false;
  const auto comes_first = [](const SweepPart& part) {
    const auto length = ToWallTime(part.to()) - ToWallTime(part.from());
    return part.in_vain() ? std::pair(false, Millis(0)) : std::pair(true, Millis(length));
  };
  const auto next = std::ranges::max_element(later, {}, comes_first);
  *pass->mutable_part() = std::move(*next);
  later.erase(next);
  return true;
}

/// What was asked for in vain, in order, as few parts: what touches is one. Then those nearest to
/// each other, where there are too many.
void Unite(google::protobuf::RepeatedPtrField<SweepPart>* parts) {
  std::ranges::sort(*parts, {}, [](const SweepPart& part) { return ToWallTime(part.from()); });
  const auto gap_after = [&](int at) {
    return ToWallTime((*parts)[at + 1].from()) - ToWallTime((*parts)[at].to());
  };
  const auto unite = [&](int at) {
    SweepPart& part = (*parts)[at];
    const SweepPart& next = (*parts)[at + 1];
    if (part.search_after() != next.search_after()) part.clear_search_after();
    if (ToWallTime(next.to()) > ToWallTime(part.to())) *part.mutable_to() = next.to();
    parts->erase(parts->begin() + at + 1);
  };
  for (int at = 0; at + 1 < parts->size();) {
    if (gap_after(at) <= Millis(0)) {
      unite(at);
    } else {
      ++at;
    }
  }
  while (parts->size() > kMostInVain) {
    int nearest = 0;
    for (int at = 1; at + 1 < parts->size(); ++at) {
      if (gap_after(at) < gap_after(nearest)) nearest = at;
    }
    unite(nearest);
  }
}

/// What the pass over the day has left was all asked for in vain.
void LeaveInVain(WallTime now, SweepPart last, SweepProgress* progress) {
  auto& in_vain = *progress->mutable_in_vain();
  in_vain.MergeFrom(progress->day_pass().later());
  *in_vain.Add() = std::move(last);
  Unite(&in_vain);
  End(SweepPlace::kDay, now, progress);
}

/// Whether what fails is put off: others are answered, so that it is not the search that fails, or
/// the store. Whatever the cause, it is divided once, to see whether a half is answered.
bool IsDivided(WallTime now, const SweepPass& pass, const SweepProgress& progress) {
  const WallTime since = ToWallTime(pass.failing_since());
  const WallTime answered = ToWallTime(progress.last_answered());
  if (pass.has_part()) return answered >= since || !IsOver(answered, kAnsweredLately, now);
  if (IsOver(since, kLongestWhole, now)) return true;
  return answered >= since && IsOver(since, kShortestFailing, now);
}

/// Goes on with a half, or what else there is; whether there is any that was not asked for in vain.
bool PutOff(WallTime now, SweepPlace place, SweepProgress* progress) {
  SweepPass& pass = *PassAt(place, progress);
  pass.clear_failing_since();
  SweepPart part = PartOf(pass);
  if (part.stage() == storage::v1::SWEEP_STAGE_PERIOD) {
    const WallTime from = ToWallTime(part.from());
    const Millis period = std::chrono::duration_cast<Millis>(ToWallTime(part.to()) - from);
    if (period > kShortestPeriod && pass.later_size() < kMostParts) {
      SweepPart second = part;
      *second.mutable_from() = ToTimestamp(from + period / 2);
      *part.mutable_to() = second.from();
      *pass.add_later() = std::move(part);
      *pass.add_later() = std::move(second);
      return NextPart(&pass);
    }
  }
  part.set_in_vain(true);
  const bool all_in_vain = std::ranges::all_of(pass.later(), &SweepPart::in_vain);
  if (place == SweepPlace::kDay && all_in_vain) {
    LeaveInVain(now, std::move(part), progress);
    return false;
  }
  *pass.add_later() = std::move(part);
  NextPart(&pass);
  return !PartOf(pass).in_vain();
}

}  // namespace

bool IsUnderWay(SweepPlace place, const SweepProgress& progress) {
  switch (place) {
    case SweepPlace::kNew:
      return progress.has_pass();
    case SweepPlace::kDay:
      return progress.has_day_pass();
    case SweepPlace::kFirst:
      return progress.has_first_pass();
  }
  return false;
}

SweepPass* PassAt(SweepPlace place, SweepProgress* progress) {
  if (place == SweepPlace::kNew) return progress->mutable_pass();
  return place == SweepPlace::kDay ? progress->mutable_day_pass() : progress->mutable_first_pass();
}

bool BeginDue(WallTime now, const SweepSettings& settings, SweepProgress* progress) {
  if (!progress->has_swept_to()) {
    BeginFirst(now, settings, progress);
    return true;
  }
  const bool begun = BeginNew(now, settings, progress);
  return BeginDay(now, settings, progress) || begun;
}

std::optional<SweepPlace> PlaceOfPage(std::uint64_t pages, const SweepProgress& progress,
                                      const std::set<SweepPlace>& left_out) {
  constexpr std::uint64_t kTurn = 2;
  const auto may = [&](SweepPlace place) {
    return IsUnderWay(place, progress) && !left_out.contains(place);
  };
  const bool of_others = pages % kTurn == kTurn - 1;
  const bool first_is_next = pages / kTurn % 2 != 0;
  const SweepPlace other = first_is_next ? SweepPlace::kFirst : SweepPlace::kDay;
  const SweepPlace last = first_is_next ? SweepPlace::kDay : SweepPlace::kFirst;
  std::vector<SweepPlace> order = {other, last};
  order.insert(of_others ? order.end() : order.begin(), SweepPlace::kNew);
  const auto found = std::ranges::find_if(order, may);
  return found == order.end() ? std::nullopt : std::optional(*found);
}

Millis UntilNextPass(const SweepProgress& progress, WallTime now, const SweepSettings& settings) {
  if (!progress.has_last_began()) return Millis(0);
  const WallTime last_began = ToWallTime(progress.last_began());
  if (IsOver(last_began, settings.interval, now)) return Millis(0);
  return std::min<Millis>(settings.interval - (now - last_began), settings.interval);
}

void BringBackPasses(WallTime now, SweepProgress* progress) {
  if (progress->has_first_began()) BringBack(now, progress->mutable_first_began());
  if (progress->has_last_ended()) BringBack(now, progress->mutable_last_ended());
  if (progress->has_last_answered()) BringBack(now, progress->mutable_last_answered());
  for (const SweepPlace place : {SweepPlace::kNew, SweepPlace::kDay, SweepPlace::kFirst}) {
    if (!IsUnderWay(place, *progress)) continue;
    SweepPass& pass = *PassAt(place, progress);
    BringBack(now, pass.mutable_began());
    if (pass.has_failing_since()) BringBack(now, pass.mutable_failing_since());
  }
}

WallTime NoticedBy(const SweepPass& pass) {
  const WallTime began = ToWallTime(pass.began());
  if (pass.first()) return began;
  return std::min(began, ToWallTime(pass.has_part() ? pass.part().from() : pass.from()));
}

common::v1::OrderSearch PageOf(const SweepPass& pass) {
  const SweepPart part = PartOf(pass);
  common::v1::OrderSearch search;
  search.set_query(QueryOf(part));
  search.set_size(kPageSize);
  search.set_sort("id asc");
  search.set_search_after(part.search_after().empty() ? std::string(kBeforeFirst)
                                                      : part.search_after());
  return search;
}

absl::StatusOr<bool> MoveOn(const common::v1::OrderSearchResult& page, WallTime now,
                            SweepPlace place, SweepProgress* progress) {
  SweepPass& pass = *PassAt(place, progress);
  const SweepPart part = PartOf(pass);
  const bool is_last = IsLastPage(page, part);
  if (!is_last && (page.search_after().empty() || page.search_after() == part.search_after())) {
    return domain::MakeError(absl::StatusCode::kDataLoss,
                             "the search does not say where its next page begins",
                             {.reason = domain::reason::kUpstreamUnreadable});
  }
  *progress->mutable_last_answered() = ToTimestamp(now);
  pass.clear_failing_since();
  if (!is_last) {
    SetSearchAfter(page.search_after(), &pass);
    return false;
  }
  if (NextPart(&pass)) return false;
  End(place, now, progress);
  return true;
}

bool NoteFailure(WallTime now, SweepPlace place, SweepProgress* progress) {
  SweepPass& pass = *PassAt(place, progress);
  if (!pass.has_failing_since()) *pass.mutable_failing_since() = ToTimestamp(now);
  const WallTime since = ToWallTime(pass.failing_since());
  if (place == SweepPlace::kNew) {
    if (!IsOver(since, kLongestFailing, now)) return false;
    Owe(ToWallTime(pass.from()), progress);
    *progress->mutable_swept_to() = pass.to();
    *progress->mutable_last_began() = pass.began();
    progress->clear_pass();
    return false;
  }
  if (IsDivided(now, pass, *progress)) return PutOff(now, place, progress);
  if (pass.has_part() && !pass.later().empty()) {
    SweepPart failed = pass.part();
    NextPart(&pass);
    *pass.add_later() = std::move(failed);
  }
  return false;
}

bool IsWaitedFor(const ports::KnownOrder& known, WallTime now, const SweepSettings& settings) {
  return known.noted_as_seen && known.due &&
         *known.due <= now + settings.take_again_after * (1 << kTakeAgainDoublings);
}

SweepVerdict Judge(const SeenOrder& seen, const ports::KnownOrder& known, const SweepPass& pass,
                   WallTime now, const SweepSettings& settings) {
  const Comparison comparison = Compare(seen, known);
  if (comparison == Comparison::kSame || comparison == Comparison::kOlder) {
    return SweepVerdict::kKnown;
  }
  const std::optional<WallTime> changed = seen.LastChange();
  const bool settled = pass.first() && comparison == Comparison::kMissing &&
                       domain::IsFinal(seen.status) && changed &&
                       *changed < ToWallTime(pass.began()) - settings.baseline_window;
  if (settled) return SweepVerdict::kSettled;
  return IsWaitedFor(known, now, settings) ? SweepVerdict::kWaiting : SweepVerdict::kHint;
}

}  // namespace tollbridge::reconcile
