#include "services/events/read_budget.h"

#include <algorithm>
#include <chrono>

namespace tollbridge::events {

using ports::Millis;

namespace {

constexpr BootClock::duration kBurst = std::chrono::seconds(1);

BootClock::duration SpacingOf(double per_second) {
  return std::chrono::duration_cast<BootClock::duration>(
      std::chrono::duration<double>(1.0 / per_second));
}

/// When the next turn is, were it taken now.
BootTime TurnAt(BootTime next, BootTime now, BootClock::duration spacing) {
  return std::max(next, now - std::max(kBurst, spacing) + spacing);
}

Millis Until(BootTime turn, BootTime now) {
  return std::max(Millis(0), std::chrono::ceil<Millis>(turn - now));
}

}  // namespace

ReadBudget::ReadBudget(double per_second, double unknown_per_second)
    : per_second_(std::max(per_second, 1.0)),
      unknown_per_second_(std::max(unknown_per_second, 1.0)) {
  SetShare(1);
}

void ReadBudget::SetShare(double share) {
  spacing_ = SpacingOf(per_second_ * share);
  unknown_spacing_ = SpacingOf(unknown_per_second_ * share);
}

ReadBudget::Project& ReadBudget::Find(std::string_view project) {
  const auto found = projects_.find(project);
  if (found != projects_.end()) return found->second;
  return projects_.emplace(std::string(project), Project{}).first->second;
}

std::optional<Millis> ReadBudget::Take(std::string_view project, Share share, BootTime now,
                                       Millis longest_wait) {
  Project& turns = Find(project);
  const BootTime turn = TurnAt(turns.all.next, now, spacing_);
  const BootTime unknown_turn = TurnAt(turns.unknown.next, now, unknown_spacing_);
  Millis wait = Until(turn, now);
  if (share == Share::kUnknown) wait = std::max(wait, Until(unknown_turn, now));
  if (wait > longest_wait) return std::nullopt;
  turns.all.next = turn + spacing_;
  if (share == Share::kUnknown) turns.unknown.next = unknown_turn + unknown_spacing_;
  return wait;
}

void ReadBudget::Charge(std::string_view project, BootTime now) {
  Turns& all = Find(project).all;
  all.next = TurnAt(all.next, now, spacing_) + spacing_;
}

Millis ReadBudget::RetryDelay(std::string_view project, Share share, BootTime now) {
  Project& turns = Find(project);
  const bool known = share == Share::kKnown;
  Turns& mine = known ? turns.all : turns.unknown;
  const BootTime turn = std::max({mine.next, mine.next_wait, now});
  mine.next_wait = turn + (known ? spacing_ : unknown_spacing_);
  return Until(mine.next_wait, now);
}

}  // namespace tollbridge::events
