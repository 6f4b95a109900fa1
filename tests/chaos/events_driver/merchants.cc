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
/// minutes), and readers that were away for a minute have caught up before it ends.
constexpr Millis kApart{27};

}  // namespace

Merchants::Merchants(Cluster* cluster, const Options& options, chaos::LineWriter* calls)
    : shop_(cluster, options, calls), orders_(options.orders) {
  const Clock::time_point now = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    const std::size_t at_once =
        std::min(orders_, std::clamp(orders_ / 8, kLeastAtOnce, kMostAtOnce));
    for (std::size_t i = 0; i < at_once; ++i) BeginNext(now);
  }
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
  return over_ == begun_;
}

void Merchants::BeginNext(Clock::time_point earliest) {
  if (begun_ >= (kept_up_ ? orders_ * kMostTimes : orders_)) return;
  next_begin_ = std::max(earliest, next_begin_ + kApart);
  due_.push({next_begin_, std::make_shared<Family>(&shop_, begun_)});
  ++begun_;
}

void Merchants::Work() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (due_.empty()) {
      if (over_ == begun_) return;
      changed_.wait(lock);
      continue;
    }
    const Clock::time_point at = due_.top().at;
    if (at > Clock::now()) {
      changed_.wait_until(lock, at);
      continue;
    }
    const std::shared_ptr<Family> family = due_.top().family;
    due_.pop();
    lock.unlock();
    const std::optional<Millis> next = family->Go();
    lock.lock();
    if (next) {
      due_.push({Clock::now() + *next, family});
    } else {
      ++over_;
      BeginNext(Clock::now());
    }
    changed_.notify_all();
  }
}

}  // namespace tollbridge::pipeline
