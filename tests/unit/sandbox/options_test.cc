#include "sandbox/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/version/version.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::variant<Options, Exit> Parse(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"tollbridge-sandbox"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return ParseOptions(static_cast<int>(argv.size()), argv.data());
}

Options Good(const std::vector<std::string>& arguments) {
  std::variant<Options, Exit> parsed = Parse(arguments);
  if (const Exit* exit = std::get_if<Exit>(&parsed)) {
    ADD_FAILURE() << exit->text;
    return {};
  }
  return std::get<Options>(std::move(parsed));
}

/// What goes to stderr without the program's name and the line's end.
std::string Error(const std::vector<std::string>& arguments) {
  const std::variant<Options, Exit> parsed = Parse(arguments);
  const Exit* exit = std::get_if<Exit>(&parsed);
  if (exit == nullptr) return "accepted";
  EXPECT_EQ(exit->code, 1);
  EXPECT_THAT(exit->text, StartsWith("tollbridge-sandbox: "));
  EXPECT_THAT(exit->text, EndsWith("\n"));
  const std::size_t begin = std::string_view("tollbridge-sandbox: ").size();
  return exit->text.substr(begin, exit->text.size() - begin - 1);
}

TEST(Options, DefaultsAreThoseThatClientsRelyOn) {
  const Options options = Good({});
  EXPECT_EQ(options.listen.host, "127.0.0.1");
  EXPECT_EQ(options.listen.port, 8080);
  EXPECT_FALSE(options.vault_listen.has_value());
  EXPECT_FALSE(options.wallet_token_listen.has_value());
  EXPECT_FALSE(options.admin_anywhere);
  EXPECT_EQ(options.public_url, "");
  EXPECT_THAT(options.settings.projects, SizeIs(3));
  EXPECT_EQ(options.settings.webhooks.pause, Millis{120'000});
  EXPECT_EQ(options.settings.own_checkout_hold, std::chrono::minutes(60));
  EXPECT_EQ(options.seed, 1U);
  EXPECT_FALSE(options.start_time.has_value());
  EXPECT_FALSE(options.faults.has_value());
  EXPECT_EQ(options.orders, 0U);
  EXPECT_FALSE(options.tls.has_value());
  EXPECT_EQ(options.tls_self_signed_folder, "");
  EXPECT_FALSE(options.kafka);
  EXPECT_THAT(options.warnings, IsEmpty());
}

TEST(Options, EveryOptionArrives) {
  const test::TempFolder folder;
  const std::string plan = folder.Write("plan.json", R"({"rules": []})");
  const Options options = Good({"--listen",
                                "127.0.0.2:0",
                                "--vault-listen",
                                "[::1]:8443",
                                "--wallet-token-listen",
                                "localhost:8444",
                                "--public-url",
                                "https://pay.example/sandbox/",
                                "--seed",
                                "18446744073709551615",
                                "--start-time",
                                "2026-11-21T08:00:00+01:00",
                                "--index-lag",
                                "PT5S",
                                "--own-checkout-hold",
                                "PT0S",
                                "--webhook-pause-ms",
                                "20",
                                "--deliveries-shown",
                                "50000",
                                "--faults",
                                plan,
                                "--orders",
                                "100",
                                "--tls-certificate",
                                "c.pem",
                                "--tls-key",
                                "k.pem",
                                "--kafka",
                                "--kafka-topic",
                                "a.b:2",
                                "--kafka-topic",
                                "c:1"});
  EXPECT_EQ(options.listen.host, "127.0.0.2");
  EXPECT_EQ(options.listen.port, 0);
  ASSERT_TRUE(options.vault_listen.has_value());
  EXPECT_EQ(options.vault_listen->host, "::1");
  EXPECT_EQ(options.vault_listen->port, 8443);
  ASSERT_TRUE(options.wallet_token_listen.has_value());
  EXPECT_EQ(options.wallet_token_listen->host, "127.0.0.1");
  EXPECT_EQ(options.public_url, "https://pay.example/sandbox");
  EXPECT_EQ(options.seed, 18446744073709551615U);
  EXPECT_EQ(options.start_time, ParseTime("2026-11-21T07:00:00Z"));
  EXPECT_EQ(options.settings.index_lag, std::chrono::seconds(5));
  EXPECT_EQ(options.settings.own_checkout_hold, Millis{0});
  EXPECT_EQ(options.settings.webhooks.pause, Millis{20});
  EXPECT_EQ(options.settings.webhooks.attempts_shown, 50'000U);
  ASSERT_TRUE(options.faults.has_value());
  EXPECT_EQ(boost::json::serialize(*options.faults), R"({"rules":[]})");
  EXPECT_EQ(options.faults_source, plan);
  EXPECT_EQ(options.orders, 100U);
  ASSERT_TRUE(options.tls.has_value());
  EXPECT_EQ(options.tls->certificate, "c.pem");
  EXPECT_EQ(options.tls->key, "k.pem");
  EXPECT_TRUE(options.kafka);
  ASSERT_THAT(options.kafka_topics, SizeIs(2));
  EXPECT_EQ(options.kafka_topics[0].name, "a.b");
  EXPECT_EQ(options.kafka_topics[0].partitions, 2);
  EXPECT_THAT(options.warnings, IsEmpty());
}

TEST(Options, SelfSignedFolderArrives) {
  EXPECT_EQ(Good({"--tls-self-signed", "tls"}).tls_self_signed_folder, "tls");
}

TEST(Options, GoOverTheConfig) {
  const test::TempFolder folder;
  const std::string config = folder.Write(
      "sandbox.json", R"({"webhooks": {"pause_ms": 7, "max_attempts": 3}, "index_lag": "PT1S",
                          "own_checkout_hold": "PT1M", "faults": {"rules": []}})");
  const Options from_file = Good({"--config", config});
  EXPECT_EQ(from_file.settings.webhooks.pause, Millis{7});
  EXPECT_EQ(from_file.settings.index_lag, std::chrono::seconds(1));
  EXPECT_EQ(from_file.settings.own_checkout_hold, std::chrono::minutes(1));
  EXPECT_TRUE(from_file.faults.has_value());
  EXPECT_EQ(from_file.faults_source, config + ": faults");

  const Options over = Good({"--config", config, "--webhook-pause-ms", "9", "--index-lag", "PT2S",
                             "--own-checkout-hold", "PT2M"});
  EXPECT_EQ(over.settings.webhooks.pause, Millis{9});
  EXPECT_EQ(over.settings.webhooks.max_attempts, 3);
  EXPECT_EQ(over.settings.index_lag, std::chrono::seconds(2));
  EXPECT_EQ(over.settings.own_checkout_hold, std::chrono::minutes(2));
}

TEST(Options, EachVariantIsOffUnlessItIsAskedFor) {
  const test::TempFolder folder;
  const std::string config = folder.Write("c.json", R"({"variants": ["decline-ends-order"]})");
  const std::string help = std::get<Exit>(Parse({"--help"})).text;
  for (const Variant& variant : AllVariants()) {
    const std::string option = "--" + std::string(variant.name);
    EXPECT_THAT(help, HasSubstr(option));
    const Options asked = Good({option});
    for (const Variant& other : AllVariants()) {
      EXPECT_EQ(asked.settings.variants.*other.on, other.name == variant.name) << other.name;
    }
    const Options over = Good({"--config", config, option});
    EXPECT_TRUE(over.settings.variants.*variant.on);
    EXPECT_TRUE(over.settings.variants.decline_ends_order);
  }
}

TEST(Options, ListeningBeyondLoopbackIsAllowedButSaid) {
  const Options options =
      Good({"--listen", "0.0.0.0:8080", "--vault-listen", "[::]:0", "--admin-anywhere"});
  EXPECT_THAT(options.warnings,
              ElementsAre(HasSubstr("--listen 0.0.0.0:8080"), HasSubstr("--vault-listen [::]:0"),
                          StartsWith("--admin-anywhere")));
  EXPECT_THAT(Good({"--admin-anywhere"}).warnings, IsEmpty());
  EXPECT_THAT(Good({"--listen", "[::1]:0"}).warnings, IsEmpty());
}

/// A command line that is refused, and how its error begins.
class BadOptionTest
    : public testing::TestWithParam<std::pair<std::vector<std::string>, std::string>> {};

TEST_P(BadOptionTest, ErrorNamesTheOption) {
  const auto& [arguments, beginning] = GetParam();
  EXPECT_THAT(Error(arguments), StartsWith(beginning));
}

using Line = std::vector<std::string>;

INSTANTIATE_TEST_SUITE_P(
    Addresses, BadOptionTest,
    testing::Values(
        std::pair{Line{"--listen", "8080"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--listen", "127.0.0.1"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--listen", "127.0.0.1:"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--listen", ":8080"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--listen", "127.0.0.1:65536"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--listen", "127.0.0.1:-1"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--listen", "127.0.0.1:80x"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--listen", "shop.example:80"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--listen", "::1:8080"}, "--listen must be HOST:PORT"},
        std::pair{Line{"--listen", ""}, "--listen "}, std::pair{Line{"--listen"}, "--listen"},
        std::pair{Line{"--vault-listen", "x"}, "--vault-listen must be HOST:PORT"},
        std::pair{Line{"--wallet-token-listen", "x"}, "--wallet-token-listen must be HOST:PORT"},
        std::pair{Line{"--vault-listen", "localhost:8080"},
                  "--vault-listen is the same as --listen"},
        std::pair{Line{"--vault-listen", "127.0.0.1:1", "--wallet-token-listen", "127.0.0.1:1"},
                  "--wallet-token-listen is the same as --vault-listen"},
        std::pair{Line{"--public-url", "pay.example"}, "--public-url must be an absolute"},
        std::pair{Line{"--public-url", "https://pay.example/?a=b"},
                  "--public-url must be an absolute"}));

INSTANTIATE_TEST_SUITE_P(
    TheRest, BadOptionTest,
    testing::Values(
        std::pair{Line{"--tls-certificate", "c.pem"}, "--tls-certificate needs --tls-key"},
        std::pair{Line{"--tls-key", "k.pem"}, "--tls-key needs --tls-certificate"},
        std::pair{Line{"--tls-self-signed", "d", "--tls-certificate", "c", "--tls-key", "k"},
                  "--tls-self-signed goes without"},
        std::pair{Line{"--config", "/nowhere/sandbox.json"},
                  "--config /nowhere/sandbox.json: cannot be read"},
        std::pair{Line{"--faults", "/nowhere/plan.json"},
                  "--faults /nowhere/plan.json: cannot be read"},
        std::pair{Line{"--seed", "-1"}, "--seed must be from 0"},
        std::pair{Line{"--seed", "many"}, "--seed must be"},
        std::pair{Line{"--seed", "18446744073709551616"}, "--seed must be"},
        std::pair{Line{"--start-time", "noon"}, "--start-time must be an ISO 8601 time"},
        std::pair{Line{"--start-time", "2026-13-01"}, "--start-time must be"},
        std::pair{Line{"--index-lag", "5s"}, "--index-lag must be an ISO 8601 duration"},
        std::pair{Line{"--index-lag", "P2D"},
                  "--index-lag must be an ISO 8601 duration of at "
                  "most P1D"},
        std::pair{Line{"--own-checkout-hold", "PT61M"},
                  "--own-checkout-hold must be an ISO 8601 duration of at most PT60M"},
        std::pair{Line{"--webhook-pause-ms", "0"}, "--webhook-pause-ms must be from 1"},
        std::pair{Line{"--webhook-pause-ms", "3600001"}, "--webhook-pause-ms must be from 1"},
        std::pair{Line{"--webhook-pause-ms", "x"}, "--webhook-pause-ms must be"},
        std::pair{Line{"--deliveries-shown", "0"}, "--deliveries-shown must be from 1"},
        std::pair{Line{"--deliveries-shown", "10000001"}, "--deliveries-shown must be from 1"},
        std::pair{Line{"--orders", "-1"}, "--orders must be"},
        std::pair{Line{"--orders", "1000001"},
                  "--orders must be from 0 to max_orders, which is "
                  "1000000"},
        std::pair{Line{"--kafka", "--kafka-topic", "a"}, "--kafka-topic must be NAME:PARTITIONS"},
        std::pair{Line{"--kafka", "--kafka-topic", ":1"}, "--kafka-topic must be"},
        std::pair{Line{"--kafka", "--kafka-topic", "a:0"}, "--kafka-topic must be"},
        std::pair{Line{"--kafka", "--kafka-topic", "a:1001"}, "--kafka-topic must be"},
        std::pair{Line{"--kafka", "--kafka-topic", "a:1", "a:2"}, "--kafka-topic names a twice"},
        std::pair{Line{"--kafka-topic", "a:1"}, "--kafka-topic needs --kafka"}));

TEST(Options, WhatIsNoOptionIsRefused) {
  EXPECT_THAT(Error({"--lisen", "x"}), HasSubstr("--lisen"));
  EXPECT_THAT(Error({"serve"}), HasSubstr("serve"));
  EXPECT_THAT(Error({"--listen", "127.0.0.1:1", "--listen", "127.0.0.1:2"}), HasSubstr("--listen"));
}

TEST(Options, OrdersKeepToTheMaxOrdersOfTheConfig) {
  const test::TempFolder folder;
  const std::string config = folder.Write("c.json", R"({"max_orders": 10})");
  EXPECT_EQ(Good({"--config", config, "--orders", "10"}).orders, 10U);
  EXPECT_EQ(Error({"--config", config, "--orders", "11"}),
            "--orders must be from 0 to max_orders, which is 10");
}

TEST(Options, ErrorOfAConfigNamesFileAndPlace) {
  const test::TempFolder folder;
  const std::string config = folder.Write("c.json", R"({"projects": [{"name": "a"}]})");
  EXPECT_EQ(Error({"--config", config}), "--config " + config + ": projects[0].id is required");
}

TEST(Options, FaultsComeFromOnePlaceOnly) {
  const test::TempFolder folder;
  const std::string config = folder.Write("c.json", R"({"faults": {}})");
  const std::string plan = folder.Write("p.json", "{}");
  EXPECT_EQ(Error({"--config", config, "--faults", plan}),
            "--faults goes without faults in the --config");
}

TEST(Options, VersionIsAskedForAsOfTheGateway) {
  const std::variant<Options, Exit> parsed = Parse({"--version"});
  ASSERT_TRUE(std::holds_alternative<Exit>(parsed));
  EXPECT_EQ(std::get<Exit>(parsed).code, 0);
  EXPECT_EQ(std::get<Exit>(parsed).text, VersionLine("tollbridge-sandbox") + "\n");
}

TEST(Options, HelpTellsANewcomerWhatThereIs) {
  const std::variant<Options, Exit> parsed = Parse({"--help"});
  const Exit* exit = std::get_if<Exit>(&parsed);
  ASSERT_NE(exit, nullptr);
  EXPECT_EQ(exit->code, 0);
  for (const std::string_view part : {"stand-in",
                                      "\"base_url\"",
                                      "sandbox-demo-key",
                                      "sandbox-shop-key",
                                      "sandbox-limited-key",
                                      "/vault",
                                      "/wallet-b",
                                      "/pay/",
                                      "/_sandbox/",
                                      "\"advance\": \"PT5M\"",
                                      "--admin-anywhere",
                                      "--vault-listen",
                                      "--wallet-token-listen",
                                      "--public-url",
                                      "--tls-certificate",
                                      "--tls-key",
                                      "--tls-self-signed",
                                      "--config",
                                      "--seed",
                                      "--start-time",
                                      "--orders",
                                      "--own-checkout-hold",
                                      "--faults",
                                      "--index-lag",
                                      "--webhook-pause-ms",
                                      "--deliveries-shown",
                                      "--kafka-topic",
                                      "curl"}) {
    EXPECT_THAT(exit->text, HasSubstr(part));
  }
  EXPECT_EQ(std::get<Exit>(Parse({"-h"})).text, exit->text);
}

TEST(Options, HelpNamesTheDefaultProjectsAsTheyAre) {
  const std::string help = std::get<Exit>(Parse({"--help"})).text;
  for (const Project& project : DefaultProjects()) {
    EXPECT_THAT(help, HasSubstr(project.name));
    EXPECT_THAT(help, HasSubstr(project.id.ToString()));
    EXPECT_THAT(help, HasSubstr(project.api_keys.front()));
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
