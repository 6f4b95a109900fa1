#ifndef TOLLBRIDGE_TESTS_UNIT_GATEWAY_COMMANDS_FAKE_GATEWAY_H_
#define TOLLBRIDGE_TESTS_UNIT_GATEWAY_COMMANDS_FAKE_GATEWAY_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tollbridge::gateway {

/// Answers any method by its name, on a real socket.
class FakeGateway final : public grpc::CallbackGenericService {
 public:
  using Answer = std::pair<grpc::Status, std::string>;

  FakeGateway() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }
  ~FakeGateway() override { server_->Shutdown(); }

  /// By the method's short name.
  std::map<std::string, std::function<Answer(const std::string&)>> methods;
  /// The short names of what was called.
  std::vector<std::string> calls;
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Reactor(*this, context->method());
  }

 private:
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    Reactor(FakeGateway& gateway, const std::string& method)
        : gateway_(gateway), method_(method.substr(method.rfind('/') + 1)) {
      StartRead(&in_);
    }
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::CANCELLED);
      std::vector<grpc::Slice> slices;
      std::string request;
      static_cast<void>(in_.Dump(&slices));
      for (const grpc::Slice& slice : slices) {
        request.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
      }
      gateway_.calls.push_back(method_);
      auto [status, answer] = gateway_.methods.at(method_)(request);
      status_ = status;
      if (!status_.ok()) return Finish(status_);
      const grpc::Slice bytes(answer);
      out_ = grpc::ByteBuffer(&bytes, 1);
      StartWrite(&out_);
    }
    void OnWriteDone(bool) override { Finish(status_); }
    void OnDone() override { delete this; }

   private:
    FakeGateway& gateway_;
    std::string method_;
    grpc::ByteBuffer in_;
    grpc::ByteBuffer out_;
    grpc::Status status_;
  };

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_TESTS_UNIT_GATEWAY_COMMANDS_FAKE_GATEWAY_H_
