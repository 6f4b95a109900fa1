#include "sandbox/config_file.h"

#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/temp_folder.h"

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kFile = "sandbox.json";
constexpr std::string_view kSecret = "a-key-that-must-not-be-shown";

/// A project that is right, but for what is put over it.
std::string Project(std::string_view more = "", std::string_view name = "one",
                    std::string_view last_digit = "1", std::string_view key = kSecret) {
  return R"({"name": ")" + std::string(name) + R"(", "id": "11111111-1111-4111-8111-11111111111)" +
         std::string(last_digit) + R"(", "api_keys": [")" + std::string(key) + R"("])" +
         std::string(more) + "}";
}

std::string Projects(const std::string& list) { return R"({"projects": [)" + list + "]}"; }

Config Read(std::string_view text) {
  absl::StatusOr<Config> config = ReadConfig(text, kFile);
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? *std::move(config) : Config{};
}

/// The error, which must be INVALID_ARGUMENT.
std::string Error(std::string_view text) {
  const absl::StatusOr<Config> config = ReadConfig(text, kFile);
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(config.status().message());
}

TEST(ConfigFile, EmptyObjectAndNullsLeaveTheDefaults) {
  for (const std::string_view text :
       {"{}", R"({"projects": null, "webhooks": {"pause_ms": null}, "faults": null})"}) {
    const Config config = Read(text);
    EXPECT_EQ(config.settings.projects.size(), 3U);
    EXPECT_EQ(config.settings.webhooks.pause, Millis{120'000});
    EXPECT_FALSE(config.faults.has_value());
  }
}

TEST(ConfigFile, EveryMemberArrives) {
  const Config config = Read(R"({
    "webhooks": {"first_timeout_ms": 1, "retry_timeout_ms": 2, "pause_ms": 3, "max_attempts": 4},
    "order_validity": "PT2H", "own_checkout_hold": "PT0S", "processing_time": "PT0S",
    "index_lag": "PT5S", "requests_per_second": 100, "max_orders": 7,
    "faults": {"rules": [{"status": 503}]}})");
  const Settings& settings = config.settings;
  EXPECT_EQ(settings.webhooks.first_timeout, Millis{1});
  EXPECT_EQ(settings.webhooks.retry_timeout, Millis{2});
  EXPECT_EQ(settings.webhooks.pause, Millis{3});
  EXPECT_EQ(settings.webhooks.max_attempts, 4);
  EXPECT_EQ(settings.order_validity, std::chrono::hours(2));
  EXPECT_EQ(settings.own_checkout_hold, Millis{0});
  EXPECT_EQ(settings.processing_time, Millis{0});
  EXPECT_EQ(settings.index_lag, std::chrono::seconds(5));
  EXPECT_EQ(settings.requests_per_second, 100);
  EXPECT_EQ(settings.max_orders, 7U);
  ASSERT_TRUE(config.faults.has_value());
  EXPECT_EQ(boost::json::serialize(*config.faults), R"({"rules":[{"status":503}]})");
}

TEST(ConfigFile, VariantsAreNames) {
  const Variants variants =
      Read(R"({"variants": ["unknown-fields", "empty-captures"]})").settings.variants;
  for (const Variant& variant : AllVariants()) {
    const bool named = variant.name == "unknown-fields" || variant.name == "empty-captures";
    EXPECT_EQ(variants.*variant.on, named) << variant.name;
  }
  EXPECT_EQ(Error(R"({"variants": ["unknown-field"]})"),
            "sandbox.json: variants[0] is no variant; --help lists them");
  EXPECT_EQ(Error(R"({"variants": "empty-captures"})"), "sandbox.json: variants must be an array");
}

TEST(ConfigFile, MethodMayTakeFewerCurrenciesThanItsProject) {
  const Config config = Read(Projects(Project(R"(, "currencies": ["EUR", "SEK"],
                               "method_currencies": {"wallet-a-pay": ["SEK"]})")));
  const sandbox::Project& project = config.settings.projects.front();
  EXPECT_THAT(project.CurrenciesOf("wallet-a-pay"), ElementsAre("SEK"));
  EXPECT_THAT(project.CurrenciesOf("credit-card"), ElementsAre("EUR", "SEK"));
  EXPECT_FALSE(project.Takes("wallet-a-pay", "EUR"));
  EXPECT_TRUE(project.Takes("credit-card", "EUR"));
  EXPECT_EQ(Error(Projects(Project(R"(, "currencies": ["EUR"],
                                      "method_currencies": {"wallet-a-pay": ["SEK"]})"))),
            "sandbox.json: projects[0].method_currencies.wallet-a-pay[0] must be one of the "
            "project's currencies");
  EXPECT_THAT(Error(Projects(Project(R"(, "method_currencies": {"cash": ["EUR"]})"))),
              HasSubstr("projects[0].method_currencies.cash is not a field"));
}

TEST(ConfigFile, ProjectsTakeThePlaceOfTheDefaults) {
  const Config config = Read(Projects(R"({
    "name": "live", "id": "AAAAAAAA-0000-4000-8000-000000000001",
    "merchant_id": "bbbbbbbb-0000-4000-8000-000000000002", "api_keys": ["k1", "k2"],
    "test": true, "read_only": true, "aft": false, "payouts": false,
    "webhook_url": "https://shop.example/hooks?a=b", "payment_methods": ["wallet-a-pay"],
    "currencies": ["SEK", "NOK"], "trade_name": "Fjord & Søn"})"));
  ASSERT_EQ(config.settings.projects.size(), 1U);
  const sandbox::Project& project = config.settings.projects.front();
  EXPECT_EQ(project.name, "live");
  EXPECT_EQ(project.id.ToString(), "aaaaaaaa-0000-4000-8000-000000000001");
  EXPECT_EQ(project.merchant_id.ToString(), "bbbbbbbb-0000-4000-8000-000000000002");
  EXPECT_THAT(project.api_keys, ElementsAre("k1", "k2"));
  EXPECT_TRUE(project.test);
  EXPECT_TRUE(project.read_only);
  EXPECT_FALSE(project.aft);
  EXPECT_FALSE(project.payouts);
  EXPECT_EQ(project.webhook_url, "https://shop.example/hooks?a=b");
  EXPECT_THAT(project.payment_methods, ElementsAre("wallet-a-pay"));
  EXPECT_THAT(project.currencies, ElementsAre("SEK", "NOK"));
  EXPECT_EQ(project.trade_name, "Fjord & Søn");
}

TEST(ConfigFile, ProjectNeedsOnlyNameIdAndKey) {
  const Config config = Read(Projects(Project()));
  const sandbox::Project& project = config.settings.projects.front();
  EXPECT_EQ(project.merchant_id, DefaultProjects().front().merchant_id);
  EXPECT_TRUE(project.HasMethod("credit-card"));
  EXPECT_TRUE(project.HasCurrency("EUR"));
  EXPECT_FALSE(project.read_only);
}

/// A text that is refused, and the whole error after `sandbox.json: `.
class BadConfigTest : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(BadConfigTest, ErrorNamesThePlaceAndTheRule) {
  const auto& [text, expected] = GetParam();
  const std::string error = Error(text);
  EXPECT_EQ(error, "sandbox.json: " + expected);
  EXPECT_THAT(error, Not(HasSubstr(kSecret)));
}

INSTANTIATE_TEST_SUITE_P(
    Members, BadConfigTest,
    testing::Values(
        std::pair{std::string("[]"), std::string("must be a JSON object")},
        std::pair{std::string("null"), std::string("must be a JSON object")},
        std::pair{std::string(R"({"project": []})"),
                  std::string("project is not a field; did you mean 'projects'?")},
        std::pair{std::string(R"({"webhooks": {"pause": 1}})"),
                  std::string("webhooks.pause is not a field; known here: first_timeout_ms, "
                              "retry_timeout_ms, pause_ms, max_attempts")},
        std::pair{std::string(R"({"webhooks": []})"), std::string("webhooks must be an object")},
        std::pair{std::string(R"({"webhooks": {"pause_ms": 0}})"),
                  std::string("webhooks.pause_ms must be an integer from 1 to 3600000")},
        std::pair{std::string(R"({"webhooks": {"max_attempts": 1.0}})"),
                  std::string("webhooks.max_attempts must be an integer from 1 to 100")},
        std::pair{std::string(R"({"own_checkout_hold": "PT61M"})"),
                  std::string("own_checkout_hold must be an ISO 8601 duration of at most PT60M")},
        std::pair{std::string(R"({"own_checkout_hold": 60})"),
                  std::string("own_checkout_hold must be a string")},
        std::pair{std::string(R"({"order_validity": "PT0S"})"),
                  std::string("order_validity must be an ISO 8601 duration longer than zero and "
                              "at most P36500D")},
        std::pair{std::string(R"({"processing_time": "-PT1S"})"),
                  std::string("processing_time must be an ISO 8601 duration of at most P36500D")},
        std::pair{std::string(R"({"index_lag": "P1DT1S"})"),
                  std::string("index_lag must be an ISO 8601 duration of at most P1D")},
        std::pair{std::string(R"({"requests_per_second": -1})"),
                  std::string("requests_per_second must be an integer from 0 to 1000000")},
        std::pair{std::string(R"({"max_orders": 18446744073709551615})"),
                  std::string("max_orders must be an integer from 1 to 10000000")},
        std::pair{std::string(R"({"faults": []})"), std::string("faults must be an object")}));

INSTANTIATE_TEST_SUITE_P(
    OfProjects, BadConfigTest,
    testing::Values(
        std::pair{std::string(R"({"projects": {}})"), std::string("projects must be an array")},
        std::pair{Projects(""), std::string("projects must hold at least one project")},
        std::pair{Projects("1"), std::string("projects[0] must be an object")},
        std::pair{Projects(Project() + R"(, {"name": "two", "api_keys": ["k"]})"),
                  std::string("projects[1].id is required")},
        std::pair{Projects(R"({"id": "11111111-1111-4111-8111-111111111111"})"),
                  std::string("projects[0].name is required")},
        std::pair{Projects(Project() + "," + Project("", "two", "x")),
                  std::string("projects[1].id must be a uuid")},
        std::pair{Projects(Project("", "Two words")),
                  std::string("projects[0].name must be 1 to 64 of a-z, 0-9, - and _")},
        std::pair{Projects(Project(R"(, "apikeys": [])")),
                  std::string("projects[0].apikeys is not a field; did you mean 'api_keys'?")},
        std::pair{Projects(Project("", "one", "1", "with:colon")),
                  std::string("projects[0].api_keys[0] must be 1 to 256 visible ASCII characters "
                              "other than ':'")},
        std::pair{Projects(R"({"name": "a", "id": "11111111-1111-4111-8111-111111111111",
                               "api_keys": []})"),
                  std::string("projects[0].api_keys must not be empty")},
        std::pair{Projects(R"({"name": "a", "id": "11111111-1111-4111-8111-111111111111",
                               "api_keys": "a-key-that-must-not-be-shown"})"),
                  std::string("projects[0].api_keys must be an array")},
        std::pair{Projects(Project(R"(, "test": "yes")")),
                  std::string("projects[0].test must be true or false")},
        std::pair{Projects(Project(R"(, "webhook_url": "shop.example")")),
                  std::string("projects[0].webhook_url must be an absolute http or https URL")},
        std::pair{Projects(Project(R"(, "payment_methods": ["cash"])")),
                  std::string("projects[0].payment_methods[0] must be credit-card, "
                              "credit-card-oct, wallet-a-pay or wallet-b-pay")},
        std::pair{Projects(Project(R"(, "currencies": ["EUR", "euro"])")),
                  std::string("projects[0].currencies[1] must match ^[A-Z]{3}$")},
        std::pair{Projects(Project(R"(, "currencies": ["EUR", "EUR"])")),
                  std::string("projects[0].currencies[1] is there twice")},
        std::pair{Projects(Project(R"(, "trade_name": "")")),
                  std::string("projects[0].trade_name must have 1 to 256 bytes")},
        std::pair{Projects(Project() + "," + Project("", "one", "2", "other")),
                  std::string("projects[1].name is the same as projects[0].name")},
        std::pair{Projects(Project() + "," + Project("", "two", "1", "other")),
                  std::string("projects[1].id is the same as projects[0].id")},
        std::pair{Projects(Project() + "," + Project("", "two", "2")),
                  std::string("projects[1].api_keys[0] is the same as "
                              "projects[0].api_keys[0]")}));

TEST(ConfigFile, SyntaxErrorHasLineAndColumn) {
  EXPECT_THAT(Error("{\n  \"max_orders\": 1,\n  oops\n}"),
              StartsWith("sandbox.json:3:3: not JSON"));
  EXPECT_THAT(Error("{\"max_orders\": 01}"), StartsWith("sandbox.json:1:17: not JSON"));
  EXPECT_THAT(Error(""), StartsWith("sandbox.json:1:1: not JSON: "));
  EXPECT_THAT(Error("{\n"), StartsWith("sandbox.json:2:1: not JSON: incomplete"));
  EXPECT_THAT(Error("{}\n{}"), StartsWith("sandbox.json:2:1: not JSON: there is more"));
  EXPECT_THAT(Error("{\"a\": \"\xff\"}"), StartsWith("sandbox.json:1:"));
}

TEST(ConfigFile, HostileTextIsRefused) {
  const std::string deep = std::string(100'000, '[');
  EXPECT_THAT(Error(deep), StartsWith("sandbox.json:1:"));
  const std::string error = Error("{\"" + std::string(500'000, 'x') + "\": 1}");
  EXPECT_LT(error.size(), 300U) << "a long name is cut";
}

TEST(ConfigFile, SyntaxErrorShowsNothingOfTheText) {
  const std::string error =
      Error(R"({"projects": [{"api_keys": ["a-key-that-must-not-be-shown" "x"]}]})");
  EXPECT_THAT(error, Not(HasSubstr(kSecret)));
}

TEST(ConfigFile, IsReadFromItsPath) {
  const test::TempFolder folder;
  const std::string path = folder.Write("c.json", R"({"max_orders": 5})");
  const absl::StatusOr<Config> config = ReadConfigFile(path);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->settings.max_orders, 5U);
  const std::string bad = folder.Write("bad.json", R"({"max_orders": 0})");
  EXPECT_THAT(ReadConfigFile(bad).status().message(), StartsWith(bad + ": max_orders must be"));
}

TEST(ConfigFile, FileThatCannotBeReadIsNamed) {
  const test::TempFolder folder;
  for (const std::string& path : {folder.PathOf("none.json"), folder.PathOf(".")}) {
    const absl::Status status = ReadConfigFile(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << path;
    EXPECT_THAT(std::string(status.message()), StartsWith(path + ": cannot be read: "));
  }
}

TEST(ConfigFile, FileThatIsTooLongIsRefused) {
  const test::TempFolder folder;
  const std::string path = folder.Write("long.json", std::string((1U << 20U) + 1, ' '));
  EXPECT_EQ(ReadConfigFile(path).status().message(), path + ": is longer than 1 MiB");
}

TEST(ConfigFile, FaultPlanIsAnyJsonObject) {
  const test::TempFolder folder;
  const auto plan = ReadJsonFile(folder.Write("plan.json", R"({"rules": []})"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(boost::json::serialize(*plan), R"({"rules":[]})");
  const std::string list = folder.Write("list.json", "[]");
  EXPECT_EQ(ReadJsonFile(list).status().message(), list + ": must be a JSON object");
}

}  // namespace
}  // namespace tollbridge::sandbox
