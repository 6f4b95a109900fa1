// What rotation_test.cc leaves to a gateway that finds its Redis by a Sentinel, both over TLS, and
// whose callers are those of its own machine: the rest of the table of docs/guides/operators.md.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/e2e/support/mutations.h"
#include "tests/e2e/support/payments.h"
#include "tests/e2e/support/repeaters.h"
#include "tests/e2e/support/steady_load.h"
#include "tests/integration/rpc/certificates.h"
#include "tests/support/held_port.h"
#include "tests/support/otlp_receiver.h"
#include "tests/support/process.h"
#include "tests/support/read_file.h"
#include "tests/support/redis_server.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kListOperations = "tollbridge.operations.v1.Operations.ListOperations";
constexpr std::string_view kRenewed = R"("event":"redis_connection_renewed")";
/// Of rpc.local_permissions.
constexpr std::string_view kSellAndLook = "[\"payments.*\", \"operations.read\"]";
constexpr std::string_view kSell = "[\"payments.*\"]";
constexpr int kOrdersAStep = 6;

std::size_t Count(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

class RotationOfStoresTest : public testing::Test {
 protected:
  RotationOfStoresTest() {
    PutCertificate("redis", servers_before_);
    PutCertificate("client", clients_before_);
    PutCertificate("sentinel", servers_before_);
    Put("servers-ca.pem", servers_before_.certificate());
    PutTrusted("both", {&clients_before_, &clients_after_});
    PutTrusted("after", {&clients_after_});
    Put("sentinel-password", "sentinel-before");
    Put("trace-headers", "authorization: Bearer before");
    collector_.Admit({"Bearer before"});
    sentinel_.reset(new RedisServer(RedisServer::Sentinel(SentinelLines())));
    stack_ = std::make_unique<Stack>(Options());
    client_ = std::make_unique<GrpcClient>(stack_->grpc_address(), std::nullopt,
                                           std::string(kRepeatUnavailable));
    sellers_ = std::make_unique<Repeaters>([this] { return SellsOne(); }, 2);
    EXPECT_TRUE(GoOn());
  }

  void Put(const std::string& name, const std::string& content) const {
    folder_.Write(name, content);
  }
  void PutCertificate(const std::string& name, const Authority& authority) const {
    const Certified own = authority.Issue("IP:127.0.0.1");
    Put(name + "-key.pem", own.key);
    Put(name + ".pem", own.certificate);
  }
  /// Whom Redis and the Sentinel trust: these, and each other.
  void PutTrusted(const std::string& name, const std::vector<const Authority*>& clients) const {
    std::string all = servers_before_.certificate() + servers_after_.certificate();
    for (const Authority* authority : clients) all += authority->certificate();
    Put("trusted-" + name + ".pem", all);
  }
  std::string PathOf(const std::string& name) const { return folder_.PathOf(name); }

  /// What both programs take, as name and value.
  std::vector<std::pair<std::string, std::string>> Tls(const std::string& own,
                                                       std::uint16_t port) const {
    return {{"tls-port", std::to_string(port)},
            {"tls-cert-file", PathOf(own + ".pem")},
            {"tls-key-file", PathOf(own + "-key.pem")},
            {"tls-ca-cert-file", PathOf("trusted-both.pem")},
            {"tls-auth-clients", "yes"},
            {"tls-replication", "yes"}};
  }
  std::vector<std::string> SentinelLines() const {
    std::vector<std::string> lines = {
        "user gate on >sentinel-before &* +@all",
        "sentinel monitor shop 127.0.0.1 " + std::to_string(redis_port_.port()) + " 1"};
    for (const auto& [name, value] : Tls("sentinel", sentinel_port_.port())) {
      lines.push_back(name + " " + value);
    }
    return lines;
  }
  StackOptions Options() const {
    StackOptions options;
    const std::string tls = "{enabled: true, certificate_file: " + PathOf("client.pem") +
                            ", private_key_file: " + PathOf("client-key.pem") +
                            ", ca_file: " + PathOf("servers-ca.pem") + "}";
    options.settings = {
        {"redis",
         {// Its default, as it has to be beside Sentinels.
          {"address", "127.0.0.1:6379"},
          {"sentinels", "[\"127.0.0.1:" + std::to_string(sentinel_port_.port()) + "\"]"},
          {"sentinel_master", "shop"},
          {"sentinel_username", "gate"},
          {"sentinel_password_file", PathOf("sentinel-password")},
          {"tls", tls}}},
        {"rpc", {{"local_permissions", std::string(kSellAndLook)}}},
        {"traces",
         {{"otlp_endpoint", collector_.url()}, {"headers_file", PathOf("trace-headers")}}}};
    options.sandbox_arguments = ImmediateSandbox();
    options.redis_arguments = {"--appendonly", "yes"};
    for (const auto& [name, value] : Tls("redis", redis_port_.port())) {
      options.redis_arguments.insert(options.redis_arguments.end(), {"--" + name, value});
    }
    return options;
  }

  bool SellsOne() {
    const auto request = OrderRequest("sold-" + std::to_string(next_++));
    const RpcStatus status = client_->Call(kCreateOrder, request).status;
    if (!status.ok()) std::cerr << status.code_name() << ": " << status.message << "\n";
    return status.ok();
  }
  bool GoOn() { return sellers_->AwaitMore(kOrdersAStep); }
  std::size_t LinesWith(std::string_view part) const {
    return Count(stack_->gateway().standard_output(), part);
  }
  /// Waits until the log has so many lines with this.
  bool Told(std::string_view part, std::size_t count) const {
    return Eventually([&] { return LinesWith(part) >= count; });
  }
  /// Changes files, and waits until each of two shards has both its connections anew.
  template <typename Change>
  bool RenewsConnections(const Change& change) {
    const std::size_t before = LinesWith(kRenewed);
    change();
    return Told(kRenewed, before + 4);
  }
  std::string Sentinel(const std::vector<std::string>& words) const {
    std::vector<std::string> command = {"redis-cli", "-p", std::to_string(sentinel_->port())};
    command.insert(command.end(), words.begin(), words.end());
    return test::Run(command).output;
  }
  /// What Redis answers to whom shows this certificate, or why there is no connection.
  std::string PingAs(const std::string& own) const {
    const Finished ping =
        test::Run({"redis-cli", "-p", std::to_string(redis_port_.port()), "--tls", "--cert",
                   PathOf(own + ".pem"), "--key", PathOf(own + "-key.pem"), "--cacert",
                   PathOf("servers-ca.pem"), "ping"});
    return ping.output + ping.error;
  }
  RpcStatus Looks() const {
    return client_->Call(kListOperations, operations::v1::ListOperationsRequest()).status;
  }
  void PutPermissions(std::string_view before, std::string_view after) const {
    std::string config = ReadFile(stack_->config_path());
    const std::size_t at = config.find(before);
    ASSERT_NE(at, std::string::npos);
    std::ofstream(stack_->config_path()) << config.replace(at, before.size(), after);
  }

  void ExchangeClientCertificate();
  void ExchangeServerAuthority();
  void ExchangeSentinelsPassword();
  void ExchangeLocalPermissions();
  void ExchangeHeadersOfTraces();

  const Authority servers_before_;
  const Authority servers_after_;
  const Authority clients_before_;
  const Authority clients_after_;
  TempFolder folder_;
  const HeldPort redis_port_;
  const HeldPort sentinel_port_;
  OtlpReceiver collector_;
  /// It waits for the Redis that it watches, which the stack starts.
  std::unique_ptr<RedisServer> sentinel_;
  std::unique_ptr<Stack> stack_;
  std::unique_ptr<GrpcClient> client_;
  std::atomic<int> next_ = 0;
  std::unique_ptr<Repeaters> sellers_;
};

void RotationOfStoresTest::ExchangeClientCertificate() {
  PutCertificate("client-of-before", clients_before_);
  ASSERT_TRUE(RenewsConnections([&] { PutCertificate("client", clients_after_); }));
  EXPECT_EQ(PingAs("client-of-before"), "PONG\n");
  ASSERT_EQ(
      stack_->RedisCommand({"CONFIG", "SET", "tls-ca-cert-file", PathOf("trusted-after.pem")}),
      "OK\n");
  EXPECT_THAT(PingAs("client-of-before"), Not(HasSubstr("PONG")));
  EXPECT_EQ(PingAs("client"), "PONG\n");
}

void RotationOfStoresTest::ExchangeServerAuthority() {
  ASSERT_TRUE(RenewsConnections([&] {
    Put("servers-ca.pem", servers_before_.certificate() + servers_after_.certificate());
  }));
  PutCertificate("redis-of-after", servers_after_);
  ASSERT_EQ(stack_->RedisCommand({"CONFIG", "SET", "tls-cert-file", PathOf("redis-of-after.pem"),
                                  "tls-key-file", PathOf("redis-of-after-key.pem")}),
            "OK\n");
  EXPECT_EQ(PingAs("client"), "PONG\n");
}

void RotationOfStoresTest::ExchangeSentinelsPassword() {
  const std::string path = PathOf("sentinel-password");
  ASSERT_EQ(Sentinel({"ACL", "SETUSER", "gate", ">sentinel-after"}), "OK\n");
  Put("sentinel-password", "sentinel-after");
  ASSERT_TRUE(Told(R"("event":"secret_file_changed","path":")" + path, 1));
  ASSERT_EQ(Sentinel({"ACL", "SETUSER", "gate", "<sentinel-before"}), "OK\n");
  EXPECT_THAT(Sentinel({"AUTH", "gate", "sentinel-before"}), HasSubstr("WRONGPASS"));
  // Connections that are made anew ask it.
  ASSERT_TRUE(RenewsConnections([&] { PutCertificate("client", clients_after_); }));
}

void RotationOfStoresTest::ExchangeLocalPermissions() {
  ASSERT_TRUE(Looks().ok());
  PutPermissions(kSellAndLook, kSell);
  ASSERT_TRUE(Eventually([&] { return !Looks().ok(); }));
  EXPECT_EQ(Looks().code_name(), "PERMISSION_DENIED");
  PutPermissions(kSell, kSellAndLook);
  ASSERT_TRUE(Eventually([&] { return Looks().ok(); }));
}

void RotationOfStoresTest::ExchangeHeadersOfTraces() {
  collector_.Admit({"Bearer before", "Bearer after"});
  const std::string path = PathOf("trace-headers");
  Put("trace-headers", "authorization: Bearer after");
  ASSERT_TRUE(Told(R"("event":"secret_file_changed","path":")" + path, 1));
  // The export that was under way had those of before.
  ASSERT_TRUE(Eventually([&] { return collector_.last_authorization() == "Bearer after"; }));
  collector_.Admit({"Bearer after"});
  const std::size_t received = collector_.received().size();
  ASSERT_TRUE(Eventually([&] { return collector_.received().size() > received; }));
}

TEST_F(RotationOfStoresTest, OfRedisSentinelLocalCallersAndTracesUnderLoadFailsNoCall) {
  const std::vector<std::pair<std::string, std::function<void()>>> exchanges = {
      {"the client certificate for Redis", [this] { ExchangeClientCertificate(); }},
      {"Redis' authority", [this] { ExchangeServerAuthority(); }},
      {"the Sentinel's password", [this] { ExchangeSentinelsPassword(); }},
      {"permissions of local callers", [this] { ExchangeLocalPermissions(); }},
      {"the headers of traces", [this] { ExchangeHeadersOfTraces(); }},
  };
  for (const auto& [name, exchange] : exchanges) {
    SCOPED_TRACE(name);
    exchange();
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_TRUE(GoOn());
    std::cout << name << ": " << sellers_->went_well() << " orders so far\n";
  }
  sellers_->Stop();
  EXPECT_EQ(sellers_->failed(), 0);
  EXPECT_EQ(LinesWith(R"("event":"spans_not_exported")"), 0U);
}

}  // namespace
}  // namespace tollbridge::test
