#ifndef TOLLBRIDGE_SERVICES_GATEWAY_CALL_COMMAND_H_
#define TOLLBRIDGE_SERVICES_GATEWAY_CALL_COMMAND_H_

#include <chrono>
#include <string>

namespace tollbridge::gateway {

struct CallOptions {
  /// HOST:PORT of the gRPC services, plaintext.
  std::string address = "127.0.0.1:7440";
  /// `Payments.CreateOrder`, or the full name.
  std::string method;
  /// The request as JSON, with the names of the .proto.
  std::string request = "{}";
  /// Sent as `traceparent` when not empty.
  std::string traceparent;
  std::chrono::milliseconds timeout{15'000};
};

/// `tollbridge call`: one unary RPC over the compiled-in descriptors, so that examples need no
/// other tool. Prints the response as JSON on stdout, or the error with its details on stderr.
/// Returns the exit code: 0 OK, 1 the RPC failed, 2 it could not be made.
int RunCall(const CallOptions& options);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_SERVICES_GATEWAY_CALL_COMMAND_H_
