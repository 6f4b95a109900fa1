// Each role by itself: what it is not given it does not miss, and does not hold.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/encoding.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/gateway_process.h"
#include "tests/support/http_call.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

using testing::ElementsAre;
using testing::Not;

constexpr std::string_view kApiKey = "sandbox-demo-key";
constexpr std::string_view kFingerprintKey = "a fingerprint key of 32 bytes...";
constexpr std::string_view kOutcomeKey = "an outcome key, also of 32 bytes";

/// What stands in the writable memory of a process.
std::string MemoryOf(pid_t pid) {
  const std::string proc = "/proc/" + std::to_string(pid);
  std::ifstream maps(proc + "/maps");
  std::ifstream memory(proc + "/mem", std::ios::binary);
  std::string all;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char dash = 0;
    std::string access;
    fields >> std::hex >> begin >> dash >> end >> access;
    if (!access.starts_with("rw")) continue;
    std::string piece(end - begin, '\0');
    memory.clear();
    memory.seekg(static_cast<std::streamoff>(begin));
    memory.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    all.append(piece, 0, static_cast<std::size_t>(memory.gcount()));
  }
  return all;
}

class RolesTest : public testing::Test {
 protected:
  std::string KeyFile(const std::string& name, std::string_view key) const {
    return folder_.Write(name, "k1 " + Base64Encode(key) + "\n");
  }
  StackOptions Options() const {
    return {.settings = {{"webhooks", {{"public_url", "https://hooks.example"}}},
                         {"operations",
                          {{"fingerprint_keys_file", KeyFile("fingerprint-keys", kFingerprintKey)},
                           {"outcome_keys_file", KeyFile("outcome-keys", kOutcomeKey)}}}}};
  }
  /// The status of the answer.
  int PostWebhook(const GatewayProcess& ingress) const {
    return HttpCall("POST", ingress.ingress_origin() + "/webhooks/" + token_,
                    WebhookBody(kNobodysOrder))
        .status;
  }
  /// Which of the secrets are in the memory of a process that has this role and does its work.
  std::vector<std::string> SecretsOf(const std::string& role) {
    const auto one = stack_.OneMoreGateway({}, {role});
    EXPECT_TRUE(Eventually([&] { return ProbeAt(one->metrics_url(), "/readyz").status == 200; }));
    if (role == "webhooks") EXPECT_EQ(PostWebhook(*one), 200);
    if (role == "rpc") EXPECT_EQ(HealthOf(one->grpc(), ""), Health::kServing);
    const std::string memory = MemoryOf(one->process().pid());
    EXPECT_THAT(memory, testing::HasSubstr(kNotSecret)) << "nothing was read";
    std::vector<std::string> found;
    const std::vector<std::pair<std::string, std::string>> secrets = {
        {"api key", std::string(kApiKey)},
        {"fingerprint key", std::string(kFingerprintKey)},
        {"fingerprint key", Base64Encode(kFingerprintKey)},
        {"outcome key", std::string(kOutcomeKey)},
        {"outcome key", Base64Encode(kOutcomeKey)},
        {"webhook token", token_}};
    for (const auto& [name, value] : secrets) {
      if (memory.find(value) == std::string::npos) continue;
      if (std::ranges::find(found, name) == found.end()) found.push_back(name);
    }
    return found;
  }

  /// Part of the configuration that every process keeps.
  static constexpr std::string_view kNotSecret = "https://hooks.example";

  TempFolder folder_;
  Stack stack_{Options()};
  std::string token_ = stack_.webhook_url().substr(stack_.webhook_url().rfind('/') + 1);
};

TEST_F(RolesTest, EachHoldsTheSecretsThatItNeedsAndNoOthers) {
  EXPECT_THAT(SecretsOf("rpc"),
              ElementsAre("api key", "fingerprint key", "outcome key", "webhook token"));
  EXPECT_THAT(SecretsOf("webhooks"), ElementsAre("webhook token"));
  EXPECT_THAT(SecretsOf("events"), ElementsAre("api key"));
  EXPECT_THAT(SecretsOf("reconcile"), ElementsAre("api key"));
}

/// The value of a line of /proc/PID/task/TASK/status.
std::string StatusOf(const std::filesystem::path& task, const std::string& name) {
  std::ifstream status(task / "status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  }
  return "no line";
}

TEST_F(RolesTest, EachIsConfinedInAllItsThreads) {
  const int own = std::stoi(StatusOf("/proc/self", "Seccomp_filters"));
  for (const char* role : {"rpc", "webhooks", "events", "reconcile"}) {
    const auto one = stack_.OneMoreGateway({}, {role});
    const pid_t pid = one->process().pid();
    int threads = 0;
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
      const std::string privileges = StatusOf(task.path(), "NoNewPrivs");
      const std::string mode = StatusOf(task.path(), "Seccomp");
      const std::string filters = StatusOf(task.path(), "Seccomp_filters");
      // The thread has ended meanwhile.
      if (!std::filesystem::exists(task.path())) continue;
      ++threads;
      EXPECT_EQ(privileges, "1") << role;
      // One filter of system calls more than this test has: confinement_test.cc shows what it
      // refuses.
      EXPECT_EQ(mode, "2") << role;
      EXPECT_EQ(filters, std::to_string(own + 1)) << role;
    }
    EXPECT_GT(threads, 2) << role;
    std::ifstream limits("/proc/" + std::to_string(pid) + "/limits");
    const std::string all{std::istreambuf_iterator<char>(limits), {}};
    EXPECT_THAT(all, testing::ContainsRegex("Max core file size +0 +0 ")) << role;
  }
}

/// The stack's configuration without what the role webhooks does not need: no address leads
/// anywhere, no file is there.
std::string ForWebhooksAlone(const Stack& stack) {
  std::ifstream in(stack.config_path());
  std::string out;
  std::string section;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(' ')) section = line;
    const std::string name = line.substr(0, line.find(':'));
    if (name.ends_with("api_key_file") || name.ends_with("_keys_file")) {
      line = name + ": /nothing/" + name.substr(name.find_first_not_of(" -"));
    }
    if (section == "redis:" && name.ends_with("address")) line = name + ": 127.0.0.1:1";
    if (section == "payment_service:" && name.ends_with("base_url")) {
      line = name + ": http://127.0.0.1:1";
    }
    out += line + "\n";
  }
  return out;
}

TEST_F(RolesTest, TheIngressMissesNeitherRedisNorThePaymentServiceNorTheirKeys) {
  const std::string config = folder_.Write("webhooks.yaml", ForWebhooksAlone(stack_));
  const Finished checked =
      stack_.Tollbridge({"check-config", "--role", "webhooks", "--config", config, "--online"});
  EXPECT_EQ(checked.code, 0) << checked.output << checked.error;
  const Finished all = stack_.Tollbridge({"check-config", "--config", config});
  EXPECT_EQ(all.code, 1);
  EXPECT_THAT(all.output, testing::HasSubstr("/nothing/fingerprint_keys_file: cannot be read"));

  GatewayProcess ingress(config, {}, std::nullopt, {"webhooks"});
  ASSERT_EQ(PostWebhook(ingress), 200);
  const auto hints = stack_.OpenTopic("hints");
  EXPECT_TRUE(hints->ReadUntil([&](const std::vector<TopicRecord>& records) {
    return std::ranges::any_of(records, [](const TopicRecord& record) {
      return record.key.ends_with(std::string(kNobodysOrder));
    });
  }));
  EXPECT_TRUE(Eventually([&] { return ProbeAt(ingress.metrics_url(), "/readyz").status == 200; }));
  EXPECT_THAT(ingress.process().standard_output(), Not(testing::HasSubstr("redis")));
  ingress.process().Signal(SIGTERM);
  const auto exit = ingress.process().WaitForExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
}

}  // namespace
}  // namespace tollbridge::test
