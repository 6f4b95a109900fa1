#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_CLUSTER_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_CLUSTER_H_

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/chaos/driver/key_rings.h"
#include "tests/chaos/driver/options.h"
#include "tests/chaos/driver/redis_ways.h"
#include "tests/chaos/driver/sentinels.h"
#include "tests/support/gateway_process.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/stack.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::chaos {

/// Their callers use the same keys and the same numbers of their own.
inline constexpr std::array<test::StackProject, 2> kProjects = {test::kDemoProject,
                                                                test::kShopProject};

/// All processes of a run: Redis, Kafka, the sandbox, three gateways in all roles.
/// What starts and stops is for one thread, which must live as long as this; Start is for any.
class Cluster {
 public:
  explicit Cluster(const Options& options);

  /// Begins a call at a gateway; one that is down answers UNAVAILABLE, as a refused connection
  /// does.
  void Start(std::size_t gateway, std::string_view method, const std::string& request,
             Millis deadline, std::function<void(test::RpcReply)> done);

  void KillGateway(std::size_t gateway);
  void StartGateway(std::size_t gateway);
  void SignalGateway(std::size_t gateway, int signal);

  test::Stack& stack() { return *stack_; }
  /// Of the topology of one server.
  RedisWays& redis_ways() { return redis_ways_; }
  KeyRings& key_rings() { return *key_rings_; }
  /// nullptr for the topology of one server.
  Sentinels* sentinels() { return sentinels_.get(); }
  /// The broker of this run alone.
  test::KafkaBroker& kafka() { return kafka_; }
  /// The gateways' logs so far, those of killed ones too, as files in the folder.
  void WriteLogs(const std::string& folder);

 private:
  /// The stack's configuration, with the gateway's own way to Redis and its own keys in it.
  void WriteConfigurations();
  void KeepLog(std::size_t gateway);
  /// Leads webhooks to a gateway that runs, as a load balancer does.
  void PointIngress();

  RedisWays redis_ways_;
  test::TcpProxy ingress_;
  test::KafkaBroker kafka_;
  std::unique_ptr<Sentinels> sentinels_;
  std::unique_ptr<test::Stack> stack_;
  std::unique_ptr<KeyRings> key_rings_;
  test::TempFolder folder_;
  std::array<std::string, kGateways> configurations_;
  std::array<std::string, kGateways> programs_;
  test::Environment environment_;
  std::mutex mutex_;
  std::array<std::unique_ptr<test::GatewayProcess>, kGateways> gateways_;
  std::array<std::string, kGateways> logs_;
};

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_CLUSTER_H_
