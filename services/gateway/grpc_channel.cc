#include "services/gateway/grpc_channel.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>

#include <future>
#include <iostream>
#include <utility>
#include <vector>

#include "google/rpc/status.pb.h"
#include "services/base/status_macros.h"
#include "services/gateway/secret_file.h"

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

}  // namespace

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
  context.set_deadline(std::chrono::system_clock::now() + options.timeout);
  if (!options.traceparent.empty()) context.AddMetadata("traceparent", options.traceparent);
  const grpc::Slice bytes(request.SerializeAsString());
  const grpc::ByteBuffer out(&bytes, 1);
  grpc::ByteBuffer in;
  std::promise<grpc::Status> done;
  const std::string path = absl::StrCat("/", method.service()->full_name(), "/", method.name());
  stub.UnaryCall(&context, path, grpc::StubOptions(), &out, &in,
                 [&done](grpc::Status status) { done.set_value(std::move(status)); });
  const grpc::Status status = done.get_future().get();

  UnaryEnd end;
  end.code = status.error_code();
  end.message = status.error_message();
  end.details = status.error_details();
  end.replayed = context.GetServerInitialMetadata().contains("tollbridge-replay");
  if (end.ok() && !response->ParseFromString(Bytes(in))) {
    end.code = grpc::StatusCode::INTERNAL;
    end.message = absl::StrCat("the answer is not a ", response->GetDescriptor()->name());
  }
  return end;
}

std::string ToJson(const pb::Message& message) {
  pb::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  // Fails for an Any whose type is not compiled in, and for text that is not UTF-8.
  if (!pb::util::MessageToJsonString(message, &json, options).ok()) return message.DebugString();
  return json;
}

int PrintCallError(const UnaryEnd& end) {
  std::cerr << "error " << end.code << ": " << end.message << "\n";
  google::rpc::Status details;
  if (details.ParseFromString(end.details) && details.details_size() > 0) {
    std::cerr << ToJson(details);
  }
  return kCallFailed;
}

}  // namespace tollbridge::gateway
