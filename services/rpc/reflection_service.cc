#include "services/rpc/reflection_service.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grpc/health/v1/health.pb.h"
#include "grpc/reflection/v1/reflection.pb.h"
#include "services/rpc/wire_binding.h"

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
constexpr std::size_t kMostOfCaller = 16;

/// The streams that are open, on all shards. Any thread.
class Streams {
 public:
  /// Whether there may be one more, of this caller.
  bool Enter(const std::string& caller) {
    const std::lock_guard lock(mutex_);
    const auto found = of_caller_.find(caller);
    if (open_ >= kMostStreams) return false;
    if (found != of_caller_.end() && found->second >= kMostOfCaller) return false;
    ++open_;
    ++of_caller_[caller];
    return true;
  }

  void Leave(const std::string& caller) {
    const std::lock_guard lock(mutex_);
    --open_;
    const auto found = of_caller_.find(caller);
    if (found != of_caller_.end() && --found->second == 0) of_caller_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::size_t open_ = 0;
  std::map<std::string, std::size_t> of_caller_;
};

/// One of them, for as long as it lives.
class Stream {
 public:
  Stream(std::shared_ptr<Streams> streams, std::string caller)
      : streams_(std::move(streams)),
        caller_(std::move(caller)),
        taken_(streams_->Enter(caller_)) {}
  ~Stream() {
    if (taken_) streams_->Leave(caller_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  bool taken() const { return taken_; }

 private:
  std::shared_ptr<Streams> streams_;
  std::string caller_;
  bool taken_;
};

boost::asio::awaitable<void> Serve(std::shared_ptr<const Reflection> reflection,
                                   std::shared_ptr<Streams> streams,
                                   std::shared_ptr<wire::ServerCall> call) {
  wire::CallStatus end;
  const Stream stream(std::move(streams), CallerOf(call->peer()).identity);
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
  const auto streams = std::make_shared<Streams>();
  for (const std::string service : kServices) {
    bound["/" + service + "/ServerReflectionInfo"] = {
        .streams_requests = true,
        .start = [reflection, streams](std::shared_ptr<wire::ServerCall> call) {
          const auto executor = call->executor();
          boost::asio::co_spawn(executor, Serve(reflection, streams, std::move(call)),
                                boost::asio::detached);
        }};
  }
}

}  // namespace tollbridge::rpc
