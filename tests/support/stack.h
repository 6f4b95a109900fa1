#ifndef TOLLBRIDGE_TESTS_SUPPORT_STACK_H_
#define TOLLBRIDGE_TESTS_SUPPORT_STACK_H_

#include <boost/json/array.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message.h"
#include "tests/support/gateway_process.h"
#include "tests/support/grpc_client.h"
#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/shared_kafka.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"
#include "tests/support/topic.h"

namespace tollbridge::test {

class KafkaBroker;

/// Settings by section and name, as they stand in the configuration: {"rpc", {{"listen", "..."}}}.
using StackSettings = std::map<std::string, std::map<std::string, std::string>>;

struct StackOptions {
  /// The `tollbridge` that serves, and whose commands prepare the stores.
  std::string program = ProgramBeside("tollbridge");
  /// Put over those that the stack chooses.
  StackSettings settings;
  /// Go on the sandbox's command line.
  std::vector<std::string> sandbox_arguments;
  /// Go on the command line of redis-server: it keeps what it has, at once.
  std::vector<std::string> redis_arguments = {"--appendonly", "yes", "--appendfsync", "always"};
  /// Between the gateways and Redis, where the test puts something there; outlives the stack.
  TcpProxy* redis_proxy = nullptr;
  /// The broker of this stack alone, where the test stops it; outlives the stack. nullptr: the one
  /// that all tests share.
  KafkaBroker* kafka = nullptr;
  /// The brokers of this stack alone, where they are several.
  std::optional<KafkaAddress> brokers;
  /// The gateway, its callers, the payment service, its webhooks, Redis and Kafka speak TLS alone,
  /// and every certificate is verified: those of callers, and of the gateway at Redis and Kafka
  /// too. The caller is spiffe://shop.example/tests and may do everything.
  bool tls = false;
  /// With tls: certificates of another authority, PEM, that are let in as callers beside that one.
  std::string more_callers_ca;
  /// The payment service alone speaks TLS, with the certificate in these files, and trusts
  /// `webhooks_ca_file` where webhooks go to https. Not with tls.
  struct ServiceTls {
    std::string certificate_file;
    std::string key_file;
    /// Of its authority, for the gateway and for the test: it may have several.
    std::string ca_file;
    std::string webhooks_ca_file;
  };
  std::optional<ServiceTls> service_tls;
  /// Beside kDemoProject there is kShopProject, which the sandbox has too; each request then names
  /// its own.
  bool two_projects = false;
  /// Limits of kDemoProject, as they stand in its part of the configuration: "{payouts: [...]}".
  std::string limits;
  /// There are two stores, "first" and "second", which have a Redis each, and kDemoProject is kept
  /// in the first, kShopProject in the second. Not with tls or redis_proxy.
  bool two_stores = false;
  /// The gateway ends with SIGTERM, not with SIGKILL: one that counts what runs writes it then.
  bool ends_in_order = false;
};

/// A project of the sandbox that a stack can be configured with.
struct StackProject {
  std::string_view name;
  std::string_view id;
  std::string_view api_key;
  std::string_view webhook_token;
  bool test = false;
};
inline constexpr StackProject kDemoProject = {
    .name = "demo",
    .id = "11111111-1111-4111-8111-111111111111",
    .api_key = "sandbox-demo-key",
    .webhook_token = "e2e-0123456789abcdef0123456789abcdef",
    .test = true};
inline constexpr StackProject kShopProject = {
    .name = "shop",
    .id = "22222222-2222-4222-8222-222222222222",
    .api_key = "sandbox-shop-key",
    .webhook_token = "e2e-fedcba9876543210fedcba9876543210",
    .test = false};

/// The name of a key of kDemoProject in the store.
inline std::string DemoKey(std::string_view name) {
  return "tb:{" + std::string(kDemoProject.id) + "}:" + std::string(name);
}

/// The whole product as it is deployed, of real processes on free loopback ports: redis-server that
/// keeps its data when it is restarted, a Kafka broker with topics of this stack's own,
/// the sandbox, and a gateway in all roles. Intervals are short. Throws std::runtime_error when a
/// part does not start. One thread, but for what HttpCall and GrpcClient allow.
class Stack {
 public:
  /// Starts all of it; the gateway serves.
  explicit Stack(const StackOptions& options = {});
  /// Kills all of it but the broker. Prints the gateway's log if the test or its suite has failed.
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  /// Starts the gateway; kills the one that still runs. The ports change.
  void StartGateway(const Environment& environment = {});
  /// Starts one more beside it; the caller keeps it. It has the same configuration, and these roles
  /// where there are any.
  std::unique_ptr<GatewayProcess> OneMoreGateway(const Environment& environment = {},
                                                 const std::vector<std::string>& roles = {}) const;
  Process& gateway() { return gateway_->process(); }
  /// To the gateway that StartGateway has started.
  GrpcClient& grpc() { return gateway_->grpc(); }
  Process& sandbox() { return *sandbox_; }
  RedisServer& redis() { return redis_; }
  /// That of the store "second".
  RedisServer& second_redis() { return *second_redis_; }
  /// Has the configuration say that the project is kept in this store, "first" or "second": for
  /// gateways that are started from now on.
  void Move(const StackProject& project, const std::string& store);

  const std::string& grpc_address() const { return gateway_->grpc_address(); }
  const std::string& sandbox_url() const { return sandbox_url_; }
  /// Where the ingress listens, `http://host:port`; and with the path of the project's token.
  const std::string& ingress_origin() const { return gateway_->ingress_origin(); }
  std::string webhook_url() const;
  const std::string& metrics_url() const { return gateway_->metrics_url(); }
  /// What grpc() shows and trusts; nullopt without TLS.
  std::optional<RpcTls> caller_tls() const;

  const std::string& config_path() const { return config_path_; }
  const std::string& brokers() const { return kafka_.brokers; }
  /// A topic of this stack: "events", "hints", "dlq" or "operations". No other stack of any process
  /// has one of this name.
  std::string TopicName(std::string_view which) const;
  std::unique_ptr<Topic> OpenTopic(std::string_view which) const;
  /// How far the readers are behind the hints.
  std::unique_ptr<GroupLag> OpenLag() const;

  /// `tollbridge <arguments>`, to its end.
  Finished Tollbridge(std::vector<std::string> arguments) const;
  /// One HTTP exchange as HttpCall makes it, that trusts this stack's certificates.
  http::Response Http(const std::string& method, const std::string& url,
                      const std::string& body = "", const http::Headers& headers = {},
                      std::chrono::milliseconds limit = kPatientLimit) const;
  /// All orders at the sandbox, oldest first, however many there are.
  boost::json::array SandboxOrders() const;
  /// Some hundreds of them, oldest first: while it lists all the sandbox answers nobody else.
  boost::json::array NewestSandboxOrders() const;
  /// Effects on money, oldest first, as the sandbox's ledger has them.
  boost::json::array SandboxLedger() const;
  /// Puts a fault plan in force, JSON; "{}" ends all faults.
  void SandboxFaults(const std::string& plan) const;
  /// All attempts at webhooks that the sandbox has made. Throws when it shows no more of them.
  boost::json::array SandboxDeliveries() const;
  /// A sample of /metrics, by its name with labels as it is written there; 0 when there is none.
  double Metric(std::string_view name_and_labels) const;
  /// The answer of Redis to a command, as redis-cli prints it.
  std::string RedisCommand(std::vector<std::string> command) const;

 private:
  void StartSandbox(const std::vector<std::string>& arguments);
  void WriteSecrets() const;
  /// Its entry in the configuration; writes the files that it names, whose names begin with
  /// `files`.
  std::string Configured(const StackProject& project, const std::string& files) const;
  void WriteConfig() const;
  /// The section redis, or the list of stores with the same settings each.
  std::string StoresWith(const std::map<std::string, std::string>& settings) const;
  boost::json::array SandboxList(std::string_view what) const;

  TempFolder folder_;
  const StackOptions options_;
  const std::string program_;
  const std::string suffix_;
  /// One certificate for all parts; nullptr without TLS.
  std::unique_ptr<TestCertificates> certificates_;
  RedisServer redis_;
  std::unique_ptr<RedisServer> second_redis_;
  /// By project.
  std::map<std::string, std::string, std::less<>> stores_;
  const KafkaAddress kafka_;
  std::string config_path_;
  std::string sandbox_url_;
  std::unique_ptr<Process> sandbox_;
  std::unique_ptr<GatewayProcess> gateway_;
};

/// Test cards of the sandbox.
inline constexpr std::string_view kApprovedPan = "4111111111111111";
inline constexpr std::string_view kDeclinedPan = "4000000000000002";

/// What wallet B's script gives to the shop's page. `auth_method`: PAN_ONLY or CRYPTOGRAM_3DS.
std::string WalletBMessage(const Stack& stack, std::string_view auth_method,
                           std::string_view pan = kApprovedPan);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_STACK_H_
