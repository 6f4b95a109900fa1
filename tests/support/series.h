#ifndef TOLLBRIDGE_TESTS_SUPPORT_SERIES_H_
#define TOLLBRIDGE_TESTS_SUPPORT_SERIES_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/telemetry/metrics.h"

namespace tollbridge::test {

/// A counter or gauge, or how often a histogram has observed, as the page shows it, by the values
/// of its labels in the definition's order; nullopt when it is not there.
inline std::optional<double> SeriesOf(const telemetry::Metrics& metrics,
                                      const telemetry::MetricDef& def,
                                      const std::vector<std::string>& values = {}) {
  for (const prometheus::MetricFamily& family : metrics.collectable().Collect()) {
    if (family.name != def.name) continue;
    for (const prometheus::ClientMetric& series : family.metric) {
      const bool same = std::ranges::all_of(series.label, [&](const auto& label) {
        for (std::size_t i = 0; i < values.size() && i < def.label_count; ++i) {
          if (def.label_array[i].name == label.name) return values[i] == label.value;
        }
        return false;
      });
      if (same)
        return series.counter.value + series.gauge.value +
               static_cast<double>(series.histogram.sample_count);
    }
  }
  return std::nullopt;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_SERIES_H_
