#include "gateway/config/needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "gateway/config/secrets.h"
#include "tests/support/read_file.h"

namespace tollbridge::gateway {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Config WithRoles(std::vector<std::string> roles) {
  Config config;
  config.process.roles = std::move(roles);
  config.webhooks.public_url = "https://hooks.example";
  return config;
}

TEST(NeedsTest, RolesTogetherNeedWhatEachNeeds) {
  EXPECT_EQ(NeedsOf(WithRoles({"webhooks"})),
            (Needs{.webhook_tokens = true, .kafka = true, .traces = true}));
  EXPECT_EQ(NeedsOf(WithRoles({"events"})),
            (Needs{.payment_service = true, .redis = true, .kafka = true, .traces = true}));
  EXPECT_EQ(NeedsOf(WithRoles({"webhooks", "reconcile"})), (Needs{.payment_service = true,
                                                                  .webhook_tokens = true,
                                                                  .redis = true,
                                                                  .kafka = true,
                                                                  .traces = true}));
  EXPECT_EQ(NeedsOf(WithRoles({"rpc"})), (Needs{.payment_service = true,
                                                .operation_keys = true,
                                                .webhook_tokens = true,
                                                .redis = true,
                                                .traces = true}));
}

TEST(NeedsTest, EveryFileThatIsMissingIsNamed) {
  Config config = WithRoles({"rpc"});
  config.operations.fingerprint_keys_file = "/nowhere/fingerprints";
  config.redis.password_file = "/nowhere/redis";
  for (const std::string name : {"shop", "stall"}) {
    config.projects.push_back({.name = name,
                               .id = "",
                               .api_key_file = "/nowhere/" + name + "-key",
                               .webhook_tokens_file = "/nowhere/" + name + "-tokens"});
  }
  const absl::Status status = LoadSecrets(config, NeedsOf(config)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("operations.fingerprint_keys_file: /nowhere/fingerprints: cannot be "
                              "read: No such file or directory\n"),
                    HasSubstr("api_key_file of project shop: /nowhere/shop-key"),
                    HasSubstr("webhook_tokens_file of project stall: /nowhere/stall-tokens"),
                    HasSubstr("redis.password_file: /nowhere/redis")));
}

TEST(NeedsTest, TokensAreForOrdersThatHaveAWebhookUrl) {
  Config config = WithRoles({"rpc"});
  config.webhooks.public_url.clear();
  EXPECT_FALSE(NeedsOf(config).webhook_tokens);
  config.process.roles = {"webhooks"};
  EXPECT_TRUE(NeedsOf(config).webhook_tokens);
}

TEST(NeedsTest, SettingsThatNoRoleNeedsAreNotRequired) {
  const std::string bare = "projects: [{name: shop, id: 22222222-2222-4222-8222-222222222222}]\n";
  const absl::StatusOr<Config> ingress = ParseConfig(bare, {.roles = {"webhooks"}});
  ASSERT_TRUE(ingress.ok()) << ingress.status();
  EXPECT_TRUE(ingress->HasRole("webhooks"));
  EXPECT_FALSE(ingress->HasRole("rpc"));
  EXPECT_THAT(ParseConfig(bare, {.roles = {"events"}}).status().ToString(),
              AllOf(HasSubstr("api_key_file: is required"), Not(HasSubstr("keys_file: is"))));
  EXPECT_THAT(
      ParseConfig(bare).status().ToString(),
      AllOf(HasSubstr("outcome_keys_file: is required"), HasSubstr("fingerprint_keys_file: is")));
  EXPECT_THAT(ParseConfig(bare, {.roles = {"cook"}}).status().ToString(),
              HasSubstr("no role 'cook'"));
}

TEST(NeedsTest, PrintedTableIsTheOneThatTheChartHas) {
  const std::string content = test::ReadFile(std::string(TOLLBRIDGE_SOURCE_DIR) +
                                             "/deploy/helm/tollbridge/files/needs.json");
  EXPECT_EQ(content, PrintNeeds()) << "renew deploy/helm/tollbridge/files/needs.json: "
                                      "deploy/helm/make_files.py";
}

TEST(NeedsTest, PrintedTableNamesEveryRoleAndNeed) {
  const boost::json::value table = boost::json::parse(PrintNeeds());
  ASSERT_EQ(table.as_object().size(), kRoleNeeds.size());
  for (const auto& [role, needs] : kRoleNeeds) {
    const boost::json::object& printed = table.at(role).as_object();
    const Needs read{.payment_service = printed.at("payment_service").as_bool(),
                     .operation_keys = printed.at("operation_keys").as_bool(),
                     .webhook_tokens = printed.at("webhook_tokens").as_bool(),
                     .redis = printed.at("redis").as_bool(),
                     .kafka = printed.at("kafka").as_bool(),
                     .traces = printed.at("traces").as_bool()};
    EXPECT_EQ(read, needs) << role;
    EXPECT_EQ(printed.size(), 6u);
  }
}

TEST(NeedsTest, TheBoundAddressIsForOrdersOfTheSameProcess) {
  const std::string bound =
      "webhooks: {public_url: bound-address}\n"
      "operations: {fingerprint_keys_file: /f, outcome_keys_file: /o}\n"
      "projects: [{name: shop, id: 22222222-2222-4222-8222-222222222222, api_key_file: /a, "
      "webhook_tokens_file: /t}]\n";
  EXPECT_TRUE(ParseConfig(bound).ok());
  EXPECT_TRUE(ParseConfig(bound, {.roles = {"events"}}).ok());
  EXPECT_THAT(ParseConfig(bound, {.roles = {"rpc"}}).status().ToString(),
              HasSubstr("bound-address needs the role webhooks"));
}

TEST(NeedsTest, FilesOfSecretsThatNobodyNeedsAreNotOpened) {
  Config config = WithRoles({});
  config.projects = {{.name = "shop",
                      .api_key_file = "/nothing/api-keys",
                      .webhook_tokens_file = "/nothing/tokens"}};
  config.operations.fingerprint_keys_file = "/nothing/fingerprints";
  config.operations.outcome_keys_file = "/nothing/outcomes";
  config.redis.password_file = "/nothing/password";
  config.redis.sentinel_password_file = "/nothing/sentinel";
  config.kafka.secret_properties_file = "/nothing/properties";
  config.traces.otlp_endpoint = "http://collector.example/v1/traces";
  config.traces.headers_file = "/nothing/headers";
  EXPECT_TRUE(LoadSecrets(config, {}).ok());
  const auto missing = [&](const Needs& needs) {
    return std::string(LoadSecrets(config, needs).status().message());
  };
  EXPECT_THAT(missing({.payment_service = true}), HasSubstr("/nothing/api-keys"));
  EXPECT_THAT(missing({.operation_keys = true}), HasSubstr("/nothing/fingerprints"));
  EXPECT_THAT(missing({.webhook_tokens = true}), HasSubstr("/nothing/tokens"));
  EXPECT_THAT(missing({.redis = true}), HasSubstr("/nothing/password"));
  EXPECT_THAT(missing({.kafka = true}), HasSubstr("/nothing/properties"));
  EXPECT_THAT(missing({.traces = true}), HasSubstr("/nothing/headers"));
}

}  // namespace
}  // namespace tollbridge::gateway
