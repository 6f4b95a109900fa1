#ifndef TOLLBRIDGE_TESTS_BENCH_RPC_SERVERS_H_
#define TOLLBRIDGE_TESTS_BENCH_RPC_SERVERS_H_

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/replay_upstream.h"
#include "tests/bench/rpc_load.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::bench {

/// The calls that are measured, by name.
inline constexpr const char* kGetOrder = "GetOrder";
inline constexpr const char* kCreateOrder = "CreateOrder";
inline constexpr const char* kSearchOrders = "SearchOrders";
inline constexpr const char* kExportOrders = "ExportOrders";

/// Orders at the sandbox, all of which the report has.
inline constexpr int kOrders = 1000;
/// Orders in a page of the search.
inline constexpr int kPageSize = 100;

struct ServerOptions {
  /// Put over the gateway's settings.
  test::StackSettings settings;
  /// The program; without it there is no Envoy.
  std::optional<std::string> envoy;
  /// An older `tollbridge`; without it there is none beside the gateway.
  std::optional<std::string> older;
  /// One more gateway that is called over TLS.
  bool tls = false;
  /// One more gateway with so many shards, and as many connections to it; 1 is none more.
  int shards = 1;
  /// Where the servers under measurement run, and where everything else does. Nowhere in
  /// particular: -1.
  int server_cpu = -1;
  int other_cpu = -1;
};

/// A server under measurement.
struct RpcServer {
  std::string name;
  pid_t pid = -1;
  /// redis-server, which a gateway writes to for a CreateOrder: its own, or the gateway's.
  pid_t redis = -1;
  RpcAddress address;
  /// By the name of the call.
  std::map<std::string, RpcTarget> targets;
};

/// How much goes through the servers in a call, in bytes.
struct CallSizes {
  std::size_t http_request = 0;
  std::size_t http_body = 0;
  std::size_t answer = 0;
};

/// The gateway, others of it, both floors and Envoy, of real processes, on one upstream that
/// answers them the same bytes: those that the sandbox has answered the gateway. The other gateways
/// have a store and topics of their own. Throws std::runtime_error when a part does not start, or
/// answers something else than an order.
class RpcServers {
 public:
  explicit RpcServers(const ServerOptions& options);

  const std::vector<RpcServer>& all() const { return servers_; }
  /// By the name of the call.
  const std::map<std::string, CallSizes>& sizes() const { return sizes_; }

 private:
  void AddGateway();
  void AddFloor(const std::string& name, const std::string& program);
  void AddEnvoy(const std::string& program);
  void AddOther(const std::string& name, const std::string& program,
                const test::StackSettings& settings, RpcAddress how);
  void Pin(pid_t process) const;

  ServerOptions options_;
  test::TempFolder folder_;
  test::TestCertificates certificates_{"IP:127.0.0.1"};
  ReplayUpstream upstream_;
  test::Stack stack_;
  std::vector<std::unique_ptr<test::Stack>> others_;
  std::vector<std::unique_ptr<test::Process>> floors_;
  std::unique_ptr<test::Process> envoy_;
  std::string order_id_;
  std::vector<RpcServer> servers_;
  std::map<std::string, CallSizes> sizes_;
  /// What the gateway answered to each call.
  std::map<std::string, std::vector<std::string>> answers_;
};

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_RPC_SERVERS_H_
