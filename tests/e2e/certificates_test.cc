// Certificates that are exchanged while the gateway runs: nobody notices.

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::test {
namespace {

constexpr int kSenders = 4;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

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
  const auto post = [&](const std::string& ca_file) {
    try {
      return HttpCall("POST", url, WebhookBody(kNobodysOrder), {}, kPatientLimit, ca_file).status;
    } catch (const std::runtime_error&) {
      return 0;
    }
  };
  ASSERT_EQ(post(first.ca_file()), 200);
  EXPECT_EQ(post(second.ca_file()), 0);

  std::atomic<bool> enough = false;
  std::atomic<int> taken = 0;
  std::atomic<int> failed = 0;
  std::vector<std::thread> senders;
  for (int i = 0; i < kSenders; ++i) {
    senders.emplace_back([&] {
      // Each webhook on a connection of its own.
      while (!enough) ++(post(both) == 200 ? taken : failed);
    });
  }
  EXPECT_TRUE(Eventually([&] { return taken >= 20; }));
  files.Put(second);
  EXPECT_TRUE(Eventually([&] { return post(second.ca_file()) == 200; }));
  const int before = taken;
  EXPECT_TRUE(Eventually([&] { return taken >= before + 20; }));
  enough = true;
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(failed, 0) << "of " << taken;
  EXPECT_EQ(post(first.ca_file()), 0);
  EXPECT_TRUE(stack.gateway().WaitForLine("\"event\":\"tls_files_changed\""));
}

}  // namespace
}  // namespace tollbridge::test
