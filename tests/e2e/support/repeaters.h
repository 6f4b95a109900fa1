#ifndef TOLLBRIDGE_TESTS_E2E_SUPPORT_REPEATERS_H_
#define TOLLBRIDGE_TESTS_E2E_SUPPORT_REPEATERS_H_

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "tests/support/process.h"

namespace tollbridge::test {

/// Do one thing again and again, side by side, until Stop, and count how it went.
class Repeaters {
 public:
  /// `work`: whether it went well. Any thread.
  explicit Repeaters(const std::function<bool()>& work, int count = 1) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, work] {
        while (!enough_) ++(work() ? went_well_ : failed_);
      });
    }
  }
  ~Repeaters() { Stop(); }
  Repeaters(const Repeaters&) = delete;
  Repeaters& operator=(const Repeaters&) = delete;

  /// Waits until it has gone well so many times more. Whether it has.
  bool AwaitMore(int count) {
    const int before = went_well_;
    return Eventually([&] { return went_well_ >= before + count; });
  }
  void Stop() {
    enough_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  int went_well() const { return went_well_; }
  int failed() const { return failed_; }

 private:
  std::atomic<bool> enough_ = false;
  std::atomic<int> went_well_ = 0;
  std::atomic<int> failed_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_SUPPORT_REPEATERS_H_
