#include "adapters/kafka/produce_meter.h"

#include <chrono>
#include <cstddef>
#include <string_view>

#include "base/telemetry/metric_definitions.h"

namespace tollbridge::kafka {
namespace {

using telemetry::kProduceFailures;
using telemetry::kProducePurposes;

/// In the order of kProduceFailures.
enum Failure : std::size_t { kLate, kUnavailable, kNotOpen, kTooLarge, kRefused };
static_assert(kProduceFailures.size() == kRefused + 1);
static_assert(kProducePurposes.size() == static_cast<std::size_t>(Purpose::kDeadLetters) + 1);

Failure FailureOf(const absl::Status& status, bool in_time) {
  // As Producer::Produce says.
  if (absl::IsInvalidArgument(status)) return kTooLarge;
  if (absl::IsFailedPrecondition(status)) return kRefused;
  return in_time ? kUnavailable : kLate;
}

}  // namespace

ProduceMeter::ProduceMeter(telemetry::Metrics* metrics) {
  if (metrics == nullptr) return;
  for (const std::string_view purpose : kProducePurposes) {
    seconds_.push_back(metrics->Get(telemetry::kProduceSeconds, {purpose}));
    for (const std::string_view reason : kProduceFailures) {
      failures_.push_back(metrics->Get(telemetry::kProduceFailed, {purpose, reason}));
    }
  }
}

void ProduceMeter::Note(Purpose purpose, BootTime begun, BootTime deadline,
                        const absl::Status& status) const {
  if (seconds_.empty()) return;
  const auto index = static_cast<std::size_t>(purpose);
  const BootTime now = BootClock::now();
  if (status.ok()) {
    seconds_[index].Observe(std::chrono::duration<double>(now - begun).count());
  } else {
    failures_[index * kProduceFailures.size() + FailureOf(status, now < deadline)].Increment();
  }
}

void ProduceMeter::NoteNotOpen(Purpose purpose) const {
  if (seconds_.empty()) return;
  failures_[static_cast<std::size_t>(purpose) * kProduceFailures.size() + kNotOpen].Increment();
}

}  // namespace tollbridge::kafka
