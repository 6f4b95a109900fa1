#ifndef TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_WORLD_H_
#define TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_WORLD_H_

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "services/ports/clock.h"
#include "tests/support/simulation/dice.h"

namespace tollbridge::model {

/// Simulated time in ms since the run began.
using Time = std::int64_t;

inline constexpr Time kSecond = 1000;
inline constexpr Time kMinute = 60 * kSecond;
inline constexpr Time kHour = 60 * kMinute;

/// Time and chance of one run, on one thread. Coroutines sleep in it; the earliest event is next,
/// those of one time in the order in which they were made.
class World {
 public:
  World(std::uint64_t seed, bool keep_history) : dice(seed), keep_history_(keep_history) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Time now() const { return now_; }
  Dice dice;

  /// Calls `action` at `time`; it belongs to no process.
  template <typename Action>
  void At(Time time, Action action) {
    Push(time, nullptr, boost::asio::any_completion_handler<void()>(std::move(action)));
  }
  /// Suspends a coroutine. When the io_context that it runs on is dropped, it never goes on.
  boost::asio::awaitable<void> SleepUntil(Time time);
  /// Destroys what sleeps on `owner`.
  void Drop(const boost::asio::io_context& owner);
  /// What runs on `owner` stands still until `time`; then all that it slept for comes, in order.
  void Freeze(const boost::asio::io_context& owner, Time time) { frozen_[&owner] = time; }
  /// Whether it stands still now.
  bool IsFrozen(const boost::asio::io_context& owner) const;

  /// Runs the next event. False when there is none, or none until `end`.
  bool Step(Time end);

  /// What happened, for the message of a failure.
  void Note(const std::string& line);
  /// Whether Note keeps anything: making the text of a line costs more than most events.
  bool keeps_history() const { return keep_history_; }
  const std::string& history() const { return history_; }
  /// The run is a failure. The first reason counts.
  void Fail(const std::string& why);
  const std::string& failure() const { return failure_; }

 private:
  struct Event {
    boost::asio::io_context* owner = nullptr;
    boost::asio::any_completion_handler<void()> handler;
  };
  friend class Gate;
  void Push(Time time, boost::asio::io_context* owner,
            boost::asio::any_completion_handler<void()> handler);
  /// When what is to happen on `owner` at `time` can happen.
  Time Thaws(const boost::asio::io_context* owner, Time time) const;

  Time now_ = 0;
  std::uint64_t sequence_ = 0;
  std::map<std::pair<Time, std::uint64_t>, Event> events_;
  std::map<const boost::asio::io_context*, Time> frozen_;
  bool keep_history_;
  std::string history_;
  std::string failure_;
};

/// Where one coroutine waits until somebody opens it. It goes before the io_context of who waits.
class Gate {
 public:
  explicit Gate(World& world) : world_(world) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  boost::asio::awaitable<void> Wait();
  /// Who waits goes on, as the next thing that happens; nothing is kept for who does not.
  void Open();
  /// Destroys who waits.
  void Drop() { waiting_ = nullptr; }

 private:
  World& world_;
  boost::asio::io_context* owner_ = nullptr;
  boost::asio::any_completion_handler<void()> waiting_;
};

/// Time as one process sees it. Its civil time may jump; its boot time does not.
class ProcessClock final : public ports::Clock {
 public:
  explicit ProcessClock(World& world) : world_(world) {}

  WallTime WallNow() const override;
  BootTime BootNow() const override { return BootTime(ports::Millis(world_.now())); }
  boost::asio::awaitable<void> Sleep(ports::Millis duration) override;
  void Jump(ports::Millis by) { jump_ += by; }
  /// By how much its civil time is ahead.
  ports::Millis jump() const { return jump_; }

 private:
  World& world_;
  ports::Millis jump_{0};
};

/// The instant at which every run begins, as civil time.
WallTime Civil(Time time);
/// A deadline as time of the run.
Time ToTime(BootTime time);

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_WORLD_H_
