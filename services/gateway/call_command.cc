#include "services/gateway/call_command.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>

#include <future>
#include <iostream>
#include <memory>
#include <vector>

#include "google/rpc/status.pb.h"
#include "services/gateway/published_services.h"

namespace tollbridge::gateway {
namespace {

namespace pb = google::protobuf;

constexpr int kUsage = 2;

pb::util::JsonPrintOptions JsonOptions() {
  pb::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  return options;
}

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

int PrintError(const grpc::Status& status) {
  std::cerr << "error " << status.error_code() << ": " << status.error_message() << "\n";
  google::rpc::Status details;
  std::string json;
  if (details.ParseFromString(status.error_details()) && details.details_size() > 0 &&
      pb::util::MessageToJsonString(details, &json, JsonOptions()).ok()) {
    std::cerr << json;
  }
  return 1;
}

}  // namespace

int RunCall(const CallOptions& options) {
  const pb::MethodDescriptor* method = FindMethod(options.method);
  if (method == nullptr) {
    std::cerr << "there is no method '" << options.method << "'; ";
    PrintKnownMethods();
    return kUsage;
  }
  pb::MessageFactory* factory = pb::MessageFactory::generated_factory();
  const std::unique_ptr<pb::Message> request(factory->GetPrototype(method->input_type())->New());
  const std::unique_ptr<pb::Message> response(factory->GetPrototype(method->output_type())->New());
  if (const auto read = pb::util::JsonStringToMessage(options.request, request.get()); !read.ok()) {
    std::cerr << "the request is not a " << method->input_type()->name() << ": " << read.ToString()
              << "\n";
    return kUsage;
  }

  const auto channel = grpc::CreateChannel(options.address, grpc::InsecureChannelCredentials());
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + options.timeout);
  if (!options.traceparent.empty()) context.AddMetadata("traceparent", options.traceparent);
  const grpc::Slice bytes(request->SerializeAsString());
  const grpc::ByteBuffer out(&bytes, 1);
  grpc::ByteBuffer in;
  std::promise<grpc::Status> done;
  const std::string path = absl::StrCat("/", method->service()->full_name(), "/", method->name());
  stub.UnaryCall(&context, path, grpc::StubOptions(), &out, &in,
                 [&done](grpc::Status status) { done.set_value(std::move(status)); });
  const grpc::Status status = done.get_future().get();
  if (!status.ok()) return PrintError(status);

  std::vector<grpc::Slice> slices;
  std::string answer;
  if (!in.Dump(&slices).ok()) return kUsage;
  for (const grpc::Slice& slice : slices) {
    answer.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  std::string json;
  if (!response->ParseFromString(answer) ||
      !pb::util::MessageToJsonString(*response, &json, JsonOptions()).ok()) {
    std::cerr << "the answer is not a " << method->output_type()->name() << "\n";
    return kUsage;
  }
  if (context.GetServerInitialMetadata().contains("tollbridge-replay")) {
    std::cerr << "replayed: the outcome was stored by an earlier call\n";
  }
  std::cout << json;
  return 0;
}

}  // namespace tollbridge::gateway
