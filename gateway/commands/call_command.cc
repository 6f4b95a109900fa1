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

#include "gateway/commands/grpc_channel.h"
#include "gateway/config/published_services.h"

namespace tollbridge::gateway {
namespace {

namespace pb = google::protobuf;

struct Options {
  ChannelOptions channel;
  /// `Payments.CreateOrder`, or the full name.
  std::string method;
  /// The request as JSON, with the names of the .proto.
  std::string request = "{}";
  std::string traceparent;
  /// 0: as UnaryOptions has it.
  int timeout_seconds = 0;
};

/// By full name, or by `Service.Method` among the published services.
const pb::MethodDescriptor* FindMethod(const std::string& name) {
  const pb::DescriptorPool* pool = pb::DescriptorPool::generated_pool();
  if (const pb::MethodDescriptor* method = pool->FindMethodByName(name)) return method;
  for (const std::string_view service : kPublishedServices) {
    const std::string_view package = service.substr(0, service.rfind('.'));
    const std::string full_name = std::string(package) + "." + name;
    if (const pb::MethodDescriptor* method = pool->FindMethodByName(full_name)) return method;
  }
  return nullptr;
}

void PrintKnownMethods() {
  std::cerr << "known methods:\n";
  for (const std::string_view name : kPublishedServices) {
    const pb::ServiceDescriptor* service =
        pb::DescriptorPool::generated_pool()->FindServiceByName(std::string(name));
    for (int i = 0; service != nullptr && i < service->method_count(); ++i) {
      std::cerr << "  " << service->name() << "." << service->method(i)->name() << "\n";
    }
  }
}

int Run(const Options& options) {
  UnaryOptions unary{.timeout = std::nullopt, .traceparent = options.traceparent};
  if (options.timeout_seconds > 0) unary.timeout = std::chrono::seconds(options.timeout_seconds);
  const pb::MethodDescriptor* method = FindMethod(options.method);
  if (method == nullptr) {
    std::cerr << "there is no method '" << options.method << "'; ";
    PrintKnownMethods();
    return kCallNotMade;
  }
  pb::MessageFactory* factory = pb::MessageFactory::generated_factory();
  const std::unique_ptr<pb::Message> request(factory->GetPrototype(method->input_type())->New());
  const std::unique_ptr<pb::Message> response(factory->GetPrototype(method->output_type())->New());
  if (const auto read = pb::util::JsonStringToMessage(options.request, request.get()); !read.ok()) {
    std::cerr << "the request is not a " << method->input_type()->name() << ": " << read.ToString()
              << "\n";
    return kCallNotMade;
  }

  const auto channel = MakeChannel(options.channel);
  if (!channel.ok()) {
    std::cerr << channel.status().message() << "\n";
    return kCallNotMade;
  }
  if (method->server_streaming()) {
    const auto print = [&response] { std::cout << ToJsonLine(*response) << std::endl; };
    const UnaryEnd end = CallStream(*channel, *method, *request, response.get(), print, unary);
    return end.ok() ? 0 : PrintCallError(end);
  }
  const UnaryEnd end = CallUnary(*channel, *method, *request, response.get(), unary);
  if (!end.ok()) return PrintCallError(end);
  if (end.replayed) std::cerr << "replayed: the outcome was stored by an earlier call\n";
  std::cout << ToJson(*response);
  return 0;
}

}  // namespace

void AddCall(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("call", "call an RPC: tollbridge call Payments.GetOrder '{...}'");
  const auto options = std::make_shared<Options>();
  command->add_option("method", options->method, "SERVICE.METHOD")->required();
  command->add_option("request", options->request, "the request as JSON");
  AddChannelOptions(command, &options->channel);
  command->add_option("--traceparent", options->traceparent, "W3C trace context to send");
  AddTimeoutOption(command, &options->timeout_seconds,
                   "give up after so many seconds; without: 15, a stream never");
  command->callback([options, action] { *action = [options] { return Run(*options); }; });
}

}  // namespace tollbridge::gateway
