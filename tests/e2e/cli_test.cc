// The commands beside `serve`, as a person or a script runs them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class CliTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { stack_ = std::make_unique<Stack>(); }
  static void TearDownTestSuite() { stack_.reset(); }
  static Stack& stack() { return *stack_; }

  /// The stack's configuration with one text in place of another.
  std::string ConfigWith(const std::string& from, const std::string& to) const {
    return folder_.Write("tollbridge.yaml", Replaced(ReadFile(stack().config_path()), from, to));
  }

  TempFolder folder_;

 private:
  static inline std::unique_ptr<Stack> stack_;
};

TEST_F(CliTest, CheckConfigAcceptsAGoodOneAlsoOnline) {
  const Finished offline = stack().Tollbridge({"check-config", "--config", stack().config_path()});
  EXPECT_EQ(offline.code, 0) << offline.output << offline.error;
  const Finished online =
      stack().Tollbridge({"check-config", "--online", "--config", stack().config_path()});
  EXPECT_EQ(online.code, 0) << online.output << online.error;
  for (const char* line : {"good: Redis: epoch ", "good: Redis: its clock is ",
                           "good: Kafka: all topics are there as they should be",
                           "good: the payment service at http://127.0.0.1:",
                           "good: the payment service, project demo: the API key is taken"}) {
    EXPECT_THAT(online.output, HasSubstr(line));
  }
}

TEST_F(CliTest, CheckConfigOnlineTellsAnApiKeyThatIsRefused) {
  const std::string key = folder_.Write("wrong-key", "not-the-key\n");
  std::string config = ReadFile(stack().config_path());
  const std::size_t setting = config.find("api_key_file: ");
  ASSERT_NE(setting, std::string::npos);
  config.replace(setting, config.find('\n', setting) - setting, "api_key_file: " + key);
  const Finished checked = stack().Tollbridge(
      {"check-config", "--online", "--config", folder_.Write("tollbridge.yaml", config)});
  EXPECT_EQ(checked.code, 1) << checked.output << checked.error;
  EXPECT_THAT(checked.output,
              AllOf(HasSubstr("error: the payment service, project demo: the API key is refused"),
                    Not(HasSubstr("not-the-key"))));
}

TEST_F(CliTest, CheckConfigOnlineTellsADoubt) {
  stack().RedisCommand({"HSET", "tb:epoch", "since", "1", "until", "99999999999999"});
  const Finished doubted =
      stack().Tollbridge({"check-config", "--online", "--config", stack().config_path()});
  stack().RedisCommand({"HSET", "tb:epoch", "since", "0", "until", "0"});
  EXPECT_EQ(doubted.code, 0) << doubted.output << doubted.error;
  EXPECT_THAT(doubted.output, HasSubstr("warning: Redis: epoch "));
  EXPECT_THAT(doubted.output, HasSubstr("doubted or about to be"));
}

TEST_F(CliTest, CheckConfigNamesAnUnknownKeyWithItsLineAndTheNearestName) {
  const std::string config = ConfigWith("resolver_interval:", "resolvr_interval:");
  std::istringstream lines(ReadFile(config));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find("resolvr_interval") != std::string::npos) break;
  }
  const Finished checked = stack().Tollbridge({"check-config", "--config", config});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.output + checked.error,
              AllOf(HasSubstr("line " + std::to_string(number)), HasSubstr("resolvr_interval"),
                    HasSubstr("resolver_interval")));
}

TEST_F(CliTest, ServeRefusesTheSameConfigurationAsCheckConfig) {
  const std::string config = ConfigWith("resolver_interval: 50ms", "resolver_interval: soon");
  EXPECT_EQ(stack().Tollbridge({"check-config", "--config", config}).code, 1);
  EXPECT_EQ(stack().Tollbridge({"serve", "--config", config}).code, 1);
}

TEST_F(CliTest, PrintConfigPrintsWhatIsInForceAsAConfiguration) {
  const Finished printed = stack().Tollbridge({"print-config", "--config", stack().config_path()});
  ASSERT_EQ(printed.code, 0) << printed.error;
  EXPECT_THAT(printed.output, HasSubstr("resolver_interval: 50ms"));
  EXPECT_THAT(printed.output, HasSubstr("send_window: 10s"));
  const std::string again = folder_.Write("printed.yaml", printed.output);
  EXPECT_EQ(stack().Tollbridge({"print-config", "--config", again}).output, printed.output);
}

TEST_F(CliTest, ANameFromOutsideIsRefusedWhereItCameFrom) {
  for (const std::string& name : {std::string(), std::string("a b")}) {
    const Finished option =
        stack().Tollbridge({"serve", "--config", stack().config_path(), "--name", name});
    EXPECT_EQ(option.code, 1);
    EXPECT_THAT(option.error, HasSubstr("--name: must be 1 to 200 letters"));
    const Finished variable =
        test::Run({ProgramBeside("tollbridge"), "serve", "--config", stack().config_path()},
                  {{"TOLLBRIDGE_NAME", name}});
    EXPECT_EQ(variable.code, 1);
    EXPECT_THAT(variable.error, HasSubstr("TOLLBRIDGE_NAME: must be 1 to 200 letters"));
  }
}

TEST_F(CliTest, TheConfigurationIsFoundInTheEnvironment) {
  const std::string program = ProgramBeside("tollbridge");
  const Finished there =
      test::Run({program, "print-config"}, {{"TOLLBRIDGE_CONFIG", stack().config_path()}});
  EXPECT_EQ(there.code, 0) << there.error;
  EXPECT_EQ(there.output,
            stack().Tollbridge({"print-config", "--config", stack().config_path()}).output);
  const Finished option = test::Run({program, "print-config", "--config", stack().config_path()},
                                    {{"TOLLBRIDGE_CONFIG", "/nowhere.yaml"}});
  EXPECT_EQ(option.output, there.output);
  const Finished example =
      test::Run({program, "print-config", "--example"}, {{"TOLLBRIDGE_CONFIG", "/nowhere.yaml"}});
  EXPECT_EQ(example.code, 0) << example.error;
  const Finished away =
      test::Run({program, "topics", "check"}, {{"TOLLBRIDGE_CONFIG", "/nowhere.yaml"}});
  EXPECT_EQ(away.code, 2);
  EXPECT_EQ(away.error,
            "tollbridge: /nowhere.yaml: cannot be read: No such file or directory; name the "
            "configuration with --config or TOLLBRIDGE_CONFIG\n");
}

TEST_F(CliTest, WithoutAWordItIsInEtc) {
  const Finished there = test::Run(
      {"env", "-u", "TOLLBRIDGE_CONFIG", ProgramBeside("tollbridge"), "help", "print-config"}, {});
  EXPECT_EQ(there.code, 0);
  EXPECT_THAT(there.output, HasSubstr("--config"));
  EXPECT_THAT(
      stack().Tollbridge({"--help"}).output,
      AllOf(HasSubstr("/etc/tollbridge/tollbridge.yaml"), HasSubstr("Exit status: 0 done")));
}

TEST_F(CliTest, AMistakeOnTheCommandLineEndsWithTwo) {
  const std::string card = R"({"pan": "4111111111111111"})";
  for (const auto& words : {std::vector<std::string>{},
                            {"nonsense"},
                            {"dlq"},
                            {"call"},
                            {card},
                            {"call", "--adress", "x", "Payments.GetOrder", card},
                            {"call", "Payments.GetOrder", "--timeout", card},
                            {"call", card},
                            {"call", "Payments.GetOrder", "{}", card}}) {
    const Finished refused = stack().Tollbridge(words);
    EXPECT_EQ(refused.code, 2) << refused.error;
    EXPECT_THAT(refused.output + refused.error, testing::Not(HasSubstr("4111")));
    EXPECT_NE(refused.error, "");
  }
}

TEST_F(CliTest, EveryMissingFileIsAnErrorOfItsOwn) {
  std::string text = ReadFile(stack().config_path());
  for (const std::string name : {"fingerprint_keys_file: ", "api_key_file: "}) {
    text = Replaced(text, name, name + "/nowhere");
  }
  const std::string config = folder_.Write("tollbridge.yaml", text);
  const Finished checked = stack().Tollbridge({"check-config", "--config", config});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.output, AllOf(HasSubstr("error: operations.fingerprint_keys_file: /nowhere"),
                                    HasSubstr("error: api_key_file of project demo: /nowhere")));
}

TEST_F(CliTest, StoreStatusSaysThatNothingIsDoubted) {
  const Finished status =
      stack().Tollbridge({"store", "status", "--config", stack().config_path()});
  EXPECT_EQ(status.code, 0) << status.output << status.error;
  EXPECT_THAT(status.output, AllOf(HasSubstr("project demo: not doubted"), HasSubstr("memory: ")));
}

TEST_F(CliTest, StoreStatusOfAnEmptyRedisEndsWithOneAndOfNoneWithTwo) {
  const std::string empty = ConfigWith("redis:\n", "redis:\n  key_prefix: \"empty:\"\n");
  const Finished doubted = stack().Tollbridge({"store", "status", "--json", "--config", empty});
  EXPECT_EQ(doubted.code, 1) << doubted.error;
  EXPECT_THAT(doubted.output,
              AllOf(HasSubstr(R"("doubtful":true)"), HasSubstr("has lost its memory")));
  const std::string config = folder_.Write(
      "no-redis.yaml",
      Replaced(ReadFile(stack().config_path()), "  address: 127.0.0.1:", "  address: 127.0.0.9:"));
  const Finished away = stack().Tollbridge({"store", "status", "--config", config});
  EXPECT_EQ(away.code, 2) << away.output;
  EXPECT_THAT(away.error, HasSubstr("Redis: "));
}

/// What bash offers after these words of a command line, the last of which is being written.
std::string Completed(const std::string& words) {
  const Finished done =
      Run({"bash", "-c",
           "source " TOLLBRIDGE_SOURCE_DIR "/deploy/completions/tollbridge; COMP_WORDS=(" +
               ProgramBeside("tollbridge") + " " + words +
               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tollbridge; echo \"${COMPREPLY[*]}\""});
  EXPECT_EQ(done.code, 0) << done.error;
  return done.output;
}

TEST(CompletionTest, OffersCommandsOptionsAndChoicesOfHelp) {
  EXPECT_EQ(Completed("ser"), "serve\n");
  EXPECT_EQ(Completed("dlq re"), "replay\n");
  EXPECT_EQ(Completed("keys re"), "report\n");
  EXPECT_THAT(Completed("dlq replay --"), AllOf(HasSubstr("--dry-run"), HasSubstr("--cause")));
  EXPECT_EQ(Completed("dlq replay --cause unr"), "unreadable_answer\n");
  EXPECT_EQ(Completed("dlq replay --all --dry"), "--dry-run\n");
  EXPECT_EQ(Completed("serve --role web"), "webhooks\n");
  EXPECT_EQ(Completed("store s"), "status\n");
  EXPECT_EQ(Completed("events tail --output j"), "json\n");
  EXPECT_EQ(Completed("call Payments.CreateO"), "Payments.CreateOrder\n");
  EXPECT_EQ(Completed("call --desc"), "--describe\n");
  EXPECT_EQ(Completed("serve --config " TOLLBRIDGE_SOURCE_DIR "/READ"),
            TOLLBRIDGE_SOURCE_DIR "/README.md\n");
}

TEST_F(CliTest, MetricsOfAProcessCanListenElsewhere) {
  Process process({ProgramBeside("tollbridge"), "serve", "--config", stack().config_path(),
                   "--role", "webhooks"},
                  {{"TOLLBRIDGE_METRICS_LISTEN", "127.0.0.2:0"}});
  const auto serving = process.WaitForLine(R"("event":"serving")");
  ASSERT_TRUE(serving.has_value()) << process.standard_output();
  EXPECT_THAT(*serving, HasSubstr(R"("metrics":"127.0.0.2:)"));
}

TEST_F(CliTest, InitStoreWantsToHearThatNothingCanBeForgotten) {
  const Finished refused = stack().Tollbridge({"init-store", "--config", stack().config_path()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.error, HasSubstr("--first-installation"));
}

TEST_F(CliTest, InitStoreLeavesARedisAloneThatHasLostItsMemory) {
  ASSERT_TRUE(CreateOrder(stack(), OrderRequest("remembered")).status.ok());
  const auto records = stack().OpenTopic("operations");
  ASSERT_TRUE(records->ReadUntil([](const std::vector<TopicRecord>& read) {
    return std::ranges::any_of(read, [](const TopicRecord& record) {
      operations::v1::OperationRecord parsed;
      return parsed.ParseFromString(record.value) && !parsed.operation_id().empty();
    });
  }));
  // To this configuration Redis is empty.
  const std::string config = ConfigWith("redis:\n", "redis:\n  key_prefix: \"lost:\"\n");
  const Finished refused =
      stack().Tollbridge({"init-store", "--first-installation", "--config", config});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.error, AllOf(HasSubstr("has records of the project demo"),
                                   HasSubstr(stack().TopicName("operations"))));
  EXPECT_EQ(stack().RedisCommand({"EXISTS", "lost:epoch"}), "0\n");
}

TEST_F(CliTest, InitStoreDoesNothingASecondTime) {
  const std::string topic = stack().TopicName("new-operations");
  const std::string config = folder_.Write(
      "first.yaml", Replaced(ReadFile(ConfigWith("redis:\n", "redis:\n  key_prefix: \"cli:\"\n")),
                             stack().TopicName("operations"), topic));
  ASSERT_EQ(stack().Tollbridge({"topics", "create", "--config", config}).code, 0);
  const Finished first =
      stack().Tollbridge({"init-store", "--first-installation", "--json", "--config", config});
  EXPECT_EQ(first.code, 0) << first.error;
  EXPECT_THAT(first.output, HasSubstr("{\"created\":true}"));
  const std::string epoch = stack().RedisCommand({"DUMP", "cli:epoch"});
  EXPECT_EQ(stack().RedisCommand({"EXISTS", "cli:epoch"}), "1\n");
  const Finished second =
      stack().Tollbridge({"init-store", "--first-installation", "--json", "--config", config});
  EXPECT_EQ(second.code, 0) << second.error;
  EXPECT_THAT(second.output, HasSubstr("{\"created\":false}"));
  EXPECT_EQ(stack().RedisCommand({"DUMP", "cli:epoch"}), epoch);
}

TEST_F(CliTest, TopicsCheckTellsWhatTopicsCreateMakesGood) {
  const std::string topic = stack().TopicName("more-hints");
  const std::string config = ConfigWith(stack().TopicName("hints"), topic);
  const Finished missing = stack().Tollbridge({"topics", "check", "--config", config});
  EXPECT_EQ(missing.code, 1) << missing.error;
  EXPECT_THAT(missing.output, HasSubstr(topic));
  const Finished created = stack().Tollbridge({"topics", "create", "--config", config});
  EXPECT_EQ(created.code, 0) << created.error;
  EXPECT_EQ(created.output, "created " + topic + "\n");
  EXPECT_TRUE(Eventually(
      [&] { return stack().Tollbridge({"topics", "check", "--config", config}).code == 0; }));
  const Finished again = stack().Tollbridge({"topics", "create", "--config", config});
  EXPECT_EQ(again.code, 0) << again.error;
  EXPECT_EQ(again.output, "all topics were there already\n");
}

TEST_F(CliTest, CheckConfigOnlineTellsWhatTopicsCheckTells) {
  const std::string topic = stack().TopicName("more-events");
  const std::string config = ConfigWith(stack().TopicName("events"), topic);
  const Finished checked = stack().Tollbridge({"check-config", "--online", "--config", config});
  EXPECT_EQ(checked.code, 1) << checked.error;
  EXPECT_THAT(checked.output, HasSubstr("error: Kafka: " + topic + ": exists should be yes"));
}

TEST_F(CliTest, FewerThanThreeReplicasAreRefusedInProduction) {
  const std::string config = ConfigWith("environment: development", "environment: production");
  const Finished checked = stack().Tollbridge({"check-config", "--config", config});
  EXPECT_EQ(checked.code, 1) << checked.error;
  EXPECT_THAT(checked.output, HasSubstr("kafka.replication: must be at least 3 in production"));
}

TEST_F(CliTest, TopicsThatWouldLoseAreRefusedAtStartInProduction) {
  const std::string config = folder_.Write(
      "tollbridge.yaml", Replaced(Replaced(ReadFile(stack().config_path()),
                                           "environment: development", "environment: production"),
                                  "replication: 1", "replication: 3"));
  const Finished refused = stack().Tollbridge({"serve", "--config", config, "--role", "webhooks"});
  EXPECT_EQ(refused.code, 1) << refused.output << refused.error;
  EXPECT_THAT(refused.output + refused.error,
              AllOf(HasSubstr("the topics would lose events: " + stack().TopicName("hints") +
                              ": replication should be at least 3 and is 1"),
                    HasSubstr("min.insync.replicas should be at least 2 and is 1")));
}

TEST_F(CliTest, CallCreatesAnOrderAndEventsTailShowsIt) {
  const std::string request = R"({"idempotency_key": "cli-1", "amount": 1250, "currency": "EUR"})";
  const Finished called = stack().Tollbridge(
      {"call", "Payments.CreateOrder", request, "--address", stack().grpc_address()});
  ASSERT_EQ(called.code, 0) << called.error;
  const std::string id(stack().SandboxOrders().back().at("id").as_string());
  EXPECT_THAT(called.output, AllOf(HasSubstr(id), HasSubstr("order_url")));
  const Finished tailed = stack().Tollbridge(
      {"events", "tail", "--config", stack().config_path(), "--order", id, "--until",
       std::string(kPaymentCreated), "--from-beginning", "--timeout", "20"});
  EXPECT_EQ(tailed.code, 0) << tailed.error;
  EXPECT_THAT(tailed.output, HasSubstr(std::string(kPaymentCreated)));
}

TEST_F(CliTest, CallReadsItsRequestFromAFileOrStdin) {
  const std::string json = R"({"idempotency_key": "cli-file", "amount": 1250, "currency": "EUR"})";
  const std::string file = folder_.Write("request.json", json);
  const Finished called = stack().Tollbridge({"call", "tollbridge.payments.v1.Payments/CreateOrder",
                                              "@" + file, "--address", stack().grpc_address()});
  ASSERT_EQ(called.code, 0) << called.error;
  const Finished again =
      test::Run({"sh", "-c", "exec \"$0\" call Payments.CreateOrder - --address \"$1\" <\"$2\"",
                 ProgramBeside("tollbridge"), stack().grpc_address(), file},
                {});
  EXPECT_EQ(again.code, 0) << again.error;
  EXPECT_EQ(again.output, called.output);
  EXPECT_THAT(again.error, HasSubstr("replayed"));
}

TEST_F(CliTest, EventsTailEndsAtTheEndWithWhatWasAskedFor) {
  const Finished called =
      stack().Tollbridge({"call", "Payments.CreateOrder",
                          R"({"idempotency_key": "cli-tail", "amount": 1250, "currency": "EUR"})",
                          "--address", stack().grpc_address()});
  ASSERT_EQ(called.code, 0) << called.error;
  const std::string id(stack().SandboxOrders().back().at("id").as_string());
  const auto tail = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"events", "tail", "--config", stack().config_path(), "--order", id,
                               "--from-beginning"});
    return stack().Tollbridge(more);
  };
  ASSERT_EQ(tail({"--until", "payment.created", "--timeout", "60"}).code, 0);
  const Finished lines = tail({"--exit-at-end", "--output", "lines"});
  EXPECT_EQ(lines.code, 0) << lines.error;
  EXPECT_THAT(lines.output,
              testing::ContainsRegex("^TIME .*\n20[^ ]*Z  payment.created +" + id + "  1250 EUR"));
  EXPECT_EQ(lines.error, "");
  // Not on a terminal.
  EXPECT_THAT(tail({"--exit-at-end"}).output, testing::StartsWith("{\"key\":\"" + id));
  EXPECT_EQ(tail({"--exit-at-end", "--type", "payment.completed,refund.completed"}).output, "");
  const Finished none = tail({"--exit-at-end", "--until", "payment.completed"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.error, HasSubstr("no event of type tollbridge.payment.completed.v1 came by the "
                                    "end of the topics"));
  const Finished other =
      stack().Tollbridge({"events", "tail", "--config", stack().config_path(), "--order", "xyz"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.error, HasSubstr("--order: an order's id is a UUID"));
  const Finished unknown = tail({"--until", "payment.complete"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.error, HasSubstr("did you mean 'payment.completed'?"));
}

TEST_F(CliTest, WhereKafkaIsAwayStdoutHasNoLog) {
  const Finished away = stack().Tollbridge(
      {"events", "tail", "--config", ConfigWith(stack().brokers(), "127.0.0.1:1")});
  EXPECT_EQ(away.code, 2);
  EXPECT_EQ(away.output, "");
  EXPECT_THAT(away.error, AllOf(HasSubstr("127.0.0.1:1"), HasSubstr("tollbridge: Kafka: ")));
}

TEST_F(CliTest, CallTellsEveryViolationAndFails) {
  const Finished called = stack().Tollbridge(
      {"call", "Payments.CreateOrder", R"({"amount": -1})", "--address", stack().grpc_address()});
  EXPECT_EQ(called.code, 1);
  EXPECT_THAT(called.error,
              AllOf(HasSubstr("idempotency_key"), HasSubstr("currency"), HasSubstr("amount")));
}

TEST_F(CliTest, CallEndsAtItsTimeout) {
  const Finished created =
      stack().Tollbridge({"call", "Payments.CreateOrder",
                          R"({"idempotency_key": "cli-2", "amount": 1250, "currency": "EUR"})",
                          "--address", stack().grpc_address()});
  ASSERT_EQ(created.code, 0) << created.error;
  const std::string id(stack().SandboxOrders().back().at("id").as_string());
  const Finished watched =
      stack().Tollbridge({"call", "Payments.WatchOrder", R"({"order_id": ")" + id + R"("})",
                          "--address", stack().grpc_address(), "--timeout", "1"});
  EXPECT_EQ(watched.code, 1);
  EXPECT_THAT(watched.output, HasSubstr(id));
  EXPECT_THAT(watched.error, HasSubstr("DEADLINE_EXCEEDED"));
}

}  // namespace
}  // namespace tollbridge::test
