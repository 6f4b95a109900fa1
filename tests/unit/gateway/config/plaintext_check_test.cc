#include "gateway/config/plaintext_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "gateway/config/rpc_settings.h"

namespace tollbridge::gateway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kTls[] = "tls: {enabled: true, certificate_file: /c, private_key_file: /p}";

std::string With(const std::string& settings) {
  return "operations: {fingerprint_keys_file: /f, outcome_keys_file: /o}\n"
         "projects: [{name: shop, id: 22222222-2222-4222-8222-222222222222, api_key_file: /k}]\n" +
         settings;
}

std::string ProblemsOf(const std::string& settings, const Overrides& overrides = {}) {
  return std::string(ParseConfig(With(settings), overrides).status().message());
}

/// A setting that is plaintext beyond loopback, and the section that may allow it.
struct Plaintext {
  std::string section;
  std::string settings;
  std::string problem;
  std::string tls;
};

std::string Section(const Plaintext& row, const std::string& more) {
  if (row.section == "stores[0]") {
    return "stores: [{name: one, " + row.settings + more + "}]\n" +
           "projects: [{name: shop, id: 22222222-2222-4222-8222-222222222222, api_key_file: /k, "
           "store: one}]\noperations: {fingerprint_keys_file: /f, outcome_keys_file: /o}\n";
  }
  return With(row.section + ": {" + row.settings + more + "}\n");
}

class PlaintextTest : public testing::TestWithParam<Plaintext> {
 protected:
  static std::string Problems(const std::string& more, const std::string& below = "") {
    return std::string(ParseConfig(Section(GetParam(), more) + below).status().message());
  }
};

TEST_P(PlaintextTest, IsRefusedInProductionUnlessItsOwnSettingSaysSo) {
  EXPECT_THAT(Problems(""), HasSubstr(GetParam().problem + ": is plaintext beyond loopback"));
  EXPECT_THAT(Problems(""), HasSubstr(GetParam().section + ".allow_plaintext_beyond_loopback"));
  EXPECT_EQ(Problems(", allow_plaintext_beyond_loopback: true"), "");
  EXPECT_EQ(Problems("", "process: {environment: development}\n"), "");
  if (!GetParam().tls.empty()) EXPECT_EQ(Problems(", " + GetParam().tls), "");
}

INSTANTIATE_TEST_SUITE_P(
    Production, PlaintextTest,
    testing::Values(Plaintext{"rpc", "listen: '0.0.0.0:7440'", "rpc.listen",
                              "tls: {enabled: true, certificate_file: /c, private_key_file: /p, "
                              "client_ca_file: /ca}"},
                    Plaintext{"webhooks", "listen: '0.0.0.0:7441'", "webhooks.listen", kTls},
                    Plaintext{"metrics", "listen: '[::]:7442'", "metrics.listen", ""},
                    Plaintext{"redis", "address: 'redis.example:6379'", "redis.address",
                              "tls: {enabled: true}"},
                    Plaintext{
                        "redis",
                        "sentinels: ['127.0.0.1:26379', 's.example:26379'], sentinel_master: m, "
                        "min_replicas: 1",
                        "redis.sentinels", "tls: {enabled: true}"},
                    Plaintext{"stores[0]", "address: 'redis.example:6379'", "stores[0].address",
                              "tls: {enabled: true}"},
                    Plaintext{"traces", "otlp_endpoint: 'http://collector.example:4318/v1/traces'",
                              "traces.otlp_endpoint", ""}),
    [](const testing::TestParamInfo<Plaintext>& info) {
      return "Row" + std::to_string(info.index);
    });

TEST(PlaintextCheckTest, LoopbackNeedsNoTls) {
  EXPECT_EQ(ProblemsOf("rpc: {listen: '127.0.0.1:1'}\nwebhooks: {listen: '[::1]:2'}\n"
                       "metrics: {listen: 'localhost:3'}\nredis: {address: '127.8.9.1:6379'}\n"
                       "traces: {otlp_endpoint: 'http://127.0.0.1:4318/v1/traces'}\n"),
            "");
}

TEST(PlaintextCheckTest, ANameThatBeginsLikeLoopbackIsNone) {
  EXPECT_THAT(ProblemsOf("redis: {address: '127.evil.example:6379'}\n"),
              HasSubstr("redis.address: is plaintext beyond loopback"));
}

TEST(PlaintextCheckTest, OnlyWhatTheRolesUseIsLookedAt) {
  const std::string settings =
      "rpc: {listen: '0.0.0.0:7440'}\nwebhooks: {listen: '0.0.0.0:7441'}\n"
      "redis: {address: 'redis.example:6379'}\n";
  const std::string ingress = ProblemsOf(settings, {.roles = {"webhooks"}});
  EXPECT_THAT(ingress, HasSubstr("webhooks.listen"));
  EXPECT_THAT(ingress, Not(HasSubstr("rpc.listen")));
  EXPECT_THAT(ingress, Not(HasSubstr("redis.address")));
  const std::string reader = ProblemsOf(settings, {.roles = {"events"}});
  EXPECT_THAT(reader, HasSubstr("redis.address"));
  EXPECT_THAT(reader, Not(HasSubstr("listen")));
}

TEST(PlaintextCheckTest, BrokersWantAProtocolWithTls) {
  Config config;
  config.kafka.brokers = {"127.0.0.1:9092", "kafka.example:9092"};
  const auto problem = [&](const std::map<std::string, std::string>& properties) {
    return KafkaPlaintextProblem(config, {.bootstrap_servers = "", .librdkafka = properties});
  };
  EXPECT_THAT(problem({}), HasSubstr("kafka.brokers: is plaintext beyond loopback"));
  EXPECT_THAT(problem({{"security.protocol", "SASL_PLAINTEXT"}}), HasSubstr("kafka.brokers"));
  EXPECT_EQ(problem({{"security.protocol", "SSL"}}), "");
  EXPECT_EQ(problem({{"security.protocol", "sasl_ssl"}}), "");
  config.kafka.allow_plaintext_beyond_loopback = true;
  EXPECT_EQ(problem({}), "");
  config.kafka.allow_plaintext_beyond_loopback = false;
  config.process.environment = "development";
  EXPECT_EQ(problem({}), "");
  config.process.environment = "production";
  config.kafka.brokers = {"127.0.0.1:9092"};
  EXPECT_EQ(problem({}), "");
}

TEST(PlaintextCheckTest, ThatAnyoneCanCallIsRefusedWhateverIsAllowed) {
  const std::string anyone =
      "rpc: {listen: '0.0.0.0:7440', local_permissions: ['*'], "
      "allow_plaintext_beyond_loopback: true}\n";
  EXPECT_THAT(ProblemsOf(anyone), HasSubstr("rpc.local_permissions: * beyond loopback"));
  EXPECT_EQ(ProblemsOf(anyone + "process: {environment: development}\n"), "");
  EXPECT_EQ(ProblemsOf(anyone, {.roles = {"events"}}), "");
  EXPECT_EQ(ProblemsOf("rpc: {local_permissions: ['*']}\n"), "");
  EXPECT_THAT(ProblemsOf("rpc: {listen: '0.0.0.0:7440', local_permissions: ['*'], tls: {enabled: "
                         "true, certificate_file: /c, private_key_file: /p}, "
                         "allow_callers_without_certificate: true}\n"),
              HasSubstr("rpc.local_permissions: * beyond loopback"));
  // With permissions that are named it is said.
  const auto named =
      ParseConfig(With("rpc: {listen: '0.0.0.0:7440', local_permissions: [payments.read], "
                       "allow_plaintext_beyond_loopback: true}\n"));
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_THAT(RpcWarnings(*named), ElementsAre(HasSubstr("anyone who reaches rpc.listen")));
}

}  // namespace
}  // namespace tollbridge::gateway
