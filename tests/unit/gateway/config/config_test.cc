#include "gateway/config/config.h"
#include "tests/support/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace tollbridge::gateway {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The least that a configuration must say.
constexpr std::string_view kLeast =
    "operations:\n"
    "  fingerprint_keys_file: /keys/fingerprints\n"
    "  outcome_keys_file: /keys/outcomes\n"
    "projects:\n"
    "  - name: shop\n"
    "    id: 22222222-2222-4222-8222-222222222222\n"
    "    api_key_file: /keys/shop\n";

std::string ProblemsOf(const std::string& yaml) {
  const absl::StatusOr<Config> config = ParseConfig(yaml);
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << yaml;
  return std::string(config.status().message());
}

std::string Least() { return std::string(kLeast); }

TEST(ConfigTest, LeastConfigurationHasDefaultsForTheRest) {
  const absl::StatusOr<Config> config = ParseConfig(kLeast);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->process.environment, "production");
  EXPECT_EQ(config->rpc.listen, "127.0.0.1:7440");
  EXPECT_EQ(config->events.encoding, events::Encoding::kProtobuf);
  EXPECT_EQ(config->events.customer_data, events::CustomerData::kNone);
  for (const char* role : {"rpc", "webhooks", "events", "reconcile"}) {
    EXPECT_TRUE(config->HasRole(role)) << role;
  }
  EXPECT_FALSE(config->HasRole("other"));
  ASSERT_EQ(config->projects.size(), 1u);
  EXPECT_EQ(config->projects[0].name, "shop");
}

TEST(ConfigTest, SettingsReachTheRoomsThatUseThem) {
  const absl::StatusOr<Config> config =
      ParseConfig(Least() +
                  "process:\n  name: gate-1\n  roles: [rpc]\n"
                  "events:\n  encoding: json\n  customer_data: full\n  baseline_window: 5m\n");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->operations.settings.process_name, "gate-1");
  EXPECT_EQ(config->events.encoding, events::Encoding::kJson);
  EXPECT_EQ(config->events.customer_data, events::CustomerData::kFull);
  EXPECT_EQ(config->events.baseline_window, std::chrono::minutes(5));
  EXPECT_TRUE(config->HasRole("rpc"));
  EXPECT_FALSE(config->HasRole("events"));
}

TEST(ConfigTest, NamesAnUnknownKeyWithLineAndNearestName) {
  EXPECT_EQ(ProblemsOf("rpc:\n  lisen: 127.0.0.1:0\n"),
            "line 2: rpc.lisen: is not a setting; did you mean 'listen'?");
  EXPECT_EQ(ProblemsOf("rcp: {}\n"), "line 1: rcp: is not a setting; did you mean 'rpc'?");
  EXPECT_THAT(ProblemsOf("projects:\n  - nmae: shop\n"),
              HasSubstr("line 2: projects[0].nmae: is not a setting; did you mean 'name'?"));
}

TEST(ConfigTest, ListsWhatIsMissingAllAtOnce) {
  const std::string problems = ProblemsOf("");
  for (const char* missing :
       {"projects: at least one is required", "operations.fingerprint_keys_file: is required",
        "operations.outcome_keys_file: is required"}) {
    EXPECT_THAT(problems, HasSubstr(missing));
  }
}

TEST(ConfigTest, RefusesWhatDoesNotFitTogether) {
  const struct {
    std::string yaml;
    std::string problem;
  } rows[] = {
      {Least() + "process:\n  roles: [rpc, rcp]\n", "there is no role 'rcp'"},
      {Least() + "process:\n  roles: []\n", "process.roles: names no role"},
      {Least() + "webhooks:\n  public_url: https://hooks.example\n",
       "projects[0].webhook_tokens_file: is required with webhooks.public_url"},
      {Least() + "    wallet_a_hosts: [wallet.example, 'https://wallet.example/']\n",
       "projects[0].wallet_a_hosts[1]: must be a host as pay.example, *.pay.example"},
      {Least() + "rpc:\n  tls:\n    enabled: true\n", "rpc.tls: needs certificate_file"},
      {Least() + "webhooks:\n  tls:\n    enabled: true\n    certificate_file: /c\n",
       "webhooks.tls: needs certificate_file and private_key_file"},
      {Least() + "payment_service:\n  wallet_a_name: ''\n",
       "payment_service.wallet_a_name: is required"},
      {Least() + "  - name: shop\n    id: 11111111-1111-4111-8111-111111111111\n    "
                 "api_key_file: /k\n",
       "projects[1].name: is another project's name too"},
      {Least() + "  - name: other\n    id: 22222222-2222-4222-8222-222222222222\n    "
                 "api_key_file: /k\n",
       "projects[1].id: is another project's id too"},
      {Least() + "  - name: other\n    id: not-a-uuid\n    api_key_file: /k\n",
       "projects[1].id: must be a UUID"},
      {Least() + "  - id: 11111111-1111-4111-8111-111111111111\n    api_key_file: /k\n",
       "projects[1].name: is required"},
      {Least() + "  - name: other\n    id: 11111111-1111-4111-8111-111111111111\n",
       "projects[1].api_key_file: is required"},
      {Least() + "metrics:\n  listen: 0.0.0.0:7440\n",
       "metrics.listen: is the address of rpc.listen too"},
      {Least() + "webhooks:\n  listen: \"127.0.0.1:7442\"\n",
       "metrics.listen: is the address of webhooks.listen too"},
  };
  for (const auto& [yaml, problem] : rows) {
    EXPECT_THAT(ProblemsOf(yaml), HasSubstr(problem)) << yaml;
  }
}

TEST(ConfigTest, ListenersOfOtherRolesAndFreePortsDoNotCollide) {
  for (const char* settings : {"process: {roles: [rpc]}\nmetrics: {listen: 127.0.0.1:7441}\n",
                               "rpc: {listen: 127.0.0.1:0}\nmetrics: {listen: 127.0.0.1:0}\n"}) {
    EXPECT_TRUE(ParseConfig(Least() + settings).ok()) << settings;
  }
}

TEST(ConfigTest, OneFileIsNotForBothKeysOfOperations) {
  EXPECT_THAT(ProblemsOf("operations: {fingerprint_keys_file: /k, outcome_keys_file: /k}\n"
                         "projects: [{name: a, id: 22222222-2222-4222-8222-222222222222, "
                         "api_key_file: /a}]\n"),
              HasSubstr("operations.outcome_keys_file: is fingerprint_keys_file too"));
}

TEST(ConfigTest, ASchemaIdGoesWithTheEncodingThatNeedsIt) {
  EXPECT_THAT(ProblemsOf(Least() + "events:\n  encoding: confluent\n"),
              HasSubstr("events.schema_id: goes with the encoding confluent"));
  EXPECT_THAT(ProblemsOf(Least() + "events:\n  schema_id: 7\n"), HasSubstr("events.schema_id"));
  const auto config =
      ParseConfig(Least() + "events:\n  encoding: confluent\n  schema_id: 2147483647\n");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->events.schema_id, 2'147'483'647);
}

TEST(ConfigTest, HeartbeatsMayBeTurnedOffAndNotComeAllTheTime) {
  EXPECT_THAT(ProblemsOf(Least() + "events:\n  heartbeat_interval: 99ms\n"),
              HasSubstr("events.heartbeat_interval: must be 0s, or 100ms or longer"));
  for (const char* interval : {"0s", "100ms"}) {
    const std::string settings = std::string("events:\n  heartbeat_interval: ") + interval + "\n";
    EXPECT_TRUE(ParseConfig(Least() + settings).ok()) << interval;
  }
}

TEST(ConfigTest, TopicsOfProjectsAreReadAndLookedAt) {
  const auto config = ParseConfig(Least() +
                                  "    events_topic: shop.events\n"
                                  "    test_events_topic: shop.tests\n"
                                  "kafka:\n  test_events_topic: tests\n");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->projects[0].events_topic, "shop.events");
  EXPECT_EQ(config->projects[0].test_events_topic, "shop.tests");
  EXPECT_EQ(config->kafka.test_events_topic, "tests");
  EXPECT_THAT(ProblemsOf(Least() + "    events_topic: tollbridge.hints.v1\n"),
              HasSubstr("projects[0].events_topic: is the topic of something else"));
}

TEST(ConfigTest, SameProjectIdInOtherLettersIsTheSame) {
  const std::string yaml =
      "operations: {fingerprint_keys_file: /f, outcome_keys_file: /o}\n"
      "projects:\n"
      "  - {name: a, api_key_file: /a, id: "
      "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa}\n"
      "  - {name: b, api_key_file: /b, id: "
      "AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA}\n";
  EXPECT_THAT(ProblemsOf(yaml), HasSubstr("projects[1].id: is another project's id too"));
}

TEST(ConfigTest, RefusesALeaseThatMayEndWhileItsOwnerSends) {
  const std::string before_projects =
      "operations:\n"
      "  fingerprint_keys_file: /f\n  outcome_keys_file: /o\n"
      "  send_window: 10s\n  attempt_deadline: 8s\n  lease: 23s\n"
      "projects: [{name: a, id: 22222222-2222-4222-8222-222222222222, api_key_file: /a}]\n";
  EXPECT_THAT(ProblemsOf(before_projects), HasSubstr("lease must be longer"));
}

TEST(ConfigTest, DoesNotReplaceVariables) {
  ASSERT_EQ(setenv("TOLLBRIDGE_TEST_VARIABLE", "replaced", 1), 0);
  const absl::StatusOr<Config> config =
      ParseConfig(Least() + "traces:\n  otlp_endpoint: ${TOLLBRIDGE_TEST_VARIABLE}\n");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->traces.otlp_endpoint, "${TOLLBRIDGE_TEST_VARIABLE}");
}

TEST(ConfigTest, TheNameOfTheProcessIsOneThatKafkaTakes) {
  const absl::StatusOr<Config> config =
      ParseConfig(Least() + "process: {name: tollbridge}\n", {.name = "events-0"});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->process.name, "events-0");
  EXPECT_EQ(config->operations.settings.process_name, "events-0");
  for (const std::string& name : {std::string("a b"), std::string("a/b"), std::string(201, 'x')}) {
    EXPECT_THAT(
        ParseConfig(kLeast, {.name = name}).status().ToString(),
        HasSubstr("process.name: must be 1 to 200 letters, digits, dots, hyphens and underscores"))
        << name;
  }
}

TEST(ConfigTest, PrintedConfigurationReadsAsItself) {
  absl::StatusOr<Config> config =
      ParseConfig(Least() +
                  "  - name: \"sh\\\"op: #2\"\n    id: 11111111-1111-4111-8111-111111111111\n"
                  "    api_key_file: /k\n    test: true\n"
                  "kafka:\n  brokers: [a:1, b:2]\n  partitions: 3\n"
                  "events:\n  encoding: json\n  baseline_window: 90s\n"
                  "rpc:\n  tls: {enabled: true, certificate_file: /c, private_key_file: /p, "
                  "client_ca_file: /ca}\n");
  ASSERT_TRUE(config.ok()) << config.status();
  const std::string printed = PrintConfig(*config);
  EXPECT_THAT(printed, HasSubstr("brokers: [\"a:1\", \"b:2\"]"));
  EXPECT_THAT(printed, HasSubstr("baseline_window: 90s"));
  EXPECT_THAT(printed, Not(HasSubstr("#  "))) << "no comments";
  const absl::StatusOr<Config> again = ParseConfig(printed);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
  EXPECT_EQ(PrintConfig(*again), printed);
  EXPECT_EQ(again->projects[1].name, "sh\"op: #2");
  EXPECT_EQ(again->events.encoding, events::Encoding::kJson);
}

TEST(ConfigTest, ExampleShowsEverySettingAndIsValid) {
  const absl::StatusOr<Config> example = ParseConfig(ExampleConfig());
  ASSERT_TRUE(example.ok()) << example.status();
  // Without its comments the example is what print-config prints of it: no setting is left out.
  EXPECT_EQ(PrintConfig(*example), PrintConfig(*ParseConfig(PrintConfig(*example))));
  std::string without_comments;
  std::istringstream lines(ExampleConfig());
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] != '#') without_comments += line + "\n";
  }
  EXPECT_EQ(without_comments, PrintConfig(*example));
}

TEST(ConfigTest, ExampleInTheDocsIsTheExample) {
  const std::string path = std::string(TOLLBRIDGE_SOURCE_DIR) + "/docs/config.example.yaml";
  const std::string content = test::ReadFile(path);
  EXPECT_EQ(content, ExampleConfig())
      << "renew docs/config.example.yaml: tollbridge print-config --example";
}

TEST(ConfigTest, SchemaInTheDocsIsTheSchema) {
  const std::string content =
      test::ReadFile(std::string(TOLLBRIDGE_SOURCE_DIR) + "/docs/config.schema.json");
  EXPECT_EQ(content, ConfigJsonSchema())
      << "renew docs/config.schema.json: tollbridge print-config --json-schema";
}

TEST(LoadConfigTest, TellsTheFileAndWhatIsWrongInIt) {
  const std::string path = testing::TempDir() + "/load_config_test.yaml";
  std::ofstream(path) << "rcp: {}\n";
  const absl::Status status = LoadConfig(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean 'rpc'"));
  std::ofstream(path) << kLeast;
  EXPECT_TRUE(LoadConfig(path).ok());
}

TEST(LoadConfigTest, AFileThatCannotBeReadIsToldWithItsCauseAndWhatToDo) {
  for (const auto& [path, cause] :
       {std::pair(testing::TempDir() + "/no/such/file.yaml", "No such file or directory"),
        std::pair(testing::TempDir(), "Is a directory")}) {
    const absl::Status status = LoadConfig(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(status.message(), path + ": cannot be read: " + cause +
                                    "; name the configuration with --config or TOLLBRIDGE_CONFIG");
  }
}

}  // namespace
}  // namespace tollbridge::gateway
