#include "tests/interop/server/test_server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <future>
#include <stdexcept>
#include <utility>

#include "base/net/tls.h"
#include "tests/interop/server/test_service.h"

namespace tollbridge::interop {
namespace {

/// large_unary sends 271,828 bytes.
constexpr std::size_t kLongestRequest = std::size_t{1} << 20;

std::shared_ptr<const net::TlsContext> Tls(const TestServerOptions& options) {
  if (options.certificate_file.empty()) return nullptr;
  auto tls = net::TlsContext::ForServer({.certificate_chain_file = options.certificate_file,
                                         .private_key_file = options.key_file,
                                         .protocol = "h2"});
  if (!tls.ok()) throw std::runtime_error(tls.status().ToString());
  return *std::move(tls);
}

}  // namespace

TestServer::TestServer(const TestServerOptions& options) {
  wire::ServerOptions own;
  own.port = options.port;
  own.tls = Tls(options);
  own.limits.max_request_bytes = kLongestRequest;
  own.methods = TestService();
  auto server =
      wire::Server::Start({shards_.at(0).executor(), shards_.at(1).executor()}, std::move(own));
  if (!server.ok()) throw std::runtime_error(server.status().ToString());
  server_ = *std::move(server);
  shards_.Start();
}

TestServer::~TestServer() {
  boost::asio::co_spawn(shards_.at(0).executor(),
                        server_->Stop(BootClock::now() + std::chrono::seconds(10)),
                        boost::asio::use_future)
      .get();
  shards_.Stop();
}

}  // namespace tollbridge::interop
