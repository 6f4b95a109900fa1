#include "services/events/hints_finished.h"

#include <algorithm>
#include <utility>

#include "services/events/settings.h"

namespace tollbridge::events {
namespace {

using ports::HintsProgress;

/// Candidates kept at a time. Beyond it every second one goes: a group that is far behind gets
/// coarser steps, and never none.
constexpr std::size_t kMostCandidates = 512;

bool Reached(const std::vector<std::int64_t>& ends, const std::vector<HintsProgress>& look) {
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (look[i].finished < ends[i]) return false;
  }
  return true;
}

std::vector<std::int64_t> EndsOf(const std::vector<HintsProgress>& look) {
  std::vector<std::int64_t> ends;
  ends.reserve(look.size());
  for (const HintsProgress& each : look) ends.push_back(each.end);
  return ends;
}

/// An offset beyond the end is one of a log that was there before.
bool WentBack(const std::vector<HintsProgress>& look, const std::vector<std::int64_t>& last_ends) {
  for (std::size_t i = 0; i < look.size(); ++i) {
    if (look[i].finished > look[i].end) return true;
    if (i < last_ends.size() && look[i].end < last_ends[i]) return true;
  }
  return false;
}

}  // namespace

bool HintsFinished::Advance(Candidate& candidate, const std::vector<HintsProgress>& look) {
  while (Reached(candidate.ends, look)) {
    if (candidate.passed_on == kMaxForwards) return true;
    ++candidate.passed_on;
    candidate.ends = EndsOf(look);
  }
  return false;
}

void HintsFinished::Take(WallTime asked_at, const std::vector<HintsProgress>& look) {
  const bool went_back = WentBack(look, last_ends_);
  if (look.size() != partitions_ || went_back) candidates_.clear();
  partitions_ = look.size();
  last_ends_ = EndsOf(look);
  if (look.empty() || went_back) return;
  // Of a clock that was set back: what is noticed from now on is noticed before those times.
  std::erase_if(candidates_, [&](const Candidate& each) { return each.asked_at > asked_at; });
  candidates_.push_back({.asked_at = asked_at, .passed_on = 0, .ends = EndsOf(look)});
  std::vector<Candidate> left;
  for (Candidate& each : candidates_) {
    if (Advance(each, look)) {
      before_ = std::max(before_.value_or(each.asked_at), each.asked_at);
    } else {
      left.push_back(std::move(each));
    }
  }
  candidates_ = std::move(left);
  if (candidates_.size() <= kMostCandidates) return;
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < candidates_.size(); i += 2) kept.push_back(std::move(candidates_[i]));
  candidates_ = std::move(kept);
}

}  // namespace tollbridge::events
