#include "tests/support/grpc_client.h"

#include <absl/status/status.h>
#include <google/protobuf/message.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace tollbridge::test {
namespace {

// A call that neither answers nor ends is a failed test, not one that hangs.
constexpr std::chrono::seconds kPatience{60};

std::string Path(std::string_view method) {
  const std::size_t dot = method.rfind('.');
  return "/" + std::string(method.substr(0, dot)) + "/" + std::string(method.substr(dot + 1));
}

grpc::ByteBuffer Buffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::string Bytes(const grpc::ByteBuffer& buffer) {
  std::string bytes;
  std::vector<grpc::Slice> slices;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

void Prepare(const RpcOptions& options, grpc::ClientContext& context) {
  if (options.deadline.has_value()) {
    context.set_deadline(std::chrono::system_clock::now() + *options.deadline);
  }
  for (const auto& [name, value] : options.metadata) context.AddMetadata(name, value);
}

using ServerMetadata = std::multimap<grpc::string_ref, grpc::string_ref>;

std::multimap<std::string, std::string> Copied(const ServerMetadata& sent) {
  std::multimap<std::string, std::string> metadata;
  for (const auto& [name, value] : sent) {
    metadata.emplace(std::string(name.data(), name.size()),
                     std::string(value.data(), value.size()));
  }
  return metadata;
}

std::multimap<std::string, std::string> InitialMetadata(const grpc::ClientContext& context) {
  return Copied(context.GetServerInitialMetadata());
}

std::multimap<std::string, std::string> TrailingMetadata(const grpc::ClientContext& context) {
  return Copied(context.GetServerTrailingMetadata());
}

RpcStatus Read(const grpc::Status& status) {
  RpcStatus out;
  out.code = status.error_code();
  out.message = status.error_message();
  out.details = status.error_details();
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return out;
  for (const auto& detail : details.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::RetryInfo retry;
    google::rpc::BadRequest bad;
    if (detail.UnpackTo(&info)) {
      out.reason = info.reason();
      out.domain = info.domain();
      out.metadata = {info.metadata().begin(), info.metadata().end()};
    } else if (detail.UnpackTo(&retry)) {
      out.retry_delay = std::chrono::seconds(retry.retry_delay().seconds()) +
                        std::chrono::milliseconds(retry.retry_delay().nanos() / 1'000'000);
    } else if (detail.UnpackTo(&bad)) {
      for (const auto& violation : bad.field_violations()) {
        out.violations.emplace_back(violation.field(), violation.description());
      }
    }
  }
  return out;
}

// Waits for the one operation that is under way on `queue`. Whether it went well.
bool Await(grpc::CompletionQueue& queue) {
  void* tag = nullptr;
  bool ok = false;
  const auto until = std::chrono::system_clock::now() + kPatience;
  if (queue.AsyncNext(&tag, &ok, until) != grpc::CompletionQueue::GOT_EVENT) {
    ADD_FAILURE() << "a gRPC call did not go on for " << kPatience.count() << " s";
    return false;
  }
  return ok;
}

}  // namespace

std::string RpcStatus::code_name() const {
  return absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
}

bool RpcStatus::names_field(std::string_view field) const {
  for (const auto& [name, description] : violations) {
    if (name == field) return true;
  }
  return false;
}

void RpcReply::ParseInto(google::protobuf::Message& message) const {
  EXPECT_TRUE(message.ParseFromString(bytes))
      << "the answer is not a " << message.GetTypeName() << "; status " << status.code_name() << " "
      << status.message;
}

class RpcStream::Impl {
 public:
  Impl(grpc::GenericStub& stub, const std::string& path, const std::string& request,
       const RpcOptions& options) {
    Prepare(options, context_);
    stream_ = stub.PrepareCall(&context_, path, &queue_);
    stream_->StartCall(nullptr);
    if (!Await(queue_)) return;
    stream_->WriteLast(Buffer(request), grpc::WriteOptions(), nullptr);
    Await(queue_);
  }
  ~Impl() {
    if (!finished_) {
      context_.TryCancel();
      Finish();
    }
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  std::optional<std::string> Read() {
    grpc::ByteBuffer message;
    stream_->Read(&message, nullptr);
    if (!Await(queue_)) return std::nullopt;
    return Bytes(message);
  }

  RpcStatus Finish() {
    grpc::Status status;
    stream_->Finish(&status, nullptr);
    Await(queue_);
    finished_ = true;
    return test::Read(status);
  }

  void Cancel() { context_.TryCancel(); }
  std::multimap<std::string, std::string> initial_metadata() const {
    return InitialMetadata(context_);
  }

 private:
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  bool finished_ = false;
};

RpcStream::RpcStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RpcStream::~RpcStream() = default;
std::optional<std::string> RpcStream::Read() { return impl_->Read(); }
RpcStatus RpcStream::Finish() { return impl_->Finish(); }
void RpcStream::Cancel() { impl_->Cancel(); }
std::multimap<std::string, std::string> RpcStream::initial_metadata() const {
  return impl_->initial_metadata();
}

class GrpcClient::Impl {
 public:
  Impl(const std::string& address, const std::optional<RpcTls>& tls,
       const std::string& service_config)
      : stub_(grpc::CreateCustomChannel(address, Credentials(tls), Arguments(service_config))) {}

  RpcReply CallBytes(const std::string& path, const std::string& request,
                     const RpcOptions& options) {
    grpc::ClientContext context;
    Prepare(options, context);
    grpc::CompletionQueue queue;
    grpc::ByteBuffer answer;
    grpc::Status status;
    const auto call = stub_.PrepareUnaryCall(&context, path, Buffer(request), &queue);
    call->StartCall();
    call->Finish(&answer, &status, nullptr);
    Await(queue);
    return {Read(status), Bytes(answer), InitialMetadata(context), TrailingMetadata(context)};
  }

  void Start(const std::string& path, const std::string& request, const RpcOptions& options,
             std::function<void(RpcReply)> done) {
    struct Started {
      grpc::ClientContext context;
      grpc::ByteBuffer request;
      grpc::ByteBuffer answer;
      std::function<void(RpcReply)> done;
    };
    auto call = std::make_shared<Started>();
    Prepare(options, call->context);
    call->request = Buffer(request);
    call->done = std::move(done);
    Started& started = *call;
    stub_.UnaryCall(&started.context, path, grpc::StubOptions(), &started.request, &started.answer,
                    [call = std::move(call)](grpc::Status status) mutable {
                      RpcReply reply{Read(status), Bytes(call->answer),
                                     InitialMetadata(call->context),
                                     TrailingMetadata(call->context)};
                      const auto done = std::move(call->done);
                      // Who waits for `done` may end the client, and gRPC does not bear that the
                      // last of its channel goes in a callback.
                      call.reset();
                      done(std::move(reply));
                    });
  }

  grpc::GenericStub& stub() { return stub_; }

 private:
  static std::shared_ptr<grpc::ChannelCredentials> Credentials(const std::optional<RpcTls>& tls) {
    if (!tls.has_value()) return grpc::InsecureChannelCredentials();
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = tls->root_certificates;
    options.pem_private_key = tls->private_key;
    options.pem_cert_chain = tls->certificate_chain;
    return grpc::SslCredentials(options);
  }

  static grpc::ChannelArguments Arguments(const std::string& service_config) {
    grpc::ChannelArguments arguments;
    // A connection of its own: channels of one address share one otherwise, also between tests.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    if (!service_config.empty()) arguments.SetServiceConfigJSON(service_config);
    return arguments;
  }

  grpc::GenericStub stub_;
};

GrpcClient::GrpcClient(const std::string& address, const std::optional<RpcTls>& tls,
                       const std::string& service_config)
    : impl_(std::make_unique<Impl>(address, tls, service_config)) {}
GrpcClient::~GrpcClient() = default;

RpcReply GrpcClient::Call(std::string_view method, const google::protobuf::Message& request,
                          const RpcOptions& options) {
  return impl_->CallBytes(Path(method), request.SerializeAsString(), options);
}

RpcReply GrpcClient::CallBytes(std::string_view method, const std::string& request,
                               const RpcOptions& options) {
  return impl_->CallBytes(Path(method), request, options);
}

void GrpcClient::Start(std::string_view method, const std::string& request,
                       const RpcOptions& options, std::function<void(RpcReply)> done) {
  impl_->Start(Path(method), request, options, std::move(done));
}

std::unique_ptr<RpcStream> GrpcClient::OpenStream(std::string_view method,
                                                  const std::string& request,
                                                  const RpcOptions& options) {
  return std::make_unique<RpcStream>(
      std::make_unique<RpcStream::Impl>(impl_->stub(), Path(method), request, options));
}

}  // namespace tollbridge::test
