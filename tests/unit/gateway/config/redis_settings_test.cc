#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "gateway/config/adapter_settings.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "gateway/config/stores.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::gateway {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A configuration with this section redis, of lines two spaces deep.
std::string WithRedis(const std::string& section, const std::string& environment = "development") {
  return "process: {environment: " + environment +
         "}\n"
         "operations:\n"
         "  fingerprint_keys_file: /keys/fingerprints\n"
         "  outcome_keys_file: /keys/outcomes\n"
         "projects:\n"
         "  - name: shop\n"
         "    id: 22222222-2222-4222-8222-222222222222\n"
         "    api_key_file: /keys/shop\n"
         "redis:\n" +
         section;
}

Config Parsed(const std::string& section) {
  absl::StatusOr<Config> config = ParseConfig(WithRedis(section));
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? *std::move(config) : Config{};
}

/// Of the connections to the only store.
absl::StatusOr<redis::ConnectionOptions> Options(const Config& config, StoreSecrets of_store) {
  Secrets secrets;
  secrets.stores[std::string(kOnlyStore)] = std::move(of_store);
  return RedisOptions(config, StoresOf(config).front(), secrets);
}

TEST(RedisSettingsTest, WithoutSentinelsThePrimaryIsAtTheAddress) {
  const auto options = Options(Parsed("  address: redis.example:6380\n"), {.password = "pw"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->host, "redis.example");
  EXPECT_EQ(options->port, 6380);
  EXPECT_EQ(options->password.Get(), "pw");
  EXPECT_THAT(options->sentinel.sentinels, IsEmpty());
}

TEST(RedisSettingsTest, SentinelsAreAskedWithTheirOwnNameAndPassword) {
  const Config config = Parsed(
      "  sentinels: [\"sentinel-1.example:26379\", \"[::1]:26380\"]\n"
      "  sentinel_master: payments\n"
      "  sentinel_username: finder\n"
      "  username: tollbridge\n");
  const auto options = Options(config, {.password = "pw", .sentinel_password = "sentinel-pw"});
  ASSERT_TRUE(options.ok()) << options.status();
  ASSERT_EQ(options->sentinel.sentinels.size(), 2U);
  EXPECT_EQ(options->sentinel.sentinels[0].ToString(), "sentinel-1.example:26379");
  EXPECT_EQ(options->sentinel.sentinels[1].ToString(), "[::1]:26380");
  EXPECT_EQ(options->sentinel.master, "payments");
  EXPECT_EQ(options->sentinel.user, "finder");
  EXPECT_EQ(options->sentinel.password.Get(), "sentinel-pw");
  EXPECT_EQ(options->user, "tollbridge");
  EXPECT_EQ(options->password.Get(), "pw");
}

TEST(RedisSettingsTest, ThePasswordsAreReadFromTheirFiles) {
  const test::TempFolder folder;
  Config config = Parsed("  database: 0\n");
  config.redis.password_file = folder.Write("redis", "of-redis\n");
  config.redis.sentinel_password_file = folder.Write("sentinel", "of-sentinel\n");
  absl::StatusOr<Secrets> secrets = LoadSecrets(config, {.redis = true});
  ASSERT_TRUE(secrets.ok()) << secrets.status();
  EXPECT_EQ(secrets->stores.at("redis").password.Get(), "of-redis");
  EXPECT_EQ(secrets->stores.at("redis").sentinel_password.Get(), "of-sentinel");

  config.redis.sentinel_password_file = folder.PathOf("none");
  EXPECT_THAT(LoadSecrets(config, {.redis = true}).status().ToString(),
              HasSubstr("redis.sentinel_password_file: "));
}

TEST(RedisSettingsTest, TlsIsForTheSentinelsToo) {
  const auto options = Options(Parsed("  sentinels: [\"sentinel.example:26379\"]\n"
                                      "  sentinel_master: payments\n"
                                      "  tls:\n"
                                      "    enabled: true\n"),
                               {});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_NE(options->tls, nullptr);
  EXPECT_EQ(options->sentinel.tls, options->tls);
}

TEST(RedisSettingsTest, AnAddressThatIsNoneIsRefusedByItsSetting) {
  EXPECT_THAT(Options(Parsed("  sentinels: [sentinel.example]\n"
                             "  sentinel_master: payments\n"),
                      {})
                  .status()
                  .ToString(),
              HasSubstr("redis.sentinels: must be HOST:PORT"));
}

TEST(RedisSettingsTest, WhatDoesNotFitTogetherIsRefused) {
  const struct {
    std::string section;
    std::string problem;
  } rows[] = {
      {"  sentinels: [\"sentinel.example:26379\"]\n",
       "redis.sentinel_master: is required with redis.sentinels"},
      {"  sentinels: [\"sentinel.example:26379\"]\n  sentinel_master: payments\n"
       "  address: redis.example:6379\n",
       "redis.address: is not used with redis.sentinels, leave it out"},
      {"  sentinel_master: payments\n", "redis.sentinel_master: is for redis.sentinels"},
      {"  sentinel_username: u\n", "redis.sentinel_username: is for redis.sentinels"},
      {"  sentinel_password_file: /p\n", "redis.sentinel_password_file: is for redis.sentinels"},
      {"  min_replicas: 1\n  replica_timeout: 1s\n",
       "redis.replica_timeout: must be shorter than operations.store_timeout"},
      {"  min_replicas: 17\n", "redis.min_replicas: must be a whole number from 0 to 16"},
      {"  memory_lost_doubt: 1s\n", "redis.memory_lost_doubt: must be a duration from 1m"},
      {"  failover_doubt: 0s\n", "redis.failover_doubt: must be a duration from 1s"},
  };
  for (const auto& [section, problem] : rows) {
    EXPECT_THAT(ParseConfig(WithRedis(section)).status().ToString(), HasSubstr(problem)) << section;
  }
}

TEST(RedisSettingsTest, SentinelsWithoutAReplicasWordAreRefusedInProduction) {
  const std::string sentinels =
      "  sentinels: [\"sentinel.example:26379\"]\n  sentinel_master: payments\n";
  EXPECT_THAT(ParseConfig(WithRedis(sentinels, "production")).status().ToString(),
              HasSubstr("redis.min_replicas: must be at least 1 with redis.sentinels"));
  EXPECT_TRUE(ParseConfig(WithRedis(sentinels, "development")).ok());
  const std::string one = sentinels + "  min_replicas: 1\n";
  EXPECT_THAT(ParseConfig(WithRedis(one, "production")).status().ToString(),
              Not(HasSubstr("min_replicas")));
}

TEST(RedisSettingsTest, ReplicasAndDoubtHaveTheDefaultsOfTheDocument) {
  const redis::OperationStoreOptions redis = Parsed("  database: 0\n").redis.store;
  EXPECT_EQ(redis.min_replicas, 0u);
  EXPECT_EQ(redis.replica_timeout, std::chrono::milliseconds(200));
  EXPECT_EQ(redis.memory_lost_doubt, std::chrono::hours(72));
  EXPECT_EQ(redis.failover_doubt, std::chrono::hours(1));
}

TEST(RedisSettingsTest, APrintedConfigurationWithSentinelsReadsAsItself) {
  const Config config = Parsed(
      "  sentinels: [\"sentinel.example:26379\"]\n"
      "  sentinel_master: payments\n"
      "  min_replicas: 2\n");
  const absl::StatusOr<Config> again = ParseConfig(PrintConfig(config));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->redis.sentinels, config.redis.sentinels);
  EXPECT_EQ(again->redis.store.min_replicas, 2u);
}

}  // namespace
}  // namespace tollbridge::gateway
