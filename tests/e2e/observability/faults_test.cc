// Each fault of the table in docs/reliability.md on the real product: the alerts that it names
// reach Alertmanager, no other page does, and they are over when the fault is. The rules are those
// of the file, 60 times as fast (ShortenedRules). TOLLBRIDGE_WRITE_FAULTS=1 writes the table's
// figures, TOLLBRIDGE_ONLY_FAULT=NAME makes the fault of this name alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/core/encoding.h"
#include "tests/e2e/observability/expressions.h"
#include "tests/e2e/observability/fault_night.h"
#include "tests/e2e/observability/faults.h"
#include "tests/e2e/support/mutations.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/held_port.h"
#include "tests/support/http_call.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/produce.h"
#include "tests/support/read_file.h"
#include "tests/support/stopped_thread.h"
#include "tests/support/topic.h"
#include "tollbridge/events/v1/hint.pb.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::Contains;
using testing::ElementsAreArray;
using testing::HasSubstr;

/// What is lost is known to be lost after some seconds, and a machine that does much else is not
/// taken for a fault.
StackSettings NightSettings() {
  StackSettings settings = ShortIntervals();
  auto& operations = settings["operations"];
  operations["send_window"] = "2s";
  operations["attempt_deadline"] = "3s";
  operations["lease_margin"] = "1s";
  operations["lease"] = "7s";
  operations["look_timeout"] = "3s";
  operations["resolver_lease"] = "8s";
  operations["store_timeout"] = "3s";
  settings["process"]["roles"] = "[rpc]";
  settings["webhooks"]["public_url"] = "''";
  settings["payment_service"]["breaker_open"] = "1s";
  settings["redis"]["failover_doubt"] = "10s";
  settings["kafka"]["session_timeout"] = "6s";
  // The sweep alone finds what nobody told of, and soon.
  settings["reconcile"]["sweep_interval"] = "1s";
  return settings;
}

FaultNight::Options Night() {
  return {.stack = {.settings = NightSettings(), .sandbox_arguments = ImmediateSandbox()},
          .others = {{"webhooks", "events", "reconcile"}},
          .webhooks = true};
}

/// A clock that redis-server is started with, and that can be set.
class SetClock {
 public:
  SetClock() { Set(0); }
  void Set(std::int64_t ahead_seconds) const {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.write(reinterpret_cast<const char*>(&ahead_seconds), sizeof ahead_seconds);
  }
  /// What `start` starts has it.
  void With(const std::function<void()>& start) const {
    ::setenv("STEPPED_CLOCK", path_.c_str(), 1);
    ::setenv("LD_PRELOAD", ProgramBeside("stepped_clock.so").c_str(), 1);
    start();
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("STEPPED_CLOCK");
  }

 private:
  TempFolder folder_;
  const std::string path_ = folder_.Write("ahead", std::string(sizeof(std::int64_t), '\0'));
};

/// `check-config --online` finds what is wrong.
void CheckConfigFindsIt(Stack& stack, const std::string& role = "rpc") {
  const Finished checked = stack.Tollbridge(
      {"check-config", "--config", stack.config_path(), "--role", role, "--online"});
  EXPECT_NE(checked.code, 0) << checked.output;
}

TEST(FaultsTest, OfTheStore) {
  FaultNight night(Night());
  Stack& stack = night.stack();
  const SetClock clock;
  const auto restart = [&] { clock.With([&] { stack.redis().Restart(); }); };
  // It ends with 1 where there is a doubt.
  const auto status = [&] {
    const Finished told = stack.Tollbridge({"store", "status", "--config", stack.config_path()});
    EXPECT_THAT(told.output, HasSubstr("epoch")) << told.error;
  };
  const auto doubted = [&] {
    const Finished told = stack.Tollbridge({"store", "status", "--config", stack.config_path()});
    EXPECT_THAT(told.output, HasSubstr("DOUBTED")) << told.error;
  };
  night.Meets("Redis is stopped", {.make = [&] { stack.redis().Stop(); },
                                   .look = [&] { CheckConfigFindsIt(stack); },
                                   .end = restart});
  // While nobody calls: a second without Redis is a minute here.
  night.Meets("Redis loses its last writes", {.make =
                                                  [&] {
                                                    night.StopCallers();
                                                    restart();
                                                    night.StartCallers();
                                                  },
                                              .look = status});
  night.Meets("Redis hangs",
              {.make = [&] { stack.redis().Pause(); }, .end = [&] { stack.redis().Resume(); }});
  // Every other half second it answers nobody for a while.
  std::optional<Paced> slow;
  night.Meets("Redis is slow", {.make =
                                    [&] {
                                      slow.emplace(std::chrono::milliseconds(500), [&] {
                                        stack.RedisCommand({"CLIENT", "PAUSE", "300", "ALL"});
                                      });
                                    },
                                .look = status,
                                .end = [&] { slow.reset(); }});
  night.Meets("The clock of Redis is set", {.make = [&] { clock.Set(30); }, .look = status});
  night.Meets("Redis is flushed",
              {.make = [&] { stack.RedisCommand({"FLUSHALL"}); }, .look = doubted});
  night.Meets("The memory of Redis is full",
              {.make = [&] { stack.RedisCommand({"CONFIG", "SET", "maxmemory", "1mb"}); },
               .look = status,
               .end = [&] { stack.RedisCommand({"CONFIG", "SET", "maxmemory", "0"}); }});
  // Scripts of operations alone need it.
  night.Meets("A right at Redis is taken away",
              {.make = [&] { stack.RedisCommand({"ACL", "SETUSER", "default", "-set"}); },
               .end = [&] { stack.RedisCommand({"ACL", "SETUSER", "default", "+set"}); }});
}

/// An order that carries the mark of the operation that made `order`, made at the payment service
/// itself, and paid.
void PayATwinOf(const common::v1::Order& order, Stack& stack) {
  const http::Headers merchant{{"Authorization", "Basic " + Base64Encode("sandbox-demo-key:")},
                               {"Content-Type", "application/json"}};
  const auto call = [&](const std::string& method, const std::string& path,
                        const std::string& body) {
    const http::Response answer = stack.Http(method, stack.sandbox_url() + path, body, merchant);
    if (answer.status >= 300) throw std::runtime_error(path + ": " + answer.body);
    return json::parse(answer.body).as_object();
  };
  const json::object original = call("GET", "/v1/orders/" + order.id() + "/", "");
  json::object twin{{"amount", 1250}, {"currency", "EUR"}, {"extra", original.at("extra")}};
  for (const char* field : {"return_url", "failure_url"}) {
    if (const json::value* url = original.if_contains(field)) twin[field] = *url;
  }
  const json::object made = call("POST", "/v1/orders/", json::serialize(twin));
  call("POST", "/_sandbox/orders/" + std::string(made.at("id").as_string()) + "/pay",
       R"({"outcome":"approve"})");
}

TEST(FaultsTest, OfThePaymentService) {
  TcpProxy way;
  FaultNight::Options options = Night();
  options.sandbox_proxy = &way;
  const std::string there = "http://" + way.address();
  auto& service = options.stack.settings["payment_service"];
  service["base_url"] = there;
  service["vault_url"] = there + "/vault";
  service["wallet_token_url"] = there + "/wallet-b";
  FaultNight night(options);
  Stack& stack = night.stack();
  const auto faults = [&](const std::string& on, const std::string& fault) {
    return [&stack, on, fault] {
      stack.SandboxFaults(R"({"rules":[{"on":{)" + on + R"(},"fault":)" + fault + "}]}");
    };
  };
  const auto no_faults = [&] { stack.SandboxFaults("{}"); };
  const auto operations = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "operations");
    arguments.insert(arguments.end(), {"--address", stack.grpc_address()});
    return night.Tollbridge(std::move(arguments));
  };
  const auto close = [&](const std::string& reason, const std::string& as) {
    const std::string listed = operations({"list", "--state", "needs-review"});
    static const std::regex id("[0-9a-f]{8}-[0-9a-f-]{27}");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(listed, found, id)) << listed;
    EXPECT_THAT(listed, HasSubstr(reason));
    operations({"resolve", found[0], "--as", as, "--note", "case 4711", "--yes"});
  };

  night.Meets("The payment service is away",
              {.make =
                   [&] {
                     way.SetUpstream(0);
                     way.Cut();
                   },
               .look = [&] { CheckConfigFindsIt(stack); },
               .end = [&] { way.SetUpstream(night.SandboxPort()); }});
  night.Meets("The payment service hangs", {.make = [&] { stack.sandbox().Pause(); },
                                            .end = [&] { stack.sandbox().Signal(SIGCONT); }});
  night.Meets("The payment service answers 401",
              {.make = faults(
                   R"("operation":["create_order","get_order","search_orders","list_currencies"])",
                   R"({"kind":"status","status":401})"),
               .look = [&] { CheckConfigFindsIt(stack); },
               .end = no_faults});
  night.Meets("The payment service answers 429",
              {.make = faults(R"("operation":"create_order","probability":0.5)",
                              R"({"kind":"too_many_requests","retry_after_seconds":1})"),
               .end = no_faults});
  night.Meets("Answers are lost",
              {.make = faults(R"("operation":"create_order","probability":0.15)",
                              R"({"kind":"drop_before"})"),
               .look = [&] { operations({"list", "--state", "unknown"}); },
               .end = no_faults});
  night.Meets(
      "A refund cannot be found again",
      {.make =
           [&] {
             const Mutation refund = Prepare(stack, Kind::kRefund, "lost");
             stack.SandboxFaults(FirstCallMeets(Kind::kRefund, R"({"kind":"drop_before"})"));
             EXPECT_TRUE(CallUntilDefinite(stack.grpc(), refund).pending);
           },
       .look = no_faults,
       .end = [&] { close("ABSENT_NOT_REPEATABLE", "not-executed"); }});
  night.Meets(
      "An order that nobody knows is paid",
      {.make = [&] { PayATwinOf(OrderOf(CreateOrder(stack, OrderRequest("of-a-twin"))), stack); },
       .end = [&] { close("ORPHAN_PAID", "done"); }});
}

/// `tollbridge serve` with the role rpc whose log goes to a disk that is full, and callers of it.
class FullLog {
 public:
  explicit FullLog(const Stack& stack) {
    std::string config = ReadFile(stack.config_path());
    const std::string rpc = AddressOf(rpc_port_);
    const std::string metrics = AddressOf(metrics_port_);
    metrics_url_ = "http://" + metrics + "/metrics";
    config = std::regex_replace(config, std::regex("\nrpc:\n((  .*\n)*?)  listen: .*\n"),
                                "\nrpc:\n$1  listen: " + rpc + "\n");
    const std::string path = folder_.Write("tollbridge.yaml", config);
    process_ = std::make_unique<Process>(std::vector<std::string>{
        "sh", "-c",
        "exec " + ProgramBeside("tollbridge") + " serve --role rpc --config " + path +
            " --metrics-listen " + metrics + " >/dev/full"});
    client_ = std::make_unique<GrpcClient>(rpc);
    EXPECT_TRUE(Eventually([&] { return Call(); })) << process_->standard_error();
    calls_ = std::make_unique<Paced>(std::chrono::milliseconds(100), [this] { Call(); });
  }
  const std::string& metrics_url() const { return metrics_url_; }

 private:
  static std::string AddressOf(const HeldPort& port) {
    return "127.0.0.1:" + std::to_string(port.port());
  }
  /// Whether it was answered: there is no such order.
  bool Call() {
    payments::v1::GetOrderRequest request;
    request.set_order_id(std::string(kNobodysOrder));
    return client_->Call(kGetOrder, request).status.code_name() == "NOT_FOUND";
  }

  TempFolder folder_;
  const HeldPort rpc_port_;
  const HeldPort metrics_port_;
  std::string metrics_url_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<GrpcClient> client_;
  std::unique_ptr<Paced> calls_;
};

TEST(FaultsTest, OfThePipelineAndItsRoles) {
  enum : std::size_t { kIngress, kReader, kReconciler };
  KafkaBroker kafka;
  FaultNight::Options options = Night();
  options.stack.kafka = &kafka;
  options.stack.settings["rpc"]["local_permissions"] =
      "[payments.create, payments.execute, payments.read, operations.read]";
  options.others = {{"webhooks"}, {"events"}, {"reconcile"}};
  FaultNight night(options);
  Stack& stack = night.stack();
  const std::string config = stack.config_path();

  night.Meets("Kafka is stopped", {.make = [&] { kafka.Stop(); },
                                   .look = [&] { CheckConfigFindsIt(stack, "events"); },
                                   .end = [&] { kafka.Start(); }});
  const auto missing = [&](const std::string& role, std::size_t number) {
    night.Meets(
        "No process has the role " + role,
        {.make = [&] { night.other(number)->process().Kill(); },
         .look =
             [&] {
               night.Tollbridge({"check-config", "--config", config, "--role", role, "--online"});
             },
         .end = [&] { night.StartOther(number); }});
  };
  missing("events", kReader);
  missing("reconcile", kReconciler);
  night.Meets("No process has the role rpc", {.make =
                                                  [&] {
                                                    night.StopCallers();
                                                    stack.gateway().Kill();
                                                  },
                                              .end = [&] { night.StartGateway(); }});
  const fs::path tokens = fs::path(config).parent_path() / "webhook-tokens";
  const auto put = [&](std::string_view token) { std::ofstream(tokens) << token << "\n"; };
  night.Meets("The token of the webhooks is taken away",
              {.make = [&] { put("e2e-another-token-0123456789abcdef0123"); },
               .end = [&] { put(kDemoProject.webhook_token); }});
  night.Meets("No webhook comes",
              {.make = [&] { night.StopWebhooks(); }, .end = [&] { night.StartWebhooks(); }});
  night.Meets(
      "What is no hint stands on the topic of hints",
      {.make = [&] { ProduceTo(stack.brokers(), stack.TopicName("hints"), "key", "no hint"); },
       .look =
           [&] {
             EXPECT_THAT(night.Tollbridge({"dlq", "list", "--config", config}),
                         HasSubstr("unparsable"));
           }});
  // Of an order that cannot be read now, more than a reader takes before it has finished others.
  std::optional<Paced> flood;
  events::v1::Hint hint;
  hint.set_order_id(std::string(kNobodysOrder));
  hint.set_project("demo");
  hint.set_source(events::v1::HINT_SOURCE_WEBHOOK);
  const TopicRecord record{.key = "demo:" + hint.order_id(), .value = hint.SerializeAsString()};
  night.Meets("More hints come than can be read",
              {.make =
                   [&] {
                     stack.sandbox().Pause();
                     flood.emplace(std::chrono::milliseconds(500), [&] {
                       ProduceAll(stack.brokers(), stack.TopicName("hints"),
                                  std::vector<TopicRecord>(2000, record));
                     });
                   },
               .end =
                   [&] {
                     flood.reset();
                     stack.sandbox().Signal(SIGCONT);
                   }});
  // What a reader that died at it leaves in the index.
  night.Meets(
      "Nobody publishes an outbox",
      {.make = [&] { stack.RedisCommand({"ZADD", DemoKey("pending"), "1", "sixteen bytes id"}); },
       .look = [&] { night.Tollbridge({"topics", "check", "--config", config}); },
       .end = [&] { stack.RedisCommand({"ZREM", DemoKey("pending"), "sixteen bytes id"}); }});
  night.Meets("A caller asks for what it may not", {.make = [&] {
                const RpcReply reply = stack.grpc().Call("tollbridge.search.v1.Search.SearchOrders",
                                                         search::v1::SearchOrdersRequest());
                EXPECT_EQ(reply.status.reason, "PERMISSION_DENIED");
                EXPECT_ANY_THROW(HttpGet("http://" + stack.grpc_address() + "/"));
              }});
  std::unique_ptr<FullLog> full;
  night.Meets("The disk of the log is full", {.make =
                                                  [&] {
                                                    full = std::make_unique<FullLog>(stack);
                                                    night.ScrapeToo(full->metrics_url());
                                                  },
                                              .end = [&] { full.reset(); }});
}

/// Makes a certificate with its key that ends in so many days.
void MakeCertificate(const std::string& file, const std::string& key, const std::string& days) {
  const Finished made =
      Run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
           "-nodes", "-subj", "/CN=ingress", "-days", days, "-out", file, "-keyout", key});
  EXPECT_EQ(made.code, 0) << made.error;
  fs::permissions(key, fs::perms::owner_read | fs::perms::owner_write);
}

TEST(FaultsTest, OfFilesAndOfTheOnlyProcess) {
  const TempFolder folder;
  const std::string file = folder.PathOf("chain.pem");
  const std::string key = folder.PathOf("key.pem");
  MakeCertificate(file, key, "300");
  FaultNight::Options options = Night();
  options.stack.settings["process"].erase("roles");
  options.stack.settings["webhooks"] = {
      {"tls", "{enabled: true, certificate_file: " + file + ", private_key_file: " + key + "}"}};
  options.others.clear();
  options.webhooks = false;
  options.orders_per_second = 0;
  FaultNight night(options);
  Stack& stack = night.stack();

  night.Meets("A certificate is about to end", {.make = [&] { MakeCertificate(file, key, "3"); },
                                                .end = [&] { MakeCertificate(file, key, "300"); }});
  const fs::path keys = fs::path(stack.config_path()).parent_path() / "api-keys";
  night.Meets("The file of a secret is empty",
              {.make = [&] { std::ofstream(keys, std::ios::trunc).flush(); },
               .look = [&] { CheckConfigFindsIt(stack); },
               .end = [&] { std::ofstream(keys) << kDemoProject.api_key << "\n"; }});
  std::optional<StoppedThread> stuck;
  night.Meets("A shard is stuck",
              {.make = [&] { stuck.emplace(stack.gateway().pid(), "shard-1"); },
               .look =
                   [&] {
                     const http::Response live = ProbeAt(stack.metrics_url(), "/livez");
                     EXPECT_EQ(live.status, 503);
                     EXPECT_THAT(live.body, HasSubstr("shard 1: does not answer"));
                   },
               .end = [&] { stuck.reset(); }});
  night.Meets("The only process is killed",
              {.make = [&] { stack.gateway().Kill(); }, .end = [&] { night.StartGateway(); }});
}

TEST(FaultsTableTest, IsTheOneOfTheDocument) {
  EXPECT_THAT(DocumentedFaults(), ElementsAreArray(FaultRows()));
}

/// All of them here, or in a row of the table as one that others hold back.
TEST(FaultsTableTest, HasEachAlertAndNoOther) {
  std::set<std::string> shipped;
  std::set<std::string> in_the_table;
  for (const Alert& alert : ShippedAlerts()) {
    // The same as TollbridgeCallsFail, over days.
    if (alert.name != "TollbridgeCallsFailSlowly") shipped.insert(alert.name);
  }
  for (const Fault& fault : Faults()) {
    for (const auto* names : {&fault.alerts, &fault.held_back}) {
      for (const std::string& name : *names) in_the_table.insert("Tollbridge" + name);
    }
  }
  EXPECT_EQ(in_the_table, shipped);
}

TEST(BadNightTest, EachQuestionNamesAPanelThatThereIs) {
  std::set<std::string> panels;
  for (const Expression& expression : DashboardExpressions("5m")) {
    panels.insert(expression.where);
  }
  const std::map<int, Question> questions = BadNight();
  ASSERT_EQ(questions.size(), 15u);
  for (const auto& [number, question] : questions) {
    std::string panel = question.panel;
    panel[0] = static_cast<char>(std::tolower(panel[0]));
    panel.replace(panel.find(": "), 2, ".json, ");
    EXPECT_THAT(panels, Contains(panel)) << number;
  }
}

TEST(BadNightTest, EachQuestionIsAskedInAFaultThatAnswersIt) {
  std::set<int> asked;
  for (const Fault& fault : Faults()) {
    for (const auto& [number, least] : fault.answers) asked.insert(number);
  }
  std::set<int> questions;
  for (const auto& [number, question] : BadNight()) questions.insert(number);
  EXPECT_EQ(asked, questions);
}

/// Runs behind all others of this program. When all of them ran, each fault of the table was made,
/// and in each of them its questions were asked and answered.
class Whole : public testing::Environment {
 public:
  void TearDown() override {
    if (std::getenv("TOLLBRIDGE_WRITE_FAULTS") != nullptr) WriteFaults(FaultNight::Figures());
    const auto& all = *testing::UnitTest::GetInstance();
    if (all.test_to_run_count() < all.total_test_count() || FaultNight::OnlyOne()) return;
    for (const Fault& fault : Faults()) {
      EXPECT_TRUE(FaultNight::Figures().contains(fault.name)) << fault.name << " was not made";
      for (const std::string& name : fault.held_back) {
        EXPECT_THAT(FaultNight::Seen(), Contains(name)) << "is said to be held back";
      }
      for (const auto& [number, least] : fault.answers) {
        EXPECT_THAT(FaultNight::Answered(), Contains(std::pair(fault.name, number)))
            << BadNight().at(number).asks;
      }
    }
  }
};
const auto* const kWhole = testing::AddGlobalTestEnvironment(new Whole);

}  // namespace
}  // namespace tollbridge::test
