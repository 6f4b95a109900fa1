#ifndef TOLLBRIDGE_SERVICES_RPC_BLAME_H_
#define TOLLBRIDGE_SERVICES_RPC_BLAME_H_

#include <absl/status/status.h>

#include <span>
#include <string_view>

#include "base/core/boot_clock.h"

namespace tollbridge::rpc {

/// An error that a call can end with, and one of telemetry::kBlamed for it.
struct Blame {
  std::string_view reason;
  std::string_view who;
};

/// All reasons of errors, each once.
std::span<const Blame> AllBlames();

/// How a call went, as far as it decides who is to blame.
struct CallTimes {
  BootTime begun;
  BootTime ended;
  BootTime deadline;
  bool cancelled = false;  ///< the caller has gone
};

/// Of a call that failed. The caller is to blame who went away, or who gave less time than anybody
/// can keep; an error without a reason is ours.
Blame BlameFor(const absl::Status& status, const CallTimes& times);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_BLAME_H_
