#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_CALL_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_CALL_COMMAND_H_

#include <string>

#include "gateway/commands/grpc_channel.h"

namespace tollbridge::gateway {

struct CallOptions {
  ChannelOptions channel;
  /// `Payments.CreateOrder`, or the full name.
  std::string method;
  /// The request as JSON, with the names of the .proto.
  std::string request = "{}";
  UnaryOptions unary;
};

/// `tollbridge call`: one RPC over the compiled-in descriptors, so that examples need no other
/// tool. Prints the response as JSON on stdout, of a stream each message as one line when it comes;
/// or the error with its details on stderr. Returns the exit code: 0 OK, kCallFailed or
/// kCallNotMade.
int RunCall(const CallOptions& options);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_CALL_COMMAND_H_
