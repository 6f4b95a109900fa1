#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/floor_upstream.h"

// The least that a gateway from gRPC to HTTP does for a call: it takes it with the callback API,
// hands it to the one thread that has the connections to the upstream, sends the same bytes there
// over a connection that is kept, reads the response, and answers what it always answers. Without
// codec, validation, deadlines or state: what ./dev bench rpc compares the gateway with.

namespace {

namespace asio = boost::asio;
using tollbridge::bench::FloorUpstream;
using tollbridge::bench::v1::FloorMethod;

struct Method {
  FloorMethod what;
  std::vector<grpc::ByteBuffer> answers;
};

grpc::Status Refused() {
  return {grpc::StatusCode::UNAVAILABLE, "the upstream did not answer well"};
}

/// A call and its end; on the thread of the upstream from Run on.
template <typename Reactor>
asio::awaitable<void> Run(FloorUpstream* upstream, const Method* method, Reactor* reactor) {
  const bool answered = co_await upstream->Exchange(method->what.http_request());
  reactor->End(answered);
}

class UnaryCall : public grpc::ServerUnaryReactor {
 public:
  UnaryCall(const Method& method, grpc::ByteBuffer& response)
      : method_(method), response_(response) {}
  void End(bool answered) {
    if (answered) response_ = method_.answers.front();
    Finish(answered ? grpc::Status::OK : Refused());
  }
  void OnDone() override { delete this; }

 private:
  const Method& method_;
  grpc::ByteBuffer& response_;
};

class StreamCall : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit StreamCall(const Method& method) : method_(method) {}
  void End(bool answered) {
    if (!answered) return Finish(Refused());
    WriteNext();
  }
  void OnWriteDone(bool ok) override { ok ? WriteNext() : Finish(Refused()); }
  void OnDone() override { delete this; }

 private:
  void WriteNext() {
    if (next_ == method_.answers.size()) return Finish(grpc::Status::OK);
    StartWrite(&method_.answers[next_++]);
  }

  const Method& method_;
  std::size_t next_ = 0;
};

class Service : public grpc::Service {
 public:
  Service(FloorUpstream& upstream, std::vector<Method> methods) : methods_(std::move(methods)) {
    for (std::size_t i = 0; i < methods_.size(); ++i) {
      const Method& method = methods_[i];
      method.what.server_streaming() ? BindStream(upstream, method, static_cast<int>(i))
                                     : BindUnary(upstream, method, static_cast<int>(i));
    }
  }

 private:
  using Kind = grpc::internal::RpcMethod;

  void BindUnary(FloorUpstream& upstream, const Method& method, int index) {
    AddMethod(new grpc::internal::RpcServiceMethod(method.what.path().c_str(), Kind::NORMAL_RPC,
                                                   nullptr));
    MarkMethodRawCallback(
        index, new grpc::internal::CallbackUnaryHandler<grpc::ByteBuffer, grpc::ByteBuffer>(
                   [&upstream, &method](grpc::CallbackServerContext*, const grpc::ByteBuffer*,
                                        grpc::ByteBuffer* response) -> grpc::ServerUnaryReactor* {
                     auto* call = new UnaryCall(method, *response);
                     asio::co_spawn(upstream.context(), Run(&upstream, &method, call),
                                    asio::detached);
                     return call;
                   }));
  }

  void BindStream(FloorUpstream& upstream, const Method& method, int index) {
    AddMethod(new grpc::internal::RpcServiceMethod(method.what.path().c_str(),
                                                   Kind::SERVER_STREAMING, nullptr));
    MarkMethodRawCallback(
        index,
        new grpc::internal::CallbackServerStreamingHandler<grpc::ByteBuffer, grpc::ByteBuffer>(
            [&upstream, &method](grpc::CallbackServerContext*, const grpc::ByteBuffer*)
                -> grpc::ServerWriteReactor<grpc::ByteBuffer>* {
              auto* call = new StreamCall(method);
              asio::co_spawn(upstream.context(), Run(&upstream, &method, call), asio::detached);
              return call;
            }));
  }

  const std::vector<Method> methods_;
};

std::vector<Method> MethodsOf(std::vector<FloorMethod> program) {
  std::vector<Method> methods;
  for (FloorMethod& what : program) {
    Method method;
    for (const std::string& answer : what.answers()) {
      const grpc::Slice slice(answer);
      method.answers.emplace_back(&slice, 1);
    }
    method.what = std::move(what);
    methods.push_back(std::move(method));
  }
  return methods;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: rpc_floor FILE PORT    offers the methods of FILE (a FloorProgram), with "
                 "its upstream at PORT, on a free loopback port\n";
    return 2;
  }
  std::vector<Method> methods = MethodsOf(tollbridge::bench::ReadFloorMethods(argv[1]));
  if (methods.empty()) {
    std::cerr << "rpc_floor: " << argv[1] << " holds no methods\n";
    return 1;
  }
  asio::io_context context(1);
  const auto work = asio::make_work_guard(context);
  FloorUpstream upstream(context, static_cast<std::uint16_t>(std::atoi(argv[2])));
  Service service(upstream, std::move(methods));
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  std::cout << R"({"address":"127.0.0.1:)" << port << "\"}" << std::endl;
  context.run();
  return 0;
}
