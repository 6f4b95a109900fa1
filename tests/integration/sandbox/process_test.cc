#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/encoding.h"
#include "tests/integration/sandbox/sandbox_process.h"
#include "tests/support/http_call.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Line = std::vector<std::string>;

constexpr std::string_view kOrder = R"({"currency": "EUR", "amount": 1250})";

Finished RunSandbox(Line arguments) {
  arguments.insert(arguments.begin(), ProgramBeside("tollbridge-sandbox"));
  return Run(std::move(arguments));
}

std::string TextOf(const json::object& object, std::string_view name) {
  return std::string(object.at(name).as_string());
}

json::object Parsed(const std::string& text) { return json::parse(text).as_object(); }

TEST(SandboxProgram, HelpGoesToStandardOutputAndEndsWith0) {
  const Finished help = RunSandbox({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output, HasSubstr("sandbox-demo-key"));
  EXPECT_THAT(help.output, HasSubstr("--tls-self-signed"));
  EXPECT_THAT(help.error, IsEmpty());
}

/// A command line that is refused, and what its one line on stderr says.
class BadCommandLineTest : public testing::TestWithParam<std::pair<Line, std::string>> {};

TEST_P(BadCommandLineTest, EndsWith1AndALineThatNamesTheOption) {
  const auto& [arguments, part] = GetParam();
  const Finished finished = RunSandbox(arguments);
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.output, IsEmpty());
  EXPECT_THAT(finished.error, StartsWith("tollbridge-sandbox: "));
  EXPECT_THAT(finished.error, HasSubstr(part));
  EXPECT_EQ(std::ranges::count(finished.error, '\n'), 1) << finished.error;
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadCommandLineTest,
    testing::Values(
        std::pair{Line{"--listen", "nowhere"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--vault-listen", "nowhere"}, "--vault-listen must be"},
        std::pair{Line{"--wallet-token-listen", "nowhere"}, "--wallet-token-listen must be"},
        std::pair{Line{"--public-url", "nowhere"}, "--public-url must be"},
        std::pair{Line{"--config", "/nowhere/c.json"}, "--config /nowhere/c.json: cannot be read"},
        std::pair{Line{"--faults", "/nowhere/p.json"}, "--faults /nowhere/p.json: cannot be read"},
        std::pair{Line{"--seed", "-1"}, "--seed must be"},
        std::pair{Line{"--start-time", "noon"}, "--start-time must be"},
        std::pair{Line{"--index-lag", "1s"}, "--index-lag must be"},
        std::pair{Line{"--own-checkout-hold", "PT2H"}, "--own-checkout-hold must be"},
        std::pair{Line{"--webhook-pause-ms", "0"}, "--webhook-pause-ms must be"},
        std::pair{Line{"--orders", "-1"}, "--orders must be"},
        std::pair{Line{"--tls-certificate", "c.pem"}, "--tls-certificate needs --tls-key"},
        std::pair{Line{"--tls-certificate", "/nowhere/c.pem", "--tls-key", "/nowhere/k.pem"},
                  "/nowhere/c.pem"},
        std::pair{Line{"--tls-self-signed", "/dev/null/tls"}, "/dev/null/tls: cannot be made"},
        std::pair{Line{"--kafka", "--kafka-topic", "t"}, "--kafka-topic must be"},
        std::pair{Line{"--wrong"}, "--wrong"}));

class SandboxFilesTest : public testing::Test {
 protected:
  Finished RunWith(std::string_view option, std::string_view text) {
    path_ = folder_.Write("file.json", text);
    return RunSandbox({std::string(option), path_, "--listen", "127.0.0.1:0"});
  }

  TempFolder folder_;
  std::string path_;
};

TEST_F(SandboxFilesTest, BadConfigIsRefusedWithItsPlaceAndWithoutItsKeys) {
  const Finished finished =
      RunWith("--config", R"({"projects": [{"name": "a", "id": "x", "api_keys": ["my-secret"]}]})");
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(finished.error,
            "tollbridge-sandbox: --config " + path_ + ": projects[0].id must be a uuid\n");
  EXPECT_THAT(finished.error, Not(HasSubstr("my-secret")));
}

TEST_F(SandboxFilesTest, ConfigThatIsNoJsonIsRefusedWithLineAndColumn) {
  const Finished finished = RunWith("--config", "{\n  oops\n}");
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.error, HasSubstr(path_ + ":2:3: not JSON"));
}

TEST_F(SandboxFilesTest, BadFaultPlanIsRefusedWithItsFile) {
  const Finished plan = RunWith("--faults", R"({"no_such_member": 1})");
  EXPECT_EQ(plan.code, 1);
  EXPECT_THAT(plan.error, StartsWith("tollbridge-sandbox: " + path_ + ": "));
  EXPECT_THAT(plan.error, HasSubstr("no_such_member"));
  const Finished config = RunWith("--config", R"({"faults": {"no_such_member": 1}})");
  EXPECT_EQ(config.code, 1);
  EXPECT_THAT(config.error, StartsWith("tollbridge-sandbox: " + path_ + ": faults: "));
}

TEST_F(SandboxFilesTest, ProjectsOfAConfigTakeThePlaceOfTheDefaults) {
  const std::string path = folder_.Write(
      "c.json", R"({"projects": [{"name": "own", "id": "44444444-4444-4444-8444-444444444444",
                                  "api_keys": ["own-key"]}]})");
  const SandboxProcess sandbox({"--config", path});
  const http::Response created = sandbox.Ask("POST", "/v1/orders/", std::string(kOrder), "own-key");
  EXPECT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(TextOf(Parsed(created.body), "project_id"), "44444444-4444-4444-8444-444444444444");
  EXPECT_EQ(sandbox.Ask("POST", "/v1/orders/", std::string(kOrder), "sandbox-demo-key").status,
            401);
  const json::array projects = json::parse(sandbox.Look("projects")).as_array();
  ASSERT_EQ(projects.size(), 1U);
  EXPECT_EQ(projects[0].at("name"), "own");
}

TEST(SandboxProgram, PrintsOneJsonLineWithItsAddresses) {
  SandboxProcess sandbox;
  const json::object& line = sandbox.addresses();
  const std::string base_url = TextOf(line, "base_url");
  EXPECT_THAT(base_url, StartsWith("http://127.0.0.1:"));
  EXPECT_NE(sandbox.port(), 0);
  EXPECT_EQ(TextOf(line, "vault_url"), base_url + "/vault");
  EXPECT_EQ(TextOf(line, "wallet_token_url"), base_url + "/wallet-b");
  EXPECT_EQ(TextOf(line, "admin_url"), base_url + "/_sandbox/");
  EXPECT_FALSE(line.contains("kafka_brokers"));
  EXPECT_EQ(HttpCall("GET", TextOf(line, "admin_url")).status, 200);
  const std::string output = sandbox.process().standard_output();
  EXPECT_EQ(std::ranges::count(output, '\n'), 1) << output;
  EXPECT_THAT(sandbox.process().standard_error(), IsEmpty());
}

class SandboxSignalTest : public testing::TestWithParam<int> {};

TEST_P(SandboxSignalTest, EndsItWith0) {
  SandboxProcess sandbox;
  sandbox.process().Signal(GetParam());
  const auto exit = sandbox.process().WaitForExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, SandboxSignalTest, testing::Values(SIGTERM, SIGINT));

TEST(SandboxProgram, PortThatIsTakenIsNamed) {
  const SandboxProcess first;
  const std::string port = std::to_string(first.port());
  const std::string address = first.host() + ":" + port;
  for (const Line& arguments :
       {Line{"--listen", address}, Line{"--listen", "127.0.0.1:0", "--vault-listen", address},
        Line{"--listen", "127.0.0.1:0", "--wallet-token-listen", address}}) {
    const Finished second = RunSandbox(arguments);
    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(second.output, IsEmpty());
    EXPECT_THAT(second.error, HasSubstr("cannot listen on 127.0.0.1 port " + port));
  }
}

TEST(SandboxProgram, VaultAndWalletHaveOwnPortsWithoutPrefix) {
  const SandboxProcess sandbox(
      {"--vault-listen", "127.0.0.1:0", "--wallet-token-listen", "127.0.0.1:0"});
  const std::string vault = TextOf(sandbox.addresses(), "vault_url");
  const std::string wallet = TextOf(sandbox.addresses(), "wallet_token_url");
  for (const std::string& url : {vault, wallet}) {
    EXPECT_THAT(url, StartsWith("http://127.0.0.1:"));
    EXPECT_THAT(url, Not(HasSubstr(sandbox.url())));
  }
  const http::Headers key = {{"Authorization", "Basic " + Base64Encode("sandbox-demo-key:")}};
  EXPECT_EQ(HttpCall("POST", vault + "/v1/cards/", "{}", key).status, 422);
  EXPECT_EQ(HttpCall("POST", vault + "/v1/cards/", "{}").status, 401);
  EXPECT_EQ(HttpCall("POST", wallet + "/tokens/", "{}").status, 422);
  for (const std::string& url : {vault, wallet}) {
    EXPECT_EQ(HttpCall("POST", url + "/v1/orders/", std::string(kOrder), key).status, 404);
    EXPECT_EQ(HttpCall("GET", url + "/_sandbox/ledger", "", key).status, 404);
  }
}

TEST(SandboxProgram, PublicUrlIsWhatUrlsInAnswersBeginWith) {
  Process process({ProgramBeside("tollbridge-sandbox"), "--listen", "127.0.0.1:0", "--public-url",
                   "https://pay.example/sandbox/"});
  const auto line = process.WaitForLine("base_url");
  ASSERT_TRUE(line.has_value()) << process.standard_error();
  const json::object addresses = Parsed(*line);
  EXPECT_EQ(TextOf(addresses, "base_url"), "https://pay.example/sandbox");
  EXPECT_EQ(TextOf(addresses, "vault_url"), "https://pay.example/sandbox/vault");
}

TEST(SandboxProgram, StartTimeMakesTheClockStand) {
  const SandboxProcess sandbox({"--start-time", "2026-11-21T08:00:00Z"});
  EXPECT_EQ(sandbox.Look("clock"), R"({"now":"2026-11-21T08:00:00.000Z","stands":true})");
  EXPECT_EQ(sandbox.Operate("clock", R"({"advance": "P1DT5M"})"),
            R"({"now":"2026-11-22T08:05:00.000Z","stands":true})");
  const http::Response created = sandbox.Ask("POST", "/v1/orders/", std::string(kOrder));
  EXPECT_EQ(TextOf(Parsed(created.body), "created"), "2026-11-22T08:05:00.000Z");
}

TEST(SandboxProgram, ClockRunsWithoutAStartTime) {
  const SandboxProcess sandbox;
  EXPECT_EQ(Parsed(sandbox.Look("clock")).at("stands"), false);
}

TEST(SandboxProgram, OrdersAreThereFromTheStart) {
  const SandboxProcess sandbox({"--orders", "25", "--start-time", "2026-11-21T08:00:00Z"});
  EXPECT_EQ(json::parse(sandbox.Look("orders")).as_array().size(), 25U);
  EXPECT_EQ(sandbox.Look("ledger"), "[]");
  EXPECT_EQ(sandbox.Look("deliveries"), "[]");
  EXPECT_EQ(sandbox.Operate("seed", R"({"orders": 5, "project": "shop"})"),
            R"({"seeded":5,"orders":30})");
}

TEST(SandboxProgram, SameSeedAndStartTimeGiveTheSameOrders) {
  const SandboxProcess one(
      {"--orders", "25", "--seed", "42", "--start-time", "2026-11-21T08:00:00Z"});
  const SandboxProcess same(
      {"--orders", "25", "--seed", "42", "--start-time", "2026-11-21T08:00:00Z"});
  const SandboxProcess other(
      {"--orders", "25", "--seed", "43", "--start-time", "2026-11-21T08:00:00Z"});
  const auto ids = [](const SandboxProcess& sandbox) {
    std::vector<std::string> all;
    const json::array orders = json::parse(sandbox.Look("orders")).as_array();
    for (const json::value& order : orders) {
      all.push_back(TextOf(order.as_object(), "id"));
    }
    return all;
  };
  EXPECT_EQ(ids(one), ids(same));
  EXPECT_NE(ids(one), ids(other));
}

TEST(SandboxProgram, ListeningBeyondLoopbackIsSaidOnStandardError) {
  Process process({ProgramBeside("tollbridge-sandbox"), "--listen", "0.0.0.0:0"});
  ASSERT_TRUE(process.WaitForLine("base_url").has_value()) << process.standard_error();
  // The other stream is read by itself.
  EXPECT_TRUE(Eventually([&] {
    return process.standard_error().find("--listen 0.0.0.0:0") != std::string::npos;
  })) << process.standard_error();
}

}  // namespace
}  // namespace tollbridge::test
