// The same as rpc_floor_main.cc, with base/wire as the server, on the thread that has the
// connections to the upstream: what is left of a call's cost when nothing is handed over, and what
// the gateway's own work is compared with.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/wire/server.h"
#include "tests/bench/floor_upstream.h"

namespace {

namespace asio = boost::asio;
namespace wire = tollbridge::wire;
using tollbridge::bench::FloorUpstream;
using tollbridge::bench::v1::FloorMethod;

asio::awaitable<void> Run(FloorUpstream& upstream, const FloorMethod& method,
                          std::shared_ptr<wire::ServerCall> call) {
  static const wire::CallStatus refused{absl::StatusCode::kUnavailable,
                                        "the upstream did not answer well"};
  call->TakeRequest();
  const bool answered = co_await upstream.Exchange(method.http_request());
  if (!answered) co_return call->Finish(refused, nullptr, {}, {});
  if (!method.server_streaming()) {
    co_return call->Finish({}, &method.answers(0), {}, {});
  }
  for (const std::string& answer : method.answers()) {
    const absl::Status written = co_await call->Write(answer, {});
    if (!written.ok()) co_return call->Finish(refused, nullptr, {}, {});
  }
  call->Finish({}, nullptr, {}, {});
}

wire::Methods MethodsOf(FloorUpstream& upstream, const std::vector<FloorMethod>& program) {
  wire::Methods methods;
  for (const FloorMethod& method : program) {
    methods[method.path()] = {
        .streams_requests = false,
        .start = [&upstream, &method](std::shared_ptr<wire::ServerCall> call) {
          const auto executor = call->executor();
          asio::co_spawn(executor, Run(upstream, method, std::move(call)), asio::detached);
        }};
  }
  return methods;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: wire_floor FILE PORT    offers the methods of FILE (a FloorProgram), with "
                 "its upstream at PORT, on a free loopback port\n";
    return 2;
  }
  const std::vector<FloorMethod> program = tollbridge::bench::ReadFloorMethods(argv[1]);
  if (program.empty()) {
    std::cerr << "wire_floor: " << argv[1] << " holds no methods\n";
    return 1;
  }
  asio::io_context context(1);
  FloorUpstream upstream(context, static_cast<std::uint16_t>(std::atoi(argv[2])));
  wire::ServerOptions options;
  options.methods = MethodsOf(upstream, program);
  const auto server = wire::Server::Start({context.get_executor()}, std::move(options));
  if (!server.ok()) {
    std::cerr << server.status() << "\n";
    return 1;
  }
  std::cout << R"({"address":"127.0.0.1:)" << (*server)->port() << "\"}" << std::endl;
  context.run();
  return 0;
}
