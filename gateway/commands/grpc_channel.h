#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_GRPC_CHANNEL_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_GRPC_CHANNEL_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gateway/commands/exit_codes.h"

namespace CLI {
class App;
}  // namespace CLI

namespace google::protobuf {
class Message;
class MethodDescriptor;
}  // namespace google::protobuf

namespace grpc {
class Channel;
}  // namespace grpc

/// How commands of the program call the gateway: with or without TLS, any method that takes one
/// request.
namespace tollbridge::gateway {

/// Exit codes of commands that call: the call failed; it could not be made.
inline constexpr int kCallFailed = kFailed;
inline constexpr int kCallNotMade = kNotTried;

/// The way to the gRPC services. All files are PEM.
struct ChannelOptions {
  /// HOST:PORT.
  std::string address = "127.0.0.1:7440";
  /// Authorities of the server's certificate. Empty: plaintext, and the others must be empty too.
  std::string tls_ca;
  /// The caller's own certificate with its chain, and its key; both or none.
  std::string tls_certificate;
  std::string tls_key;
  /// The name that the server's certificate must have, when it is not the host of `address`.
  std::string tls_server_name;
};

/// Adds the options of a command that calls. `channel` outlives the reading of the command line.
void AddChannelOptions(CLI::App* command, ChannelOptions* channel);

/// A channel to call through; it connects with the first call. INVALID_ARGUMENT when the options do
/// not fit together, NOT_FOUND when a file cannot be read or is empty.
absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(const ChannelOptions& options);

struct UnaryOptions {
  /// How long the call may take. Absent: 15 s, and a stream as long as it lasts.
  std::optional<std::chrono::milliseconds> timeout;
  /// Sent as `traceparent` when not empty.
  std::string traceparent;
};

/// How a call ended.
struct UnaryEnd {
  /// gRPC's code; 0 is OK.
  int code = 0;
  std::string message;
  /// google.rpc.Status with the details, serialized; empty when there are none.
  std::string details;
  /// The answer was stored by an earlier call with the same key. Of a stream: false.
  bool replayed = false;

  bool ok() const { return code == 0; }
};

/// Calls `method` and waits for its end; blocks. Fills `response` when the call ended well. An
/// answer that is not a message of `response`'s type ends as INTERNAL.
UnaryEnd CallUnary(const std::shared_ptr<grpc::Channel>& channel,
                   const google::protobuf::MethodDescriptor& method,
                   const google::protobuf::Message& request, google::protobuf::Message* response,
                   const UnaryOptions& options = {});

/// Calls `method`, which answers with a stream, and waits for its end; blocks. Reads each message
/// into `response` and gives it to `on_message`, whose pace is that of the stream. One that is no
/// message of `response`'s type ends the call as INTERNAL.
UnaryEnd CallStream(const std::shared_ptr<grpc::Channel>& channel,
                    const google::protobuf::MethodDescriptor& method,
                    const google::protobuf::Message& request, google::protobuf::Message* response,
                    const std::function<void()>& on_message, const UnaryOptions& options = {});

/// The message as one line of JSON without its end, with the names of the .proto.
std::string ToJsonLine(const google::protobuf::Message& message);

/// The message as indented JSON, with the names of the .proto.
std::string ToJson(const google::protobuf::Message& message);

/// What kind of error the call ended with: the reason of its ErrorInfo, else the name of its code.
std::string ReasonOf(const UnaryEnd& end);

/// Writes code, message and details of an end that is not OK to stderr, and what to look at where
/// no gateway has answered. Returns kCallFailed.
int PrintCallError(const UnaryEnd& end);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_GRPC_CHANNEL_H_
