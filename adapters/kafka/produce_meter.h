#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_PRODUCE_METER_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_PRODUCE_METER_H_

#include <absl/status/status.h>

#include <vector>

#include "adapters/kafka/producer.h"
#include "base/core/boot_clock.h"
#include "base/telemetry/metrics.h"

namespace tollbridge::kafka {

/// Counts and times what a producer is asked for. Any thread.
class ProduceMeter {
 public:
  /// `metrics` outlives it; nullptr: tells nobody.
  explicit ProduceMeter(telemetry::Metrics* metrics);

  /// A record that was asked for at `begun` has ended so, now.
  void Note(Purpose purpose, BootTime begun, BootTime deadline, const absl::Status& status) const;
  /// One came before it is known whether the topics last.
  void NoteNotOpen(Purpose purpose) const;

 private:
  // By purpose, and by purpose and reason; empty: tells nobody.
  std::vector<telemetry::Histogram> seconds_;
  std::vector<telemetry::Counter> failures_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_PRODUCE_METER_H_
