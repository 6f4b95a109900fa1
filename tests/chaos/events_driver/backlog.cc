#include "tests/chaos/events_driver/backlog.h"

#include <algorithm>

namespace tollbridge::pipeline {
namespace {

constexpr std::chrono::seconds kBetweenLooks{1};
/// Some ten seconds' work.
constexpr std::int64_t kLong = 500;
/// What orders that are looked at again and again add all the time.
constexpr std::int64_t kFew = 20;

}  // namespace

void Backlog::Look() {
  if (Clock::now() < next_look_) return;
  hints_ = lag_->Now();
  if (hints_) std::ranges::sort(*hints_);
  next_look_ = Clock::now() + kBetweenLooks;
}

std::optional<std::int64_t> Backlog::of_most() const {
  if (!hints_) return std::nullopt;
  return (*hints_)[hints_->size() / 2];
}

bool Backlog::is_long() const { return of_most().value_or(kLong) >= kLong; }

bool Backlog::is_done() const { return hints_ && hints_->back() < kFew; }

}  // namespace tollbridge::pipeline
