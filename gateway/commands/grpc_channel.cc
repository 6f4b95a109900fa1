#include "gateway/commands/grpc_channel.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/channel.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>
#include <CLI/CLI.hpp>

#include <future>
#include <iostream>
#include <utility>
#include <vector>

#include "base/core/status_macros.h"
#include "gateway/config/secret_file.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "services/rpc/code_name.h"

namespace tollbridge::gateway {
namespace {

namespace pb = google::protobuf;

// Of an empty text gRPC would make something else: the system's authorities, or no certificate.
absl::StatusOr<std::string> ReadPem(const std::string& path) {
  TB_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  if (text.empty()) return absl::NotFoundError(absl::StrCat(path, ": is empty"));
  return text;
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(
    const ChannelOptions& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return absl::InvalidArgumentError("--tls-certificate and --tls-key belong together");
  }
  if (options.tls_ca.empty()) {
    if (!options.tls_certificate.empty() || !options.tls_server_name.empty()) {
      return absl::InvalidArgumentError(
          "TLS needs --tls-ca: the authorities of the server's certificate");
    }
    return grpc::InsecureChannelCredentials();
  }
  grpc::SslCredentialsOptions tls;
  TB_ASSIGN_OR_RETURN(tls.pem_root_certs, ReadPem(options.tls_ca));
  if (!options.tls_certificate.empty()) {
    TB_ASSIGN_OR_RETURN(tls.pem_cert_chain, ReadPem(options.tls_certificate));
    TB_ASSIGN_OR_RETURN(tls.pem_private_key, ReadPem(options.tls_key));
  }
  return grpc::SslCredentials(tls);
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

grpc::ByteBuffer Buffer(const pb::Message& message) {
  const grpc::Slice bytes(message.SerializeAsString());
  return {&bytes, 1};
}

std::string PathOf(const pb::MethodDescriptor& method) {
  return absl::StrCat("/", method.service()->full_name(), "/", method.name());
}

constexpr std::chrono::seconds kUnaryTimeout(15);

void Prepare(grpc::ClientContext& context, const UnaryOptions& options,
             std::optional<std::chrono::milliseconds> timeout) {
  if (timeout) context.set_deadline(std::chrono::system_clock::now() + *timeout);
  if (!options.traceparent.empty()) context.AddMetadata("traceparent", options.traceparent);
}

UnaryEnd EndOf(const grpc::Status& status) {
  return {.code = status.error_code(),
          .message = status.error_message(),
          .details = status.error_details()};
}

UnaryEnd NotA(const pb::Message& response) {
  return {.code = grpc::StatusCode::INTERNAL,
          .message = absl::StrCat("the answer is not a ", response.GetDescriptor()->name())};
}

std::string Json(const pb::Message& message, bool indented) {
  pb::util::JsonPrintOptions options;
  options.add_whitespace = indented;
  options.preserve_proto_field_names = true;
  std::string json;
  // Fails for an Any whose type is not compiled in, and for text that is not UTF-8.
  if (pb::util::MessageToJsonString(message, &json, options).ok()) return json;
  return indented ? message.DebugString() : message.ShortDebugString();
}

}  // namespace

void AddChannelOptions(CLI::App* command, ChannelOptions* channel) {
  command->add_option("--address", channel->address, "HOST:PORT of the gRPC services")
      ->envname("TOLLBRIDGE_GRPC_ADDR")
      ->capture_default_str();
  command->add_option("--tls-ca", channel->tls_ca, "authorities of the server, PEM; none: no TLS")
      ->envname("TOLLBRIDGE_TLS_CA");
  command->add_option("--tls-certificate", channel->tls_certificate, "own certificate, PEM")
      ->envname("TOLLBRIDGE_TLS_CERTIFICATE");
  command->add_option("--tls-key", channel->tls_key, "key of the certificate, PEM")
      ->envname("TOLLBRIDGE_TLS_KEY");
  command
      ->add_option("--tls-server-name", channel->tls_server_name,
                   "name in the server's certificate, if not the host of --address")
      ->envname("TOLLBRIDGE_TLS_SERVER_NAME");
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(const ChannelOptions& options) {
  TB_ASSIGN_OR_RETURN(const auto credentials, Credentials(options));
  grpc::ChannelArguments arguments;
  if (!options.tls_server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.tls_server_name);
  }
  return grpc::CreateCustomChannel(options.address, credentials, arguments);
}

UnaryEnd CallUnary(const std::shared_ptr<grpc::Channel>& channel,
                   const pb::MethodDescriptor& method, const pb::Message& request,
                   pb::Message* response, const UnaryOptions& options) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  Prepare(context, options, options.timeout.value_or(kUnaryTimeout));
  const grpc::ByteBuffer out = Buffer(request);
  grpc::ByteBuffer in;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, PathOf(method), grpc::StubOptions(), &out, &in,
                 [&done](grpc::Status status) { done.set_value(std::move(status)); });
  const grpc::Status status = done.get_future().get();

  UnaryEnd end = EndOf(status);
  end.replayed = context.GetServerInitialMetadata().contains("tollbridge-replay");
  if (end.ok() && !response->ParseFromString(Bytes(in))) return NotA(*response);
  return end;
}

UnaryEnd CallStream(const std::shared_ptr<grpc::Channel>& channel,
                    const pb::MethodDescriptor& method, const pb::Message& request,
                    pb::Message* response, const std::function<void()>& on_message,
                    const UnaryOptions& options) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  Prepare(context, options, options.timeout);
  grpc::CompletionQueue queue;
  // One thing at a time is under way, so that its end is the next that the queue gives.
  const auto done = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto stream = stub.PrepareCall(&context, PathOf(method), &queue);
  stream->StartCall(nullptr);
  bool parsed = true;
  if (done()) {
    stream->WriteLast(Buffer(request), grpc::WriteOptions(), nullptr);
    bool more = done();
    while (more) {
      grpc::ByteBuffer in;
      stream->Read(&in, nullptr);
      more = done();
      if (!more) break;
      parsed = response->ParseFromString(Bytes(in));
      if (!parsed) context.TryCancel();
      more = parsed;
      if (parsed) on_message();
    }
  }
  grpc::Status status;
  stream->Finish(&status, nullptr);
  done();
  queue.Shutdown();
  return parsed ? EndOf(status) : NotA(*response);
}

std::string ToJsonLine(const pb::Message& message) { return Json(message, false); }

std::string ToJson(const pb::Message& message) { return Json(message, true); }

std::string ReasonOf(const UnaryEnd& end) {
  google::rpc::Status details;
  google::rpc::ErrorInfo info;
  if (details.ParseFromString(end.details)) {
    for (const pb::Any& detail : details.details()) {
      if (detail.UnpackTo(&info)) return info.reason();
    }
  }
  return std::string(rpc::CodeName(static_cast<absl::StatusCode>(end.code)));
}

int PrintCallError(const UnaryEnd& end) {
  std::cerr << "error " << rpc::CodeName(static_cast<absl::StatusCode>(end.code)) << ": "
            << end.message << "\n";
  google::rpc::Status details;
  if (details.ParseFromString(end.details) && details.details_size() > 0) {
    std::cerr << ToJson(details);
  } else if (end.code == grpc::StatusCode::UNAVAILABLE) {
    // The gateway's own errors have details.
    std::cerr << "no gateway has answered: is --address right, and is TLS there as the options say "
                 "(--tls-ca, --tls-certificate)?\n";
  }
  return kCallFailed;
}

}  // namespace tollbridge::gateway
