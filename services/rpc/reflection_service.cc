#include "services/rpc/reflection_service.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grpc/health/v1/health.pb.h"
#include "grpc/reflection/v1/reflection.pb.h"

namespace tollbridge::rpc {
namespace {

namespace pb = google::protobuf;
using grpc::reflection::v1::ExtensionRequest;
using grpc::reflection::v1::ServerReflectionRequest;
using grpc::reflection::v1::ServerReflectionResponse;

// The two have the same messages under another name.
constexpr const char* kServices[] = {"grpc.reflection.v1.ServerReflection",
                                     "grpc.reflection.v1alpha.ServerReflection"};

class Reflection {
 public:
  explicit Reflection(const MethodTable& methods) {
    for (const pb::ServiceDescriptor* service : methods.services()) {
      names_.push_back(service->full_name());
      Add(*service->file());
    }
    Add(*grpc::health::v1::HealthCheckRequest::descriptor()->file());
    names_.emplace_back("grpc.health.v1.Health");
    Add(*ServerReflectionRequest::descriptor()->file());
    names_.insert(names_.end(), std::begin(kServices), std::end(kServices));
  }

  ServerReflectionResponse Answer(const ServerReflectionRequest& request) const {
    ServerReflectionResponse response;
    response.set_valid_host(request.host());
    *response.mutable_original_request() = request;
    const pb::DescriptorPool& pool = *pb::DescriptorPool::generated_pool();
    switch (request.message_request_case()) {
      case ServerReflectionRequest::kListServices:
        for (const std::string& name : names_) {
          response.mutable_list_services_response()->add_service()->set_name(name);
        }
        break;
      case ServerReflectionRequest::kFileByFilename:
        Give(pool.FindFileByName(request.file_by_filename()), response);
        break;
      case ServerReflectionRequest::kFileContainingSymbol:
        Give(pool.FindFileContainingSymbol(request.file_containing_symbol()), response);
        break;
      case ServerReflectionRequest::kFileContainingExtension: {
        const ExtensionRequest& asked = request.file_containing_extension();
        const pb::FieldDescriptor* const found = Extension(asked.containing_type(), asked);
        Give(found == nullptr ? nullptr : found->file(), response);
        break;
      }
      case ServerReflectionRequest::kAllExtensionNumbersOfType:
        GiveExtensions(request.all_extension_numbers_of_type(), response);
        break;
      case ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
        Refuse(absl::StatusCode::kInvalidArgument, "nothing is asked for", response);
        break;
    }
    return response;
  }

 private:
  static void Refuse(absl::StatusCode code, const char* why, ServerReflectionResponse& response) {
    response.mutable_error_response()->set_error_code(static_cast<int>(code));
    response.mutable_error_response()->set_error_message(why);
  }

  static const pb::FieldDescriptor* Extension(const std::string& type,
                                              const ExtensionRequest& asked) {
    const pb::DescriptorPool& pool = *pb::DescriptorPool::generated_pool();
    const pb::Descriptor* const extended = pool.FindMessageTypeByName(type);
    return extended == nullptr ? nullptr
                               : pool.FindExtensionByNumber(extended, asked.extension_number());
  }

  // With what it imports.
  void Add(const pb::FileDescriptor& file) {
    if (!files_.emplace(&file, "").second) return;
    pb::FileDescriptorProto proto;
    file.CopyTo(&proto);
    files_[&file] = proto.SerializeAsString();
    for (int i = 0; i < file.dependency_count(); ++i) Add(*file.dependency(i));
  }

  // A file after what it imports, each once.
  void Collect(const pb::FileDescriptor& file, std::vector<const pb::FileDescriptor*>& all) const {
    if (std::find(all.begin(), all.end(), &file) != all.end()) return;
    all.push_back(&file);
    for (int i = 0; i < file.dependency_count(); ++i) Collect(*file.dependency(i), all);
  }

  void Give(const pb::FileDescriptor* file, ServerReflectionResponse& response) const {
    if (file == nullptr || !files_.contains(file)) {
      return Refuse(absl::StatusCode::kNotFound, "there is no such thing", response);
    }
    std::vector<const pb::FileDescriptor*> all;
    Collect(*file, all);
    for (const pb::FileDescriptor* each : all) {
      response.mutable_file_descriptor_response()->add_file_descriptor_proto(files_.at(each));
    }
  }

  void GiveExtensions(const std::string& type, ServerReflectionResponse& response) const {
    const pb::DescriptorPool& pool = *pb::DescriptorPool::generated_pool();
    const pb::Descriptor* const extended = pool.FindMessageTypeByName(type);
    if (extended == nullptr || !files_.contains(extended->file())) {
      return Refuse(absl::StatusCode::kNotFound, "there is no such type", response);
    }
    auto& numbers = *response.mutable_all_extension_numbers_response();
    numbers.set_base_type_name(type);
    std::vector<const pb::FieldDescriptor*> extensions;
    pool.FindAllExtensions(extended, &extensions);
    for (const pb::FieldDescriptor* extension : extensions) {
      if (files_.contains(extension->file())) numbers.add_extension_number(extension->number());
    }
  }

  std::vector<std::string> names_;
  std::map<const pb::FileDescriptor*, std::string> files_;
};

/// It answers whoever can connect, by more than it is asked, and an answer stays until it is taken.
constexpr std::size_t kLongestRequest = 4 * 1024;
constexpr std::size_t kMostStreams = 64;

/// One of the streams that there may be at a time, on all shards.
class Stream {
 public:
  explicit Stream(std::shared_ptr<std::atomic<std::size_t>> open)
      : open_(std::move(open)), taken_(open_->fetch_add(1) < kMostStreams) {}
  ~Stream() { open_->fetch_sub(1); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  bool taken() const { return taken_; }

 private:
  std::shared_ptr<std::atomic<std::size_t>> open_;
  bool taken_;
};

boost::asio::awaitable<void> Serve(std::shared_ptr<const Reflection> reflection,
                                   std::shared_ptr<std::atomic<std::size_t>> open,
                                   std::shared_ptr<wire::ServerCall> call) {
  wire::CallStatus end;
  const Stream stream(std::move(open));
  if (!stream.taken()) {
    end = {absl::StatusCode::kResourceExhausted, "too many streams of reflection at once"};
    call->Finish(end, nullptr, {}, {});
    co_return;
  }
  for (;;) {
    const auto bytes = co_await call->Read();
    if (!bytes.ok() || !bytes->has_value()) break;
    ServerReflectionRequest request;
    if ((*bytes)->size() > kLongestRequest || !request.ParseFromString(**bytes)) {
      end = {absl::StatusCode::kInvalidArgument, "a message is no ServerReflectionRequest"};
      break;
    }
    const absl::Status written =
        co_await call->Write(reflection->Answer(request).SerializeAsString(), {});
    if (!written.ok()) break;
  }
  call->Finish(end, nullptr, {}, {});
}

}  // namespace

void AddReflection(const MethodTable& methods, wire::Methods& bound) {
  const auto reflection = std::make_shared<const Reflection>(methods);
  const auto open = std::make_shared<std::atomic<std::size_t>>(0);
  for (const std::string service : kServices) {
    bound["/" + service + "/ServerReflectionInfo"] = {
        .streams_requests = true,
        .start = [reflection, open](std::shared_ptr<wire::ServerCall> call) {
          const auto executor = call->executor();
          boost::asio::co_spawn(executor, Serve(reflection, open, std::move(call)),
                                boost::asio::detached);
        }};
  }
}

}  // namespace tollbridge::rpc
