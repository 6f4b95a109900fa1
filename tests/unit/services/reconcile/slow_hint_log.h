#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_RECONCILE_SLOW_HINT_LOG_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_RECONCILE_SLOW_HINT_LOG_H_

#include <absl/status/status.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/core/async.h"
#include "services/ports/context.h"
#include "services/ports/hint_log.h"
#include "tests/support/fakes/fake_clock.h"
#include "tollbridge/events/v1/hint.pb.h"

namespace tollbridge::reconcile {

/// A log that takes its time: 100 ms for each.
class SlowHintLog final : public ports::HintLog {
 public:
  explicit SlowHintLog(test::FakeClock& clock) : clock_(clock) {}
  AsyncStatus Append(const events::v1::Hint&, const ports::Context&) override {
    most = std::max(most, ++under_way_);
    co_await clock_.Sleep(std::chrono::milliseconds(100));
    --under_way_;
    ++appended;
    co_return appended <= takes ? absl::OkStatus() : absl::UnavailableError("away");
  }

  std::size_t appended = 0;
  std::size_t most = 0;
  /// So many it takes, then it is away.
  std::size_t takes = 1'000;

 private:
  test::FakeClock& clock_;
  std::size_t under_way_ = 0;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_RECONCILE_SLOW_HINT_LOG_H_
