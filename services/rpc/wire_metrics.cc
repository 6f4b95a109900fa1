#include "services/rpc/wire_metrics.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/telemetry/metric_definitions.h"

namespace tollbridge::rpc {

static_assert(telemetry::kWireRefusalCauses == wire::kRefusalNames);

void ReportWire(telemetry::Metrics& metrics, std::shared_ptr<const wire::Counts> counts) {
  const auto told = std::make_shared<std::vector<std::uint64_t>>(wire::kRefusalNames.size());
  metrics.OnCollect([counts = std::move(counts), told](telemetry::Metrics& collected) {
    for (std::size_t i = 0; i < told->size(); ++i) {
      const std::uint64_t now = counts->of(static_cast<wire::Refusal>(i));
      const std::uint64_t before = std::exchange((*told)[i], now);
      collected.Get(telemetry::kWireRefusals, {wire::kRefusalNames[i]})
          .Increment(static_cast<double>(now - before));
    }
    collected.Get(telemetry::kWireConnections, {}).Set(static_cast<double>(counts->open()));
    collected.Get(telemetry::kWireHeldBytes, {}).Set(static_cast<double>(counts->held()));
    collected.Get(telemetry::kWireUnsentBytes, {}).Set(static_cast<double>(counts->unsent()));
  });
}

}  // namespace tollbridge::rpc
