// Every secret and every rule of access is exchanged while the gateway serves, as the table of
// docs/guides/operators.md has it: no call fails, no hint is lost, and what was there before is
// refused by whoever looks at it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/encoding.h"
#include "tests/e2e/support/mutations.h"
#include "tests/e2e/support/payments.h"
#include "tests/e2e/support/repeaters.h"
#include "tests/e2e/support/steady_load.h"
#include "tests/integration/rpc/certificates.h"
#include "tests/support/http_call.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/temp_folder.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;
using std::chrono::steady_clock;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kOldToken = kDemoProject.webhook_token;
const std::string kNewApiKey = "next-demo-key";
constexpr std::string_view kNewToken = "new-0123456789abcdef0123456789abcdef";

/// An authority, and one that takes its place.
struct Pair {
  const Authority before;
  const Authority after;
  std::string both() const { return before.certificate() + after.certificate(); }
};

std::string KeyFile(char letter, const std::string& numbers) {
  std::string content;
  for (const char number : numbers) {
    content += {letter, number, ' '};
    content += Base64Encode(std::string(31, letter) + number) + "\n";
  }
  return content;
}

std::size_t Count(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

/// The product with a file for each of its secrets.
class World {
 public:
  World() {
    broker_.SetUser("before", "kafka-before");
    for (const auto& [name, authority] :
         {std::pair{"rpc", &servers.before}, std::pair{"hooks", &hooks.before},
          std::pair{"service", &service.before}}) {
      PutCertificate(name, *authority);
    }
    Put("callers-ca.pem", callers.before.certificate());
    Put("callers-crl.pem", callers.before.Revoke({}));
    Put("service-ca.pem", service.before.certificate());
    Put("hooks-both.pem", hooks.both());
    Put("service-both.pem", service.both());
    Put("redis-password", "redis-before");
    Put("kafka", KafkaUser("before"));
    PutKeys("1");
    stack_ = std::make_unique<Stack>(Options());
    const std::string url = stack_->sandbox_url();
    proxy_.SetUpstream(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  }

  /// In place, as an editor or a script does: first empty, then there.
  void Put(const std::string& name, const std::string& content) const {
    folder_.Write(name, content);
  }
  void PutCertificate(const std::string& name, const Authority& authority) const {
    const Certified own = authority.Issue("IP:127.0.0.1");
    Put(name + "-key.pem", own.key);
    Put(name + ".pem", own.certificate);
  }
  void PutKeys(const std::string& numbers) const {
    Put("fingerprint-keys", KeyFile('f', numbers));
    Put("outcome-keys", KeyFile('o', numbers));
  }
  static std::string KafkaUser(const std::string& name) {
    return "sasl.username=" + name + "\nsasl.password=kafka-" + name + "\n";
  }
  std::string PathOf(const std::string& name) const { return folder_.PathOf(name); }
  /// A file that the stack has written.
  std::string OfStack(const std::string& name) const {
    return (std::filesystem::path(stack_->config_path()).parent_path() / name).string();
  }

  /// Waits until the log has so many lines with this.
  bool Told(const std::string& part, std::size_t count = 1) {
    return Eventually([&] { return Count(stack_->gateway().standard_output(), part) >= count; });
  }
  std::size_t LinesWith(const std::string& part) {
    return Count(stack_->gateway().standard_output(), part);
  }
  /// Puts it into a file of secrets, and waits until it is in force.
  bool Exchange(const std::string& path, const std::string& content) {
    const std::string taken = R"("event":"secret_file_changed","path":")" + path;
    const std::size_t before = LinesWith(taken);
    std::ofstream(path) << content;
    return Told(taken, before + 1);
  }

  RpcTls CallerOf(const Authority& authority, const std::string& name) const {
    return Shown(authority.Issue("URI:spiffe://shop.example/" + name));
  }
  RpcTls Shown(const Certified& own) const {
    return {.root_certificates = servers.both(),
            .private_key = own.key,
            .certificate_chain = own.certificate};
  }
  std::unique_ptr<GrpcClient> Connect(const RpcTls& tls) const {
    return std::make_unique<GrpcClient>(stack_->grpc_address(), tls,
                                        std::string(kRepeatUnavailable));
  }
  Stack& stack() { return *stack_; }
  KafkaBroker& broker() { return broker_; }
  TcpProxy& proxy() { return proxy_; }
  std::string webhook_url(std::string_view token) const {
    // The stack, which has no TLS of its own, calls it by http.
    const std::string& origin = stack_->ingress_origin();
    return "https" + origin.substr(origin.find(':')) + "/webhooks/" + std::string(token);
  }

  const Pair servers;
  const Pair callers;
  const Pair hooks;
  const Pair service;

 private:
  std::string Tls(const std::string& name) const {
    return "enabled: true, certificate_file: " + PathOf(name + ".pem") +
           ", private_key_file: " + PathOf(name + "-key.pem");
  }
  StackOptions Options() {
    const std::string service_url = "https://" + proxy_.address();
    return {
        .settings =
            {{"rpc",
              {{"tls", "{" + Tls("rpc") + ", client_ca_file: " + PathOf("callers-ca.pem") +
                           ", client_crl_file: " + PathOf("callers-crl.pem") + "}"},
               {"callers",
                "[{identity: 'spiffe://shop.example/leaving', projects: [demo], "
                "permissions: ['*']}, {identity: 'spiffe://shop.example/shop', projects: [demo], "
                "permissions: ['*']}]"}}},
             {"webhooks", {{"tls", "{" + Tls("hooks") + "}"}, {"max_per_second", "1000000"}}},
             {"payment_service",
              {{"base_url", service_url},
               {"vault_url", service_url + "/vault"},
               {"wallet_token_url", service_url + "/wallet-b"},
               {"ca_file", PathOf("service-ca.pem")},
               {"max_pool_wait", "1m"},
               {"max_in_flight", "10000"}}},
             {"redis", {{"username", "app"}, {"password_file", PathOf("redis-password")}}},
             {"kafka",
              {{"brokers", "[\"" + broker_.sasl_brokers() + "\"]"},
               {"properties", "[security.protocol=sasl_plaintext, sasl.mechanism=SCRAM-SHA-256]"},
               {"secret_properties_file", PathOf("kafka")}}},
             {"operations",
              {{"fingerprint_keys_file", PathOf("fingerprint-keys")},
               {"outcome_keys_file", PathOf("outcome-keys")}}}},
        .sandbox_arguments = ImmediateSandbox(),
        .redis_arguments = {"--appendonly", "yes", "--user", "app", "on", ">redis-before", "~*",
                            "&*", "+@all"},
        .kafka = &broker_,
        .service_tls = ServiceTls()};
  }
  StackOptions::ServiceTls ServiceTls() const {
    return {.certificate_file = PathOf("service.pem"),
            .key_file = PathOf("service-key.pem"),
            .ca_file = PathOf("service-both.pem"),
            .webhooks_ca_file = PathOf("hooks-both.pem")};
  }

  TempFolder folder_;
  KafkaBroker broker_;
  /// Between the gateway and the payment service, to have connections made anew.
  TcpProxy proxy_;
  std::unique_ptr<Stack> stack_;
};

/// Customers who pay, one order after the other.
class Shop {
 public:
  Shop(World& world, const RpcTls& caller) : world_(world) { Be(caller); }

  /// From now on calls come over a connection of this caller.
  void Be(const RpcTls& caller) {
    std::shared_ptr<GrpcClient> client = world_.Connect(caller);
    const std::lock_guard lock(mutex_);
    client_ = std::move(client);
  }
  bool SellOne() {
    try {
      const auto request = OrderRequest("sold-" + std::to_string(next_++));
      const RpcReply reply = client()->Call(kCreateOrder, request);
      const common::v1::Order order = OrderOf(reply);
      PayOnHostedPage(world_.stack(), order);
      const std::lock_guard lock(mutex_);
      sold_.push_back(order.id());
      return true;
    } catch (const std::exception& failure) {
      const std::lock_guard lock(mutex_);
      failures_.emplace_back(failure.what());
      return false;
    }
  }
  std::shared_ptr<GrpcClient> client() const {
    const std::lock_guard lock(mutex_);
    return client_;
  }
  std::vector<std::string> sold() const {
    const std::lock_guard lock(mutex_);
    return sold_;
  }
  std::vector<std::string> failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
  }

 private:
  World& world_;
  std::atomic<int> next_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<GrpcClient> client_;
  std::vector<std::string> sold_;
  std::vector<std::string> failures_;
};

class RotationTest : public testing::Test {
 protected:
  static constexpr int kSellers = 3;
  static constexpr int kOrdersAStep = 6;

  RotationTest() {
    sellers_ = std::make_unique<Repeaters>([this] { return shop_.SellOne(); }, kSellers);
    EXPECT_TRUE(GoOn());
    read_.set_order_id(shop_.sold().front());
    reader_ = std::make_unique<Repeaters>([this] { return Reads(*shop_.client()); });
  }

  /// The order as the payment service shows it to who has the new key.
  json::value OrderAtService(const std::string& order);

  /// Waits until so much has been sold since.
  bool GoOn() { return sellers_->AwaitMore(kOrdersAStep); }
  bool Reads(GrpcClient& client) const { return StatusOf(client).ok(); }
  RpcStatus StatusOf(GrpcClient& client) const { return client.Call(kGetOrder, read_).status; }
  /// On a connection of its own.
  bool ComesIn(const RpcTls& tls) const { return Reads(*world_.Connect(tls)); }

  void ExchangeServerCertificate();
  void ExchangeCallersAuthority();
  void RevokeACallersCertificate();
  void WithdrawACaller();
  void ExchangeApiKey();
  void ExchangeServiceAuthority();
  void ExchangeIngressCertificate();
  void ExchangePathToken();
  void ExchangeKeysOfOperations();
  void ExchangeRedisPassword();
  void ExchangeKafkaUser();
  /// What only shows where connections are made anew, when nobody sells any more.
  void MakeAllConnectionsAnew();
  void ExpectAnEventOfEachOrder();

  World world_;
  Stack& stack_ = world_.stack();
  const RpcTls before_ = world_.CallerOf(world_.callers.before, "shop");
  const RpcTls after_ = world_.CallerOf(world_.callers.after, "shop");
  const Certified stolen_ = world_.callers.after.Issue("URI:spiffe://shop.example/shop");
  Shop shop_{world_, before_};
  payments::v1::GetOrderRequest read_;
  std::unique_ptr<Repeaters> sellers_;
  std::unique_ptr<Repeaters> reader_;
};

void RotationTest::ExchangeServerCertificate() {
  RpcTls trusts = before_;
  world_.PutCertificate("rpc", world_.servers.after);
  trusts.root_certificates = world_.servers.after.certificate();
  ASSERT_TRUE(Eventually([&] { return ComesIn(trusts); }));
  trusts.root_certificates = world_.servers.before.certificate();
  EXPECT_FALSE(ComesIn(trusts));
  EXPECT_TRUE(world_.Told(R"("event":"tls_files_changed","setting":"rpc.tls")"));
}

void RotationTest::ExchangeCallersAuthority() {
  world_.Put("callers-crl.pem", world_.callers.before.Revoke({}) + world_.callers.after.Revoke({}));
  world_.Put("callers-ca.pem", world_.callers.both());
  ASSERT_TRUE(Eventually([&] { return ComesIn(after_); }));
  EXPECT_TRUE(ComesIn(before_));
  shop_.Be(after_);
  ASSERT_TRUE(GoOn());
  world_.Put("callers-ca.pem", world_.callers.after.certificate());
  ASSERT_TRUE(Eventually([&] { return !ComesIn(before_); }));
  EXPECT_TRUE(ComesIn(after_));
}

void RotationTest::RevokeACallersCertificate() {
  const auto thief = world_.Connect(world_.Shown(stolen_));
  ASSERT_TRUE(Reads(*thief));
  world_.Put("callers-crl.pem", world_.callers.after.Revoke({stolen_}));
  const auto revoked = steady_clock::now();
  ASSERT_TRUE(Eventually([&] { return !Reads(*thief); })) << "over the connection that it has";
  const std::chrono::duration<double> waited = steady_clock::now() - revoked;
  std::cout << "a revoked certificate was refused after " << waited.count() << " s\n";
  EXPECT_FALSE(ComesIn(world_.Shown(stolen_)));
  EXPECT_TRUE(ComesIn(after_));
}

void RotationTest::WithdrawACaller() {
  const auto leaving = world_.Connect(world_.CallerOf(world_.callers.after, "leaving"));
  ASSERT_TRUE(Reads(*leaving));
  std::string config = ReadFile(stack_.config_path());
  const std::size_t found = config.find("/leaving");
  ASSERT_NE(found, std::string::npos);
  std::ofstream(stack_.config_path()) << config.replace(found, 8, "/another");
  RpcStatus refused;
  ASSERT_TRUE(Eventually([&] {
    refused = StatusOf(*leaving);
    return !refused.ok();
  }));
  EXPECT_EQ(refused.code_name(), "PERMISSION_DENIED");
  EXPECT_TRUE(world_.Told(R"("event":"callers_changed")"));
}

void RotationTest::ExchangeApiKey() {
  const auto make_good = [&](const std::string& keys) {
    ASSERT_EQ(stack_
                  .Http("POST", stack_.sandbox_url() + "/_sandbox/api-keys",
                        R"({"project": "demo", "api_keys": [)" + keys + "]}")
                  .status,
              200);
  };
  const auto answered = [&](const std::string& key) {
    return stack_
        .Http("GET", stack_.sandbox_url() + "/v1/orders/" + shop_.sold().front() + "/", "",
              {{"Authorization", "Basic " + Base64Encode(key + ":")}})
        .status;
  };
  make_good(R"("sandbox-demo-key", "next-demo-key")");
  ASSERT_TRUE(world_.Exchange(world_.OfStack("api-keys"), "next-demo-key\n"));
  ASSERT_TRUE(GoOn());
  make_good(R"("next-demo-key")");
  EXPECT_EQ(answered("sandbox-demo-key"), 401);
  EXPECT_EQ(answered("next-demo-key"), 200);
}

void RotationTest::ExchangeServiceAuthority() {
  const std::string taken = R"("event":"tls_files_changed","setting":"payment_service.ca_file")";
  world_.Put("service-ca.pem", world_.service.both());
  ASSERT_TRUE(world_.Told(taken));
  world_.PutCertificate("service", world_.service.after);
  const auto shows = [&](const Authority& authority) {
    world_.Put("one-authority.pem", authority.certificate());
    try {
      return HttpCall("GET", stack_.sandbox_url() + "/_sandbox/clock", "", {}, kPatientLimit,
                      world_.PathOf("one-authority.pem"))
                 .status == 200;
    } catch (const std::exception&) {
      return false;
    }
  };
  ASSERT_TRUE(Eventually([&] { return shows(world_.service.after); }));
  const std::size_t lines = world_.LinesWith(taken);
  world_.Put("service-ca.pem", world_.service.after.certificate());
  ASSERT_TRUE(world_.Told(taken, lines + 1));
  EXPECT_FALSE(shows(world_.service.before));
}

void RotationTest::ExchangeIngressCertificate() {
  const auto taken_by = [&](const std::string& ca) {
    world_.Put("hooks-one.pem", ca);
    return PostWebhook(world_.webhook_url(kOldToken), kNobodysOrder,
                       world_.PathOf("hooks-one.pem")) == 200;
  };
  world_.PutCertificate("hooks", world_.hooks.after);
  ASSERT_TRUE(Eventually([&] { return taken_by(world_.hooks.after.certificate()); }));
  EXPECT_FALSE(taken_by(world_.hooks.before.certificate()));
}

void RotationTest::ExchangePathToken() {
  const std::string file = world_.OfStack("webhook-tokens");
  const auto both = [](std::string_view first, std::string_view second) {
    return std::string(first) + "\n" + std::string(second) + "\n";
  };
  const auto post = [&](std::string_view token) {
    return PostWebhook(world_.webhook_url(token), kNobodysOrder, world_.PathOf("hooks-both.pem"));
  };
  ASSERT_TRUE(world_.Exchange(file, both(kOldToken, kNewToken)));
  ASSERT_TRUE(Eventually([&] { return post(kNewToken) == 200; }));
  ASSERT_TRUE(world_.Exchange(file, both(kNewToken, kOldToken)));
  const std::string order = OrderOf(shop_.client()->Call(kCreateOrder, OrderRequest("told"))).id();
  EXPECT_THAT(json::serialize(OrderAtService(order)),
              HasSubstr("/webhooks/" + std::string(kNewToken)));
  // What was made before has been told when its events are there.
  ASSERT_TRUE(GoOn());
  ExpectAnEventOfEachOrder();
  ASSERT_TRUE(world_.Exchange(file, std::string(kNewToken)));
  ASSERT_TRUE(Eventually([&] { return post(kOldToken) == 404; }));
  EXPECT_EQ(post(kNewToken), 200);
}

json::value RotationTest::OrderAtService(const std::string& order) {
  return json::parse(stack_
                         .Http("GET", stack_.sandbox_url() + "/v1/orders/" + order + "/", "",
                               {{"Authorization", "Basic " + Base64Encode(kNewApiKey + ":")}})
                         .body);
}

void RotationTest::ExchangeKeysOfOperations() {
  const auto put = [&](const std::string& numbers, const std::string& told) {
    world_.PutKeys(numbers);
    return world_.Told(R"("fingerprint_keys":")" + told);
  };
  const auto under_the_first = OrderRequest("under-the-first-keys");
  ASSERT_TRUE(shop_.client()->Call(kCreateOrder, under_the_first).status.ok());
  ASSERT_TRUE(put("12", R"(f1,f2","outcome_keys":"o1,o2")"));
  ASSERT_TRUE(GoOn());
  ASSERT_TRUE(put("21", R"(f2,f1","outcome_keys":"o2,o1")"));
  ASSERT_TRUE(GoOn());
  EXPECT_TRUE(shop_.client()->Call(kCreateOrder, under_the_first).status.ok());
  ASSERT_TRUE(put("2", R"(f2","outcome_keys":"o2")"));
  // Not through the client that repeats.
  GrpcClient once(stack_.grpc_address(), after_);
  EXPECT_EQ(once.Call(kCreateOrder, under_the_first).status.reason, "SECRET_KEY_UNKNOWN");
}

void RotationTest::ExchangeRedisPassword() {
  ASSERT_EQ(stack_.RedisCommand({"ACL", "SETUSER", "app", ">redis-after"}), "OK\n");
  ASSERT_TRUE(world_.Exchange(world_.PathOf("redis-password"), "redis-after"));
  // Each of two shards has a connection for commands, and one that listens for changes.
  ASSERT_TRUE(world_.Told(R"("event":"redis_connection_renewed")", 4));
  ASSERT_EQ(stack_.RedisCommand({"ACL", "SETUSER", "app", "<redis-before"}), "OK\n");
  EXPECT_THAT(stack_.RedisCommand({"AUTH", "app", "redis-before"}), HasSubstr("WRONGPASS"));
}

void RotationTest::ExchangeKafkaUser() {
  world_.broker().SetUser("after", "kafka-after");
  const std::size_t lines = world_.LinesWith(R"("event":"kafka_clients_renewed")");
  const std::string config = ReadFile(stack_.config_path());
  const std::string path = world_.PathOf("kafka");
  const std::size_t at = config.find(path);
  ASSERT_NE(at, std::string::npos);
  world_.Put("kafka-of-before", World::KafkaUser("before"));
  world_.Put("before.yaml", std::string(config).replace(at, path.size(), path + "-of-before"));
  world_.Put("kafka", World::KafkaUser("after"));
  ASSERT_TRUE(world_.Told(R"("event":"kafka_clients_renewed")", lines + 1));
  // Not removed: a broker of Kafka 4.2 that starts again after a removal knows no user any more.
  world_.broker().SetUser("before", "withdrawn");
  const auto admitted = [&](const std::string& with) {
    return stack_.Tollbridge({"topics", "check", "--config", with}).code != 2;
  };
  EXPECT_FALSE(admitted(world_.PathOf("before.yaml")));
  EXPECT_TRUE(admitted(stack_.config_path()));
}

void RotationTest::MakeAllConnectionsAnew() {
  const auto sells = [&] { return shop_.SellOne(); };
  stack_.RedisCommand({"CLIENT", "KILL", "USER", "app"});
  EXPECT_TRUE(Eventually(sells)) << "with the new password of Redis";
  world_.broker().Stop();
  world_.broker().Start();
  EXPECT_TRUE(Eventually([&] {
    return PostWebhook(world_.webhook_url(kNewToken), kNobodysOrder,
                       world_.PathOf("hooks-both.pem")) == 200;
  })) << "as the new user of Kafka";
  world_.proxy().Cut();
  EXPECT_TRUE(Eventually(sells)) << "with the new authority of the payment service";
  // The gateway trusts the authority of before no more.
  world_.PutCertificate("service", world_.service.before);
  EXPECT_TRUE(Eventually([&] {
    world_.proxy().Cut();
    return !Reads(*shop_.client());
  }));
}

void RotationTest::ExpectAnEventOfEachOrder() {
  const std::vector<std::string> sold = shop_.sold();
  std::set<std::string> untold(sold.begin(), sold.end());
  std::size_t looked_at = 0;
  const auto all_are_told = [&](const std::vector<TopicRecord>& records) {
    for (; looked_at < records.size(); ++looked_at) {
      const TopicRecord& record = records[looked_at];
      if (record.header("ce_type") == kPaymentCompleted) untold.erase(record.header("ce_subject"));
    }
    return untold.empty();
  };
  ASSERT_TRUE(stack_.OpenTopic("events")->ReadUntil(all_are_told)) << untold.size();
}

TEST_F(RotationTest, OfEverythingUnderLoadFailsNoCallAndLosesNoHint) {
  const std::vector<std::pair<std::string, std::function<void()>>> exchanges = {
      {"the gateway's certificate", [this] { ExchangeServerCertificate(); }},
      {"the callers' authority", [this] { ExchangeCallersAuthority(); }},
      {"a revoked certificate", [this] { RevokeACallersCertificate(); }},
      {"a caller", [this] { WithdrawACaller(); }},
      {"the API key", [this] { ExchangeApiKey(); }},
      {"the payment service's authority", [this] { ExchangeServiceAuthority(); }},
      {"the ingress' certificate", [this] { ExchangeIngressCertificate(); }},
      {"the path token", [this] { ExchangePathToken(); }},
      {"the keys of operations", [this] { ExchangeKeysOfOperations(); }},
      {"Redis' password", [this] { ExchangeRedisPassword(); }},
      {"Kafka's user", [this] { ExchangeKafkaUser(); }},
  };
  for (const auto& [name, exchange] : exchanges) {
    SCOPED_TRACE(name);
    const auto begun = steady_clock::now();
    exchange();
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_TRUE(GoOn());
    const std::chrono::duration<double> took = steady_clock::now() - begun;
    std::cout << name << ": " << took.count() << " s\n";
  }
  sellers_->Stop();
  reader_->Stop();
  std::cout << sellers_->went_well() << " orders sold, " << sellers_->failed() << " failed; "
            << reader_->went_well() << " reads, " << reader_->failed() << " failed\n";
  EXPECT_THAT(shop_.failures(), IsEmpty());
  EXPECT_EQ(reader_->failed(), 0);
  ExpectAnEventOfEachOrder();
  std::vector<std::string> outcomes;
  for (const json::value& each : stack_.SandboxDeliveries()) {
    outcomes.emplace_back(json::serialize(each));
  }
  EXPECT_THAT(outcomes, Each(HasSubstr(R"("status":200)"))) << "no webhook had to be sent again";
  EXPECT_GE(outcomes.size(), shop_.sold().size());
  MakeAllConnectionsAnew();
}

}  // namespace
}  // namespace tollbridge::test
