#include "gateway/commands/call_command.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/json_util.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "gateway/commands/call_methods.h"
#include "gateway/commands/call_request.h"
#include "gateway/commands/grpc_channel.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

namespace pb = google::protobuf;

struct Options {
  ChannelOptions channel;
  /// `Payments.CreateOrder`, or the full name.
  std::string method;
  /// The request as JSON, with the names of the .proto.
  /// Also `-` for stdin, `@FILE`.
  std::string request = "{}";
  /// Instead of a call: names of all methods; what the one takes.
  bool list = false;
  bool describe = false;
  std::string traceparent;
  /// 0: as UnaryOptions has it.
  int timeout_seconds = 0;
};

/// Whether the answer says that its outcome is not known yet.
bool IsPending(const pb::Message& response) {
  const pb::FieldDescriptor* pending = response.GetDescriptor()->FindFieldByName("pending");
  return pending != nullptr &&
         pending->message_type() == operations::v1::PendingOperation::descriptor() &&
         response.GetReflection()->HasField(response, pending);
}

int NotMade(const absl::Status& status) {
  std::cerr << "tollbridge: " << status.message() << "\n";
  return kCallNotMade;
}

int Run(const Options& options) {
  UnaryOptions unary{.timeout = std::nullopt, .traceparent = options.traceparent};
  if (options.timeout_seconds > 0) unary.timeout = std::chrono::seconds(options.timeout_seconds);
  const auto found = FindMethod(options.method);
  if (!found.ok()) return NotMade(found.status());
  const pb::MethodDescriptor* method = *found;
  if (options.describe) {
    std::cout << MethodDescription(*method);
    return 0;
  }
  pb::MessageFactory* factory = pb::MessageFactory::generated_factory();
  const std::unique_ptr<pb::Message> request(factory->GetPrototype(method->input_type())->New());
  const std::unique_ptr<pb::Message> response(factory->GetPrototype(method->output_type())->New());
  const absl::StatusOr<std::string> json = ReadRequest(options.request, std::cin);
  if (!json.ok()) return NotMade(json.status());
  if (const absl::Status read = ParseRequest(*json, request.get()); !read.ok()) {
    std::cerr << "tollbridge: " << read.message() << "\n'tollbridge call --describe "
              << options.method << "' says what it takes\n";
    return kCallNotMade;
  }

  const auto channel = MakeChannel(options.channel);
  if (!channel.ok()) return NotMade(channel.status());
  if (method->server_streaming()) {
    const auto print = [&response] { std::cout << ToJsonLine(*response) << std::endl; };
    const UnaryEnd end = CallStream(*channel, *method, *request, response.get(), print, unary);
    return end.ok() ? 0 : PrintCallError(end);
  }
  const UnaryEnd end = CallUnary(*channel, *method, *request, response.get(), unary);
  if (!end.ok()) return PrintCallError(end);
  if (end.replayed) std::cerr << "replayed: the outcome was stored by an earlier call\n";
  std::cout << ToJson(*response);
  if (!IsPending(*response)) return 0;
  std::cerr << "pending: the outcome is not known yet; repeat the call with the same "
               "idempotency_key, or ask Operations.GetOperation\n";
  return kPending;
}

}  // namespace

void AddCall(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("call", "call an RPC: tollbridge call Payments.GetOrder '{...}'");
  const auto options = std::make_shared<Options>();
  command->add_option("method", options->method, "SERVICE.METHOD");
  command->add_option(
      "request", options->request,
      "the request as JSON; @FILE reads it from a file, - from stdin: card data and "
      "secrets on the command line are seen by others");
  command->add_flag("--list", options->list, "list the methods, call none");
  command->add_flag("--describe", options->describe,
                    "say what the method takes and answers, do not call it");
  AddChannelOptions(command, &options->channel);
  command->add_option("--traceparent", options->traceparent, "W3C trace context to send");
  AddTimeoutOption(command, &options->timeout_seconds,
                   "give up after so many seconds; without: 15, a stream never");
  command->callback([options, action] {
    if (options->list) {
      *action = [] {
        std::cout << MethodList();
        return 0;
      };
      return;
    }
    if (options->method.empty()) throw CLI::RequiredError("method or --list");
    *action = [options] { return Run(*options); };
  });
}

}  // namespace tollbridge::gateway
