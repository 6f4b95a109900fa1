#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_CALL_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_CALL_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "gateway/commands/grpc_channel.h"
#include "tollbridge/operations/v1/operations.pb.h"

/// What the commands about operations call the gateway with.
namespace tollbridge::gateway {

using Channel = std::shared_ptr<grpc::Channel>;

/// Makes the channel and runs `with` on it; kCallNotMade where that cannot be made.
template <typename With>
int WithChannel(const ChannelOptions& options, const With& with) {
  const absl::StatusOr<Channel> channel = MakeChannel(options);
  if (channel.ok()) return with(*channel);
  std::cerr << "tollbridge: " << channel.status().message() << "\n";
  return kCallNotMade;
}

/// Calls a method of Operations, and fills `response`.
inline UnaryEnd CallOperations(const Channel& channel, const std::string& name,
                               const google::protobuf::Message& request,
                               google::protobuf::Message* response) {
  const google::protobuf::ServiceDescriptor* service =
      operations::v1::Operation::descriptor()->file()->FindServiceByName("Operations");
  return CallUnary(channel, *service->FindMethodByName(name), request, response);
}

/// The same; nullopt: the error is told already.
template <typename Response>
std::optional<Response> AskOperations(const Channel& channel, const std::string& name,
                                      const google::protobuf::Message& request) {
  Response response;
  const UnaryEnd end = CallOperations(channel, name, request, &response);
  if (end.ok()) return response;
  PrintCallError(end);
  return std::nullopt;
}

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_CALL_H_
