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
using storage::v1::SweepPass;
using storage::v1::SweepProgress;
using storage::v1::SweepStage;

namespace {

constexpr std::chrono::hours kDay{24};
/// What is so far behind waits for the pass over the day, whose place may be taken.
constexpr std::chrono::hours kLongestNew{1};
constexpr std::int64_t kPageSize = 100;
constexpr std::string_view kBeforeFirst = "-1";

std::string QueryOf(const SweepPass& pass) {
  const auto of_status = [](common::v1::OrderStatus status) {
    return "status:" + std::string(domain::WireName(status));
  };
  switch (pass.stage()) {
    case storage::v1::SWEEP_STAGE_NEW:
      return of_status(common::v1::ORDER_STATUS_NEW);
    case storage::v1::SWEEP_STAGE_PROCESSING:
      return of_status(common::v1::ORDER_STATUS_PROCESSING);
    case storage::v1::SWEEP_STAGE_SEE_TRANSACTIONS:
      return of_status(common::v1::ORDER_STATUS_SEE_TRANSACTIONS);
    default:
      return "created:[" + domain::ToRfc3339(ToWallTime(pass.from())) + " TO " +
             domain::ToRfc3339(ToWallTime(pass.to())) + "]";
  }
}

/// Hits alone do not tell, since orders leave a result while it is read; nor does a short page,
/// since the service may give smaller ones than were asked for.
bool IsLastPage(const common::v1::OrderSearchResult& page, const SweepPass& pass) {
  const int orders = page.orders_size() + page.unreadable_size();
  if (orders == 0) return true;
  return pass.search_after().empty() && page.has_hits() && page.hits() <= orders;
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

/// Also where it began ahead of now: by a clock that was ahead, and nobody knows when.
bool IsOver(WallTime since, Millis interval, WallTime now) {
  return since > now || now - since >= interval;
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
  if (swept_to > to) from = std::min(from, to - kDay);
  if (from < to - std::max<Millis>(3 * settings.interval, kLongestNew)) {
    Owe(from, progress);
    from = to - 2 * settings.interval;
  }
  *progress->mutable_pass() = NewPass(from, to, now);
  return true;
}

bool BeginDay(WallTime now, const SweepSettings& settings, SweepProgress* progress) {
  // What the first pass asks for has the day in it.
  const bool in_first =
      progress->has_first_pass() && now - ToWallTime(progress->first_pass().began()) < kDay;
  const bool due =
      !in_first && IsOver(ToWallTime(progress->day_swept()), settings.day_interval, now);
  if (progress->has_day_pass() || (!due && !progress->has_owed_from())) return false;
  const WallTime to = now - settings.index_lag;
  WallTime from = due ? to - kDay : to;
  if (progress->has_owed_from()) from = std::min(from, ToWallTime(progress->owed_from()));
  progress->clear_owed_from();
  *progress->mutable_day_pass() = NewPass(from, to, now);
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
  return settings.interval - (now - last_began);
}

void BringBackPasses(WallTime now, SweepProgress* progress) {
  if (progress->has_first_began()) BringBack(now, progress->mutable_first_began());
  if (progress->has_last_ended()) BringBack(now, progress->mutable_last_ended());
  if (progress->has_first_pass()) BringBack(now, progress->mutable_first_pass()->mutable_began());
  if (progress->has_day_pass()) BringBack(now, progress->mutable_day_pass()->mutable_began());
  if (progress->has_pass()) BringBack(now, progress->mutable_pass()->mutable_began());
}

WallTime NoticedBy(const SweepPass& pass) {
  const WallTime began = ToWallTime(pass.began());
  return pass.first() ? began : std::min(began, ToWallTime(pass.from()));
}

common::v1::OrderSearch PageOf(const SweepPass& pass) {
  common::v1::OrderSearch search;
  search.set_query(QueryOf(pass));
  search.set_size(kPageSize);
  search.set_sort("id asc");
  search.set_search_after(pass.search_after().empty() ? std::string(kBeforeFirst)
                                                      : pass.search_after());
  return search;
}

absl::StatusOr<bool> MoveOn(const common::v1::OrderSearchResult& page, WallTime now,
                            SweepPlace place, SweepProgress* progress) {
  SweepPass& pass = *PassAt(place, progress);
  if (IsLastPage(page, pass)) {
    if (pass.stage() == storage::v1::SWEEP_STAGE_PERIOD) {
      End(place, now, progress);
      return true;
    }
    pass.set_stage(static_cast<SweepStage>(pass.stage() + 1));
    pass.clear_search_after();
    return false;
  }
  if (page.search_after().empty() || page.search_after() == pass.search_after()) {
    return domain::MakeError(absl::StatusCode::kDataLoss,
                             "the search does not say where its next page begins",
                             {.reason = domain::reason::kUpstreamUnreadable});
  }
  pass.set_search_after(page.search_after());
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
