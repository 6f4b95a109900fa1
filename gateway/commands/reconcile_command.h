#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_RECONCILE_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_RECONCILE_COMMAND_H_

#include <string>

#include "gateway/config/config.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

/// Exit code of `tollbridge reconcile`: it could not be compared.
inline constexpr int kNotCompared = 2;

struct ReconcileReportOptions {
  /// Ends of the period of creation, both included: RFC 3339, or how long ago, as 3d.
  std::string from;
  std::string to = "0s";
  /// Empty: all that are configured.
  std::string project;
  bool json = false;
  /// Write a hint for each difference.
  bool hint = false;
};

/// `tollbridge reconcile report`: compares the payment service's CSV report with the snapshots
/// (docs/design/events.md#reconciliation), and prints the differences, one a line, and a summary of
/// each project. Returns the exit code: 0 there are none, 1 there are some, 2 it could not be
/// compared.
int RunReconcileReport(const Config& config, const Secrets& secrets,
                       const ReconcileReportOptions& options);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_RECONCILE_COMMAND_H_
