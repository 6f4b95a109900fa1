#ifndef TOLLBRIDGE_TESTS_INTEROP_DUPLEX_CALL_H_
#define TOLLBRIDGE_TESTS_INTEROP_DUPLEX_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace tollbridge::interop {

/// A call of gRPC's client that streams both ways, step by step. Each step blocks.
class DuplexCall {
 public:
  explicit DuplexCall(const std::shared_ptr<grpc::Channel>& channel) : stub_(channel) {}
  ~DuplexCall();

  grpc::ClientContext& context() { return context_; }
  void Start(const std::string& path);
  /// Whether it could be sent.
  bool Write(const google::protobuf::Message& message);
  bool WritesDone();
  /// Whether there was a message more, which `message` is then.
  bool Read(google::protobuf::Message* message);
  grpc::Status Finish();

 private:
  /// The end of the step under way: whether it succeeded.
  bool Wait();

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

}  // namespace tollbridge::interop

#endif  // TOLLBRIDGE_TESTS_INTEROP_DUPLEX_CALL_H_
