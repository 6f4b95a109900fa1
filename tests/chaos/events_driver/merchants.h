#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_MERCHANTS_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_MERCHANTS_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "tests/chaos/events_driver/family.h"

namespace tollbridge::pipeline {

/// Lets options.orders families happen, many at once, on a few threads.
class Merchants {
 public:
  /// Begins.
  Merchants(Cluster* cluster, const Options& options, chaos::LineWriter* calls);
  /// Gives up what is still under way.
  ~Merchants();
  Merchants(const Merchants&) = delete;
  Merchants& operator=(const Merchants&) = delete;

  /// For each family that is over another one begins, also beyond options.orders (ten times as many
  /// at most), until Release().
  void KeepUp();
  void Release();
  /// Lets orders begin further apart, as long as readers are behind.
  void SlowDown(bool slow);

  std::size_t begun() const;
  std::size_t over() const;
  bool ended() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Due {
    Clock::time_point at;
    std::shared_ptr<Family> family;
    bool operator<(const Due& other) const { return at > other.at; }
  };

  void Work();
  // Under the mutex:
  bool IsOver() const;
  /// How many orders there are to be.
  std::size_t Wanted() const;
  /// Whether what comes next is an order that begins, at next_begin_.
  bool BeginsNext() const;
  std::shared_ptr<Family> Begin();
  /// The one that is due first.
  std::shared_ptr<Family> TakeDue();

  Shop shop_;
  const std::size_t orders_;
  const std::size_t at_once_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::priority_queue<Due> due_;
  Clock::time_point next_begin_;
  std::size_t begun_ = 0;
  std::size_t over_ = 0;
  bool slow_ = false;
  bool kept_up_ = false;
  bool stopped_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_MERCHANTS_H_
