#ifndef TOLLBRIDGE_TESTS_SUPPORT_GRPC_CLIENT_H_
#define TOLLBRIDGE_TESTS_SUPPORT_GRPC_CLIENT_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace tollbridge::test {

/// How a call ended, with the details of google.rpc read.
struct RpcStatus {
  int code = 0;
  std::string message;
  /// ErrorInfo; empty when there was none.
  std::string reason;
  std::string domain;
  std::map<std::string, std::string> metadata;
  /// RetryInfo.
  std::optional<std::chrono::milliseconds> retry_delay;
  /// BadRequest: field and description, as sent.
  std::vector<std::pair<std::string, std::string>> violations;
  /// All details as they came: the bytes of a google.rpc.Status.
  std::string details;

  bool ok() const { return code == 0; }
  /// The canonical name, `INVALID_ARGUMENT`.
  std::string code_name() const;
  /// Whether BadRequest names this field.
  bool names_field(std::string_view field) const;
};

using RpcMetadata = std::vector<std::pair<std::string, std::string>>;

/// The end of a unary call.
struct RpcReply {
  RpcStatus status;
  std::string bytes;
  std::multimap<std::string, std::string> initial_metadata;
  std::multimap<std::string, std::string> trailing_metadata;

  /// The bytes as a message; fails the test when they are none.
  template <typename Message>
  Message As() const {
    Message message;
    ParseInto(message);
    return message;
  }

 private:
  void ParseInto(google::protobuf::Message& message) const;
};

struct RpcOptions {
  /// nullopt: the call carries no deadline.
  std::optional<std::chrono::milliseconds> deadline = std::chrono::seconds(20);
  RpcMetadata metadata;
};

/// A server stream. One thread at a time; Cancel from any.
class RpcStream {
 public:
  class Impl;
  explicit RpcStream(std::unique_ptr<Impl> impl);
  ~RpcStream();
  RpcStream(const RpcStream&) = delete;
  RpcStream& operator=(const RpcStream&) = delete;

  /// The bytes of the next message; nullopt at the end.
  std::optional<std::string> Read();
  /// The end of the stream, after Read returned nullopt or Cancel was called.
  RpcStatus Finish();
  void Cancel();
  std::multimap<std::string, std::string> initial_metadata() const;

 private:
  std::unique_ptr<Impl> impl_;
};

/// What a TLS client needs, as PEM text.
struct RpcTls {
  std::string root_certificates;
  /// Empty: the client shows no certificate.
  std::string private_key;
  std::string certificate_chain;
};

/// Calls any method of any gRPC server with bytes: what generated clients would refuse to send can
/// be sent too. Blocks; any thread, many calls at once. The address is host:port, plaintext.
/// Methods are named in full, `tollbridge.payments.v1.Payments.GetOrder`.
class GrpcClient {
 public:
  /// `service_config`: gRPC's, JSON; empty for none.
  explicit GrpcClient(const std::string& address, const std::optional<RpcTls>& tls = std::nullopt,
                      const std::string& service_config = "");
  ~GrpcClient();
  GrpcClient(const GrpcClient&) = delete;
  GrpcClient& operator=(const GrpcClient&) = delete;

  RpcReply Call(std::string_view method, const google::protobuf::Message& request,
                const RpcOptions& options = {});
  RpcReply CallBytes(std::string_view method, const std::string& request,
                     const RpcOptions& options = {});
  std::unique_ptr<RpcStream> OpenStream(std::string_view method, const std::string& request,
                                        const RpcOptions& options = {});
  /// Begins a call and does not wait; `done` is called once, on a thread of gRPC, also when this
  /// object is gone.
  void Start(std::string_view method, const std::string& request, const RpcOptions& options,
             std::function<void(RpcReply)> done);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_GRPC_CLIENT_H_
