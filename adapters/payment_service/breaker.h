#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_BREAKER_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_BREAKER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/core/boot_clock.h"

namespace tollbridge::payment_service {

struct BreakerSettings {
  /// Failures in a row that open it.
  int failures = 5;
  /// How long it stays open before a probe may pass.
  std::chrono::milliseconds open_for{10'000};
  /// Exchanges under way at a time while nobody knows whether the host is well again.
  int probes = 1;
  /// An exchange that ran out of time sooner than this says nothing about the host: its caller was
  /// in a hurry. Not longer than the attempt deadline, or no timeout counts.
  std::chrono::milliseconds patience{1'000};
};

/// What an exchange says about the host.
enum class Health {
  kWell,     ///< it answered, if only to refuse
  kFailing,  ///< it could not be reached, did not answer, or said that it failed
  kNothing,  ///< the exchange did not get as far as the host
};

/// The states of a circuit breaker, without I/O: closed, open for a time, half open with a bounded
/// number of probes, the first success of which closes it. Only exchanges that were let through in
/// the present state count: what was sent before it opened says nothing about how the host is now.
class Breaker {
 public:
  struct Events {
    std::function<void()> on_open;
    std::function<void()> on_close;
  };
  /// Names the state in which an exchange was let through.
  using Pass = std::uint64_t;

  Breaker(BreakerSettings settings, Events events)
      : settings_(settings), events_(std::move(events)) {}

  /// Whether an exchange may pass now; each one that does is ended by Record.
  std::optional<Pass> Admit(BootTime now);
  void Record(Pass pass, Health health, BootTime now);
  /// How long until a probe may pass; zero when it is not open.
  std::chrono::nanoseconds Wait(BootTime now) const;
  bool closed() const { return state_ == State::kClosed; }

 private:
  enum class State { kClosed, kOpen, kHalfOpen };

  void Enter(State state) {
    state_ = state;
    ++pass_;
    failures_ = 0;
    probes_ = 0;
  }
  void Open(BootTime now);

  BreakerSettings settings_;
  Events events_;
  State state_ = State::kClosed;
  Pass pass_ = 0;
  int failures_ = 0;
  int probes_ = 0;
  BootTime open_until_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_BREAKER_H_
