#ifndef TOLLBRIDGE_SERVICES_RPC_CODE_NAME_H_
#define TOLLBRIDGE_SERVICES_RPC_CODE_NAME_H_

#include <cstddef>
#include <string_view>

#include <absl/status/status.h>

#include "base/telemetry/metric_definitions.h"

namespace tollbridge::rpc {

/// The canonical name of a code, `INVALID_ARGUMENT`, as metrics and log lines show it.
inline std::string_view CodeName(absl::StatusCode code) {
  const auto index = static_cast<std::size_t>(code);
  return index < telemetry::kGrpcCodes.size() ? telemetry::kGrpcCodes[index] : "UNKNOWN";
}

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_CODE_NAME_H_
