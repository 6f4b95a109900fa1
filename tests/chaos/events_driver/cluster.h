#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_CLUSTER_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_CLUSTER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/chaos/events_driver/options.h"
#include "tests/support/gateway_process.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/kafka_cluster.h"
#include "tests/support/stack.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::pipeline {

/// All processes of a run: Redis behind a proxy, Kafka (one broker, or three), the sandbox, and one
/// process a role: "rpc", "webhooks-0", "webhooks-1" behind a proxy, "events-0" and so on in one
/// consumer group, "reconcile". What starts and stops is for one thread, which must live as long as
/// this; Call is for any.
class Cluster {
 public:
  explicit Cluster(const Options& options);
  ~Cluster();

  /// A call at the process of the role rpc. Blocks.
  test::RpcReply Call(std::string_view method, const std::string& request);

  void Start(const std::string& name);
  /// What is started from now on has the short baseline of the intervals.
  void ShortenBaseline();
  /// SIGKILL.
  void Kill(const std::string& name);
  /// SIGTERM, and waits for the end: what a rolling update does.
  void Stop(const std::string& name);
  void Signal(const std::string& name, int signal);
  bool Runs(const std::string& name) const { return processes_.contains(name); }
  /// Names of the processes that run and begin so.
  std::vector<std::string> Running(std::string_view prefix) const;

  /// Whether the search sweep has been through all orders since Redis knew of none. Redis must be
  /// there.
  bool AllOrdersNoticed() const;

  /// What the metrics of a process say.
  double EventsPublishedBy(const std::string& name) const;

  test::Stack& stack() { return *stack_; }
  test::TcpProxy& redis_proxy() { return redis_proxy_; }
  /// The broker of this run alone, where it is one that disturbs; throws std::bad_optional_access
  /// in any other, which uses the one that all tests share.
  test::KafkaBroker& kafka() { return kafka_.value(); }
  /// nullptr in the topology of one broker.
  test::KafkaCluster* brokers() { return brokers_.get(); }
  /// Where the payment service sends webhooks, with the token; and without.
  std::string webhook_url() const;
  std::string ingress_origin() const { return "http://" + ingress_.address(); }
  const Intervals& intervals() const { return intervals_; }
  /// From now on the log of each broker of this run goes into a file of the folder.
  void KeepBrokerLogs(const std::string& folder);
  /// Logs of all processes so far, those of killed ones too, as files in the folder.
  void WriteLogs(const std::string& folder);

 private:
  void KeepLog(const std::string& name);
  /// Leads webhooks to an ingress that runs, as a load balancer does.
  void PointIngress();

  const Intervals intervals_;
  test::TempFolder folder_;
  /// What the gateways find in their environment, and the program of the reader that is another's.
  test::Environment environment_;
  std::string other_reader_;
  std::string other_program_;
  test::TcpProxy redis_proxy_;
  test::TcpProxy ingress_;
  std::optional<test::KafkaBroker> kafka_;
  std::unique_ptr<test::KafkaCluster> brokers_;
  std::unique_ptr<test::Stack> stack_;
  std::string config_path_;
  std::string token_path_;
  std::map<std::string, std::unique_ptr<test::GatewayProcess>> processes_;
  /// Of the process of the role rpc, which is never killed.
  test::GrpcClient* rpc_ = nullptr;
  std::map<std::string, std::string> logs_;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_CLUSTER_H_
