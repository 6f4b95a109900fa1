#ifndef TOLLBRIDGE_SERVICES_RPC_REFUSED_CALLERS_H_
#define TOLLBRIDGE_SERVICES_RPC_REFUSED_CALLERS_H_

#include <cstdint>
#include <string_view>

#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"

namespace tollbridge::rpc {

class Call;

/// Counts the calls that a link refuses for who made them (tollbridge_rpc_refused_callers_total),
/// and logs them: at most 5 lines a second, so that a caller who does not stop cannot fill the log.
/// The next line tells how many were left out. Belongs to one shard.
class RefusedCallers {
 public:
  RefusedCallers(telemetry::Metrics& metrics, const ports::Clock& clock)
      : metrics_(metrics), clock_(clock) {}

  /// `reason`: one of domain::reason. `project`: a configured name, or empty.
  void Tell(const Call& call, std::string_view reason, std::string_view project);

 private:
  bool MayLog();

  telemetry::Metrics& metrics_;
  const ports::Clock& clock_;
  BootTime second_began_{};
  int lines_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_REFUSED_CALLERS_H_
