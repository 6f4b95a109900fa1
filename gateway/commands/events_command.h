#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_COMMAND_H_

#include <chrono>
#include <string>

#include "gateway/config/config.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

struct EventsTailOptions {
  bool from_beginning = false;
  /// Only events of this order or of its family's root; empty = all.
  std::string order;
  /// Ends with 0 after an event of this type; empty = goes on.
  std::string until;
  /// Ends with 1 when `until` did not come in this time; 0 = never.
  std::chrono::milliseconds timeout{0};
};

/// `tollbridge events tail`: prints each domain event as one JSON object a line, with its headers
/// and its payload in words. Returns the exit code.
int RunEventsTail(const Config& config, const Secrets& secrets, const EventsTailOptions& options);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_COMMAND_H_
