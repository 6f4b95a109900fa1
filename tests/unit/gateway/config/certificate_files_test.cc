#include "gateway/config/certificate_files.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::gateway {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

/// `use: file`, with the key, or that these are authorities.
std::vector<std::string> FilesOf(const Config& config, const Secrets& secrets = {}) {
  std::vector<std::string> all;
  for (const CertificateFile& each : CertificateFiles(config, secrets)) {
    all.push_back(absl::StrCat(each.use, ": ", each.file, each.key_file.empty() ? "" : " ",
                               each.key_file, each.authorities ? " authorities" : ""));
  }
  return all;
}

TEST(CertificateFilesTest, AreThoseOfTheRolesThatRun) {
  Config config;
  config.rpc.tls = {.enabled = true,
                    .certificate_file = "/rpc.pem",
                    .private_key_file = "/rpc.key",
                    .ca_file = "/callers.pem"};
  config.webhooks.tls = {
      .enabled = true, .certificate_file = "/webhooks.pem", .private_key_file = "/webhooks.key"};
  config.redis.tls_enabled = true;
  config.redis.tls = {.ca_file = "/redis-ca.pem"};
  config.payment_service.origins.base_url = "https://service.example";
  config.payment_service.origins.ca_file = "/service.pem";
  config.traces.otlp_endpoint = "https://collector.example/v1/traces";
  config.traces.ca_file = "/collector.pem";
  config.process.roles = {"rpc"};
  EXPECT_THAT(FilesOf(config), ElementsAre("rpc.tls: /rpc.pem /rpc.key",
                                           "rpc.tls.client_ca_file: /callers.pem authorities",
                                           "redis.tls.ca_file: /redis-ca.pem authorities",
                                           "payment_service.ca_file: /service.pem authorities",
                                           "traces.ca_file: /collector.pem authorities"));
  config.process.roles = {"webhooks"};
  EXPECT_THAT(FilesOf(config), ElementsAre("webhooks.tls: /webhooks.pem /webhooks.key",
                                           "traces.ca_file: /collector.pem authorities"));
}

TEST(CertificateFilesTest, WhatSpeaksNoTlsHasNone) {
  Config config;
  config.process.roles = {"rpc"};
  config.rpc.tls = {.certificate_file = "/rpc.pem", .ca_file = "/callers.pem"};
  config.redis.tls = {.ca_file = "/redis-ca.pem"};
  config.payment_service.origins.base_url = "http://127.0.0.1:8080";
  config.payment_service.origins.ca_file = "/service.pem";
  config.traces.ca_file = "/collector.pem";
  EXPECT_THAT(FilesOf(config), IsEmpty());
}

TEST(CertificateFilesTest, ThoseOfKafkaAreInItsProperties) {
  Config config;
  config.process.roles = {"webhooks"};
  config.kafka.properties = {"security.protocol=ssl", "ssl.ca.location=/brokers.pem",
                             "ssl.certificate.location=/kafka.pem", "ssl.key.location=/kafka.key"};
  EXPECT_THAT(FilesOf(config), ElementsAre("kafka.ssl.certificate.location: /kafka.pem /kafka.key",
                                           "kafka.ssl.ca.location: /brokers.pem authorities"));
  Secrets secrets;
  secrets.kafka_properties = {"ssl.key.password=hush"};
  EXPECT_THAT(FilesOf(config, secrets),
              IsSupersetOf({"kafka.ssl.certificate.location: /kafka.pem"}))
      << "the key can only be read with its password";
}

TEST(CertificateFilesTest, AnAuthorityThatHasEndedDoesNotCountBesideAGoodOne) {
  const test::TestCertificates ended("DNS:localhost", std::chrono::hours(-1));
  const test::TestCertificates good("DNS:localhost");
  const test::TempFolder folder;
  CertificateFile file{
      .use = "rpc.tls.client_ca_file", .file = ended.ca_file(), .authorities = true};
  const auto now = std::chrono::system_clock::now();
  EXPECT_LT(CertificateEnd(file), now);
  file.file =
      folder.Write("both", test::ReadFile(good.ca_file()) + test::ReadFile(ended.ca_file()));
  EXPECT_GT(CertificateEnd(file), now);
}

}  // namespace
}  // namespace tollbridge::gateway
