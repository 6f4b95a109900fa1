#include "adapters/payment_service/breaker.h"

#include <algorithm>

namespace tollbridge::payment_service {

std::optional<Breaker::Pass> Breaker::Admit(BootTime now) {
  if (state_ == State::kOpen && now >= open_until_) Enter(State::kHalfOpen);
  switch (state_) {
    case State::kClosed:
      return pass_;
    case State::kOpen:
      return std::nullopt;
    case State::kHalfOpen:
      if (probes_ >= settings_.probes) return std::nullopt;
      ++probes_;
      return pass_;
  }
  return std::nullopt;
}

void Breaker::Record(Pass pass, Health health, BootTime now) {
  if (pass != pass_) return;
  if (state_ == State::kHalfOpen) --probes_;
  switch (health) {
    case Health::kNothing:
      return;
    case Health::kWell:
      failures_ = 0;
      if (state_ == State::kClosed) return;
      Enter(State::kClosed);
      if (events_.on_close) events_.on_close();
      return;
    case Health::kFailing:
      if (state_ == State::kHalfOpen || ++failures_ >= settings_.failures) Open(now);
      return;
  }
}

void Breaker::Open(BootTime now) {
  Enter(State::kOpen);
  open_until_ = now + settings_.open_for;
  if (events_.on_open) events_.on_open();
}

std::chrono::nanoseconds Breaker::Wait(BootTime now) const {
  if (state_ != State::kOpen) return std::chrono::nanoseconds::zero();
  return std::max(open_until_ - now, BootTime::duration::zero());
}

}  // namespace tollbridge::payment_service
