#include "gateway/config/secret_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/support/temp_folder.h"

namespace tollbridge::gateway {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SecretCheckTest : public testing::Test {
 protected:
  SecretCheckTest() {
    config_.operations.fingerprint_keys_file =
        Write("fingerprints", "f1 MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n");
    config_.operations.outcome_keys_file =
        Write("outcomes", "o1 ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=\n");
    config_.projects = {{.name = "shop", .api_key_file = Write("shop", "hush-1\n")},
                        {.name = "travel", .api_key_file = Write("travel", "hush-2\n")}};
  }

  std::string Write(const std::string& name, const std::string& text) {
    folder_.Write(name, text);
    Open(name, 0640);
    return folder_.PathOf(name);
  }

  void Open(const std::string& name, mode_t mode) {
    EXPECT_EQ(chmod(folder_.PathOf(name).c_str(), mode), 0);
  }

  std::string Problems() {
    const Needs needs = NeedsOf(config_);
    const absl::StatusOr<Secrets> secrets = LoadSecrets(config_, needs);
    EXPECT_TRUE(secrets.ok()) << secrets.status();
    std::string problems(CheckSecretFiles(config_, needs, *secrets).message());
    EXPECT_THAT(problems, Not(HasSubstr("hush")));
    return problems;
  }

  test::TempFolder folder_;
  Config config_;
};

TEST_F(SecretCheckTest, FilesForTheirOwnerAndGroupAreGood) {
  EXPECT_EQ(Problems(), "");
  Open("shop", 0400);
  EXPECT_EQ(Problems(), "");
}

TEST_F(SecretCheckTest, AFileThatOthersMayReadOrWriteIsRefusedInProduction) {
  for (const mode_t mode : {0644U, 0642U, 0641U}) {
    Open("shop", mode);
    EXPECT_THAT(Problems(),
                AllOf(HasSubstr("api_key_file of project shop: "), HasSubstr("chmod o=")));
  }
  config_.process.environment = "development";
  EXPECT_EQ(Problems(), "");
}

TEST_F(SecretCheckTest, EachKindOfSecretIsLookedAt) {
  const auto refused = [this](const std::string& setting, std::string* path) {
    *path = Write("secret", "name=value\n");
    Open("secret", 0604);
    EXPECT_THAT(Problems(), HasSubstr(setting + ": ")) << setting;
    path->clear();
  };
  Open("fingerprints", 0644);
  EXPECT_THAT(Problems(), HasSubstr("operations.fingerprint_keys_file: "));
  Open("fingerprints", 0640);
  refused("redis.password_file", &config_.redis.password_file);
  refused("redis.sentinel_password_file", &config_.redis.sentinel_password_file);
  refused("kafka.secret_properties_file", &config_.kafka.secret_properties_file);
  config_.redis.tls_enabled = true;
  refused("redis.tls.private_key_file", &config_.redis.tls.private_key_file);
  config_.rpc.tls.enabled = true;
  refused("rpc.tls.private_key_file", &config_.rpc.tls.private_key_file);
  config_.webhooks.tls.enabled = true;
  refused("webhooks.tls.private_key_file", &config_.webhooks.tls.private_key_file);
}

TEST_F(SecretCheckTest, SoAreTheKeysThatTheClientOfKafkaReads) {
  const std::string key = Write("kafka.pem", "k");
  for (const std::string property : {"ssl.key.location", "ssl.keystore.location"}) {
    config_.kafka.properties = {property + "=" + key};
    Open("kafka.pem", 0644);
    EXPECT_THAT(Problems(), HasSubstr("kafka.properties " + property + ": " + key));
    config_.kafka.properties.clear();
    config_.kafka.secret_properties_file = Write("properties", property + "=" + key + "\n");
    EXPECT_THAT(Problems(), HasSubstr("kafka.properties " + property + ": " + key));
    config_.kafka.secret_properties_file.clear();
  }
  config_.kafka.properties = {"ssl.key.location=" + key};
  Open("kafka.pem", 0640);
  EXPECT_EQ(Problems(), "");
}

TEST_F(SecretCheckTest, OneFileForTwoPurposesIsRefused) {
  config_.projects[0].webhook_tokens_file = config_.projects[0].api_key_file;
  EXPECT_THAT(Problems(),
              HasSubstr("webhook_tokens_file of project shop: is the file of api_key_file of "
                        "project shop too"));
  // Also by another name.
  ASSERT_EQ(link(folder_.PathOf("shop").c_str(), folder_.PathOf("other").c_str()), 0);
  config_.projects[0].webhook_tokens_file = folder_.PathOf("other");
  EXPECT_THAT(Problems(), HasSubstr("webhook_tokens_file of project shop: is the file of"));
}

TEST_F(SecretCheckTest, OneKeyOfTlsForTwoListenersIsOnePurpose) {
  config_.rpc.tls = {.enabled = true, .private_key_file = Write("key", "k")};
  config_.webhooks.tls = {.enabled = true, .private_key_file = folder_.PathOf("key")};
  EXPECT_EQ(Problems(), "");
}

TEST_F(SecretCheckTest, TwoProjectsWithOneApiKeyAreRefused) {
  Write("travel", "hush-3\nhush-1\n");
  EXPECT_THAT(Problems(),
              HasSubstr("api_key_file of project travel: has an API key of project shop too"));
  config_.process.environment = "development";
  EXPECT_EQ(Problems(), "");
}

}  // namespace
}  // namespace tollbridge::gateway
