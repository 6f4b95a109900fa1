#ifndef TOLLBRIDGE_TESTS_INTEROP_SERVER_TEST_SERVER_H_
#define TOLLBRIDGE_TESTS_INTEROP_SERVER_TEST_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/core/shard.h"
#include "base/wire/server.h"

namespace tollbridge::interop {

struct TestServerOptions {
  /// 0 = a free one.
  std::uint16_t port = 0;
  /// Certificate with its chain and its key, PEM. Empty = plain TCP.
  std::string certificate_file = {};
  std::string key_file = {};
};

/// A server of TestService on loopback, on two shards. Throws std::runtime_error when it cannot be
/// started.
class TestServer {
 public:
  explicit TestServer(const TestServerOptions& options = {});
  /// Ends what is under way.
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  std::uint16_t port() const { return server_->port(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  std::uint64_t refused(wire::Refusal refusal) const { return server_->counts()->of(refusal); }

 private:
  ShardPool shards_{2};
  std::unique_ptr<wire::Server> server_;
};

}  // namespace tollbridge::interop

#endif  // TOLLBRIDGE_TESTS_INTEROP_SERVER_TEST_SERVER_H_
