#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_WATCH_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_WATCH_COMMAND_H_

#include <chrono>
#include <string>

#include "gateway/commands/grpc_channel.h"

namespace tollbridge::gateway {

struct OrdersWatchOptions {
  ChannelOptions channel;
  /// May be empty when the gateway has one.
  std::string project;
  /// Id of the order, a UUID.
  std::string order;
  bool json = false;
  /// Gives up after so long; 0 = never.
  std::chrono::milliseconds timeout{0};
};

/// `tollbridge orders watch ID`: prints the order as it is and after each change, a line each,
/// until it is final as WatchOrder says it (ADR 16). A watch that the gateway ends before, because
/// the time of one call is over or it is shut down, is taken up again; what was printed is not
/// printed again. Exit codes: 0 the order is final; kCallFailed when it was not in time, or the
/// gateway answers with an error (also: no such order); kCallNotMade when the call cannot be made
/// or the id is none.
int RunOrdersWatch(const OrdersWatchOptions& options);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_WATCH_COMMAND_H_
