#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_STILLNESS_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_STILLNESS_H_

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/chaos/lines/json_lines.h"

namespace tollbridge::pipeline {

/// Notes when the machine has not let this process run for half a second or more: what is late then
/// is not the product's. As long as it lives, on a thread of its own.
class Stillness {
 public:
  /// Its lines are disturbances, which stop everything.
  explicit Stillness(chaos::LineWriter* log);
  ~Stillness();
  Stillness(const Stillness&) = delete;
  Stillness& operator=(const Stillness&) = delete;

 private:
  void Watch();

  chaos::LineWriter& log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread watch_;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_STILLNESS_H_
