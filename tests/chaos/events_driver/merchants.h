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
  /// Puts the next family on the list, if one is to come: at this time, or behind the one before
  /// it. Under the mutex.
  void BeginNext(Clock::time_point earliest);

  Shop shop_;
  const std::size_t orders_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::priority_queue<Due> due_;
  Clock::time_point next_begin_;
  std::size_t begun_ = 0;
  std::size_t over_ = 0;
  bool kept_up_ = false;
  bool stopped_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_MERCHANTS_H_
