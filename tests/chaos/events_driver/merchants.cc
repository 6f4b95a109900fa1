#include "tests/chaos/events_driver/merchants.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tollbridge::pipeline {
namespace {

/// Families at once: most of them wait for time to pass.
constexpr std::size_t kLeastAtOnce = 60;
constexpr std::size_t kMostAtOnce = 300;
/// What is kept up ends at so many times the orders.
constexpr std::size_t kMostTimes = 10;
constexpr std::size_t kWorkers = 12;
/// Between two that begin. So a run lasts long enough for what is to go wrong (20,000 take nine
/// minutes at least).
constexpr Millis kApart{27};
/// While readers are behind. So they catch up, on any machine, before the run ends.
constexpr Millis kFurtherApart{135};

}  // namespace

Merchants::Merchants(Cluster* cluster, const Options& options, chaos::LineWriter* calls)
    : shop_(cluster, options, calls),
      orders_(options.orders),
      at_once_(std::clamp(options.orders / 8, kLeastAtOnce, kMostAtOnce)),
      next_begin_(Clock::now()) {
  for (std::size_t i = 0; i < kWorkers; ++i) {
    workers_.emplace_back([this] { Work(); });
  }
}

Merchants::~Merchants() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Merchants::KeepUp() {
  const std::lock_guard lock(mutex_);
  kept_up_ = true;
}

void Merchants::Release() {
  const std::lock_guard lock(mutex_);
  kept_up_ = false;
}

void Merchants::SlowDown(bool slow) {
  const std::lock_guard lock(mutex_);
  slow_ = slow;
}

std::size_t Merchants::begun() const {
  const std::lock_guard lock(mutex_);
  return begun_;
}

std::size_t Merchants::over() const {
  const std::lock_guard lock(mutex_);
  return over_;
}

bool Merchants::ended() const {
  const std::lock_guard lock(mutex_);
  return IsOver();
}

bool Merchants::IsOver() const { return over_ == begun_ && begun_ >= Wanted(); }

std::size_t Merchants::Wanted() const { return kept_up_ ? orders_ * kMostTimes : orders_; }

bool Merchants::BeginsNext() const {
  return begun_ < Wanted() && begun_ - over_ < at_once_ &&
         (due_.empty() || next_begin_ <= due_.top().at);
}

std::shared_ptr<Family> Merchants::Begin() {
  next_begin_ = Clock::now() + (slow_ ? kFurtherApart : kApart);
  return std::make_shared<Family>(&shop_, begun_++);
}

std::shared_ptr<Family> Merchants::TakeDue() {
  std::shared_ptr<Family> family = due_.top().family;
  due_.pop();
  return family;
}

void Merchants::Work() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    const bool begins = BeginsNext();
    if (!begins && due_.empty()) {
      if (IsOver()) return;
      changed_.wait(lock);
      continue;
    }
    const Clock::time_point at = begins ? next_begin_ : due_.top().at;
    if (at > Clock::now()) {
      changed_.wait_until(lock, at);
      continue;
    }
    const std::shared_ptr<Family> family = begins ? Begin() : TakeDue();
    lock.unlock();
    const std::optional<Millis> next = family->Go();
    lock.lock();
    if (next) {
      due_.push({Clock::now() + *next, family});
    } else {
      ++over_;
    }
    changed_.notify_all();
  }
}

}  // namespace tollbridge::pipeline
