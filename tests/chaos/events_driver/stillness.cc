#include "tests/chaos/events_driver/stillness.h"

#include <chrono>

#include "tests/chaos/events_auditor/history_file.h"

namespace tollbridge::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{100};
constexpr std::chrono::milliseconds kStill{600};

}  // namespace

Stillness::Stillness(chaos::LineWriter* log) : log_(*log), watch_([this] { Watch(); }) {}

Stillness::~Stillness() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  watch_.join();
}

void Stillness::Watch() {
  std::unique_lock lock(mutex_);
  Clock::time_point looked = Clock::now();
  while (!changed_.wait_for(lock, kBetweenLooks, [this] { return over_; })) {
    const Clock::time_point now = Clock::now();
    if (now - looked >= kStill) {
      DisturbanceLine line{.disturbance = "the machine stood still"};
      line.until = chaos::NowMs();
      line.at =
          line.until - std::chrono::duration_cast<std::chrono::milliseconds>(now - looked).count();
      line.stops = 1;
      log_.Write(ToJson(line));
    }
    looked = now;
  }
}

}  // namespace tollbridge::pipeline
