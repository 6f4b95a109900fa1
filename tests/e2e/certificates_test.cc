// Certificates that are exchanged while the gateway runs: nobody notices.

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/e2e/support/repeaters.h"
#include "tests/support/gateway_process.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

/// Webhooks at a time, each on a connection of its own.
constexpr int kSenders = 4;

TEST(CertificatesTest, TheIngressTakesItsNewOnesWithoutALostWebhook) {
  const TestCertificates first("IP:127.0.0.1");
  const TestCertificates second("IP:127.0.0.1");
  const ExchangedCertificates files(first);
  const TempFolder folder;
  Stack stack(
      {.settings = {{"webhooks",
                     {{"tls", "{enabled: true, certificate_file: " + files.certificate_file() +
                                  ", private_key_file: " + files.key_file() + "}"},
                      {"max_per_second", "1000000"}}}}});
  // The stack, which has no TLS of its own, calls it by http.
  const std::string url = "https" + stack.webhook_url().substr(stack.webhook_url().find(':'));
  const std::string both =
      folder.Write("both", ReadFile(first.ca_file()) + ReadFile(second.ca_file()));
  ASSERT_EQ(PostWebhook(url, kNobodysOrder, first.ca_file()), 200);
  EXPECT_EQ(PostWebhook(url, kNobodysOrder, second.ca_file()), kNoAnswer);

  Repeaters senders([&] { return PostWebhook(url, kNobodysOrder, both) == 200; }, kSenders);
  EXPECT_TRUE(senders.AwaitMore(20));
  files.Put(second);
  EXPECT_TRUE(Eventually([&] { return PostWebhook(url, kNobodysOrder, second.ca_file()) == 200; }));
  EXPECT_TRUE(senders.AwaitMore(20));
  senders.Stop();
  EXPECT_EQ(senders.failed(), 0) << "of " << senders.went_well();
  EXPECT_EQ(PostWebhook(url, kNobodysOrder, first.ca_file()), kNoAnswer);
  EXPECT_TRUE(stack.gateway().WaitForLine("\"event\":\"tls_files_changed\""));
}

TEST(CertificatesTest, TheClientsOfKafkaTakeTheirNewOnesWithoutALostHint) {
  const TestCertificates first("IP:127.0.0.1");
  const TestCertificates second("IP:127.0.0.1");
  const TestCertificates strangers("IP:127.0.0.1");
  KafkaBroker broker;
  const auto start_again_trusting = [&](const std::vector<std::string>& ca_files) {
    broker.Stop();
    broker.Trust(ca_files);
    broker.Start();
  };
  start_again_trusting({first.ca_file(), second.ca_file()});
  const ExchangedCertificates files(first);
  Stack stack(
      {.settings = {{"kafka",
                     {{"brokers", "[\"" + broker.address().tls_brokers + "\"]"},
                      {"properties",
                       "[security.protocol=ssl, ssl.ca.location=" + broker.address().ca_file +
                           ", ssl.certificate.location=" + files.certificate_file() +
                           ", ssl.key.location=" + files.key_file() + "]"}}},
                    {"webhooks", {{"max_per_second", "1000000"}}}},
       .kafka = &broker});
  const auto post = [&] { return PostWebhook(stack.webhook_url(), kNobodysOrder) == 200; };
  Repeaters senders(post, kSenders);
  ASSERT_TRUE(senders.AwaitMore(20));

  // Files that the broker does not accept change nothing but the log.
  files.PutCertificateAlone(strangers);
  EXPECT_TRUE(stack.gateway().WaitForLine("\"event\":\"kafka_clients_not_renewed\""));
  files.Put(strangers);
  EXPECT_TRUE(stack.gateway().WaitForLine("admin: kafka: "));
  EXPECT_GE(stack.Metric("tollbridge_secret_file_read_failures_total{what=\"kafka\"}"), 2)
      << "with each try";
  EXPECT_TRUE(senders.AwaitMore(20));
  files.Put(second);
  EXPECT_TRUE(stack.gateway().WaitForLine("\"event\":\"kafka_clients_renewed\""));
  EXPECT_TRUE(senders.AwaitMore(20));
  senders.Stop();
  EXPECT_EQ(senders.failed(), 0) << "of " << senders.went_well();
  EXPECT_GE(stack.OpenTopic("hints")->ReadAll().size(),
            static_cast<std::size_t>(senders.went_well()));

  // Whoever still shows the first certificate does not come back.
  start_again_trusting({second.ca_file()});
  EXPECT_TRUE(Eventually(post));
  const common::v1::Order order = OrderOf(CreateOrder(stack, OrderRequest("after")));
  PayOnHostedPage(stack, order);
  EXPECT_TRUE(AwaitEvent(*stack.OpenTopic("events"), order.id(), kPaymentCompleted));
  EXPECT_TRUE(Eventually([&] { return ProbeAt(stack.metrics_url(), "/readyz").status == 200; }));
}

TEST(CertificatesTest, SecretPropertiesOfKafkaThatCannotBeUsedChangeNothing) {
  const TempFolder folder;
  const std::string file = folder.Write("properties", "client.rack=first");
  Stack stack({.settings = {{"kafka", {{"secret_properties_file", file}}}}});
  const auto works = [&] {
    return PostWebhook(stack.webhook_url(), kNobodysOrder) == 200 &&
           ProbeAt(stack.metrics_url(), "/readyz").status == 200;
  };
  folder.Write("properties", "U3VwZXJTZWNyZXQ=");
  EXPECT_TRUE(stack.gateway().WaitForLine(
      R"("reason":"kafka.secret_properties_file[0]: librdkafka has no such property")"));
  EXPECT_TRUE(works());
  // To open it would wait for somebody who writes.
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_TRUE(stack.gateway().WaitForLine("properties: is no file"));
  EXPECT_TRUE(works());
  std::filesystem::remove(file);
  folder.Write("properties", "client.rack=second");
  EXPECT_TRUE(stack.gateway().WaitForLine("\"event\":\"kafka_clients_renewed\""));
  EXPECT_TRUE(works());
  stack.gateway().Signal(SIGTERM);
  const auto ended = stack.gateway().WaitForExit();
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code, 0);
}

}  // namespace
}  // namespace tollbridge::test
