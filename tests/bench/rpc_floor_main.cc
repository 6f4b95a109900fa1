#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tollbridge/bench/v1/floor.pb.h"

// The least that a gateway from gRPC to HTTP does for a call: it takes it with the callback API,
// hands it to the one thread that has the connections to the upstream, sends the same bytes there
// over a connection that is kept, reads the response, and answers what it always answers. Without
// codec, validation, deadlines or state: what ./dev bench rpc compares the gateway with.

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using tollbridge::bench::v1::FloorMethod;
using tollbridge::bench::v1::FloorProgram;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

/// Beast reads as much at a time as its buffer has room for, which is 512 bytes in the beginning.
constexpr std::size_t kReadBytes = 65536;

struct Connection {
  explicit Connection(asio::io_context& context) : socket(context) { buffer.reserve(kReadBytes); }
  tcp::socket socket;
  boost::beast::flat_buffer buffer;
};

/// The connections that are not in use. One thread.
class Upstream {
 public:
  Upstream(asio::io_context& context, std::uint16_t port)
      : context_(context), endpoint_(asio::ip::address_v4::loopback(), port) {}

  asio::io_context& context() { return context_; }

  /// Whether the response says success, and is whole.
  asio::awaitable<bool> Exchange(const std::string& request) {
    std::unique_ptr<Connection> connection = co_await Take();
    if (connection == nullptr) co_return false;
    const auto written =
        co_await asio::async_write(connection->socket, asio::buffer(request), kAwait);
    if (std::get<0>(written)) co_return false;
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    const auto read =
        co_await http::async_read(connection->socket, connection->buffer, parser, kAwait);
    const bool well =
        http::to_status_class(parser.get().result()) == http::status_class::successful;
    if (std::get<0>(read) || !well) co_return false;
    idle_.push_back(std::move(connection));
    co_return true;
  }

 private:
  asio::awaitable<std::unique_ptr<Connection>> Take() {
    std::unique_ptr<Connection> connection;
    if (!idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
      co_return connection;
    }
    connection = std::make_unique<Connection>(context_);
    const auto connected = co_await connection->socket.async_connect(endpoint_, kAwait);
    if (std::get<0>(connected)) co_return nullptr;
    boost::system::error_code ignored;
    connection->socket.set_option(tcp::no_delay(true), ignored);
    co_return connection;
  }

  asio::io_context& context_;
  tcp::endpoint endpoint_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

struct Method {
  FloorMethod what;
  std::vector<grpc::ByteBuffer> answers;
};

grpc::Status Refused() {
  return {grpc::StatusCode::UNAVAILABLE, "the upstream did not answer well"};
}

/// A call and its end; on the thread of the upstream from Run on.
template <typename Reactor>
asio::awaitable<void> Run(Upstream* upstream, const Method* method, Reactor* reactor) {
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
  Service(Upstream& upstream, std::vector<Method> methods) : methods_(std::move(methods)) {
    for (std::size_t i = 0; i < methods_.size(); ++i) {
      const Method& method = methods_[i];
      method.what.server_streaming() ? BindStream(upstream, method, static_cast<int>(i))
                                     : BindUnary(upstream, method, static_cast<int>(i));
    }
  }

 private:
  using Kind = grpc::internal::RpcMethod;

  void BindUnary(Upstream& upstream, const Method& method, int index) {
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

  void BindStream(Upstream& upstream, const Method& method, int index) {
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

std::vector<Method> ReadMethods(const std::string& path) {
  FloorProgram program;
  std::ifstream in(path, std::ios::binary);
  std::vector<Method> methods;
  if (!program.ParseFromIstream(&in)) return methods;
  for (FloorMethod& what : *program.mutable_methods()) {
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
  std::vector<Method> methods = ReadMethods(argv[1]);
  if (methods.empty()) {
    std::cerr << "rpc_floor: " << argv[1] << " holds no methods\n";
    return 1;
  }
  asio::io_context context(1);
  const auto work = asio::make_work_guard(context);
  Upstream upstream(context, static_cast<std::uint16_t>(std::atoi(argv[2])));
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
