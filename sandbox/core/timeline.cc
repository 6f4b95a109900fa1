#include "sandbox/core/timeline.h"

#include <utility>

namespace tollbridge::sandbox {

void Timeline::At(Time when, Action action) {
  entries_.push({.when = when, .number = next_number_++, .action = std::move(action)});
}

void Timeline::RunDue() {
  while (!entries_.empty() && entries_.top().when <= clock_->Now()) {
    // The entry leaves the queue before it runs: it may put in others, or clear all.
    const Action action = entries_.top().action;
    entries_.pop();
    action();
  }
}

bool Timeline::StepTowards(Time until) {
  const std::optional<Time> next = NextDue();
  if (!next || *next > until) {
    clock_->MoveTo(until);
    return false;
  }
  clock_->MoveTo(*next);
  RunDue();
  return true;
}

std::optional<Time> Timeline::NextDue() const {
  if (entries_.empty()) return std::nullopt;
  return entries_.top().when;
}

void Timeline::Clear() { entries_ = {}; }

}  // namespace tollbridge::sandbox
