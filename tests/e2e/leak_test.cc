// Card data and credentials go through every RPC, every way a call can fail, and crashes; then they
// are looked for wherever the gateway writes (docs/architecture.md#security,
// docs/design/operations.md#rule-17). Which fields are marked comes from the .proto files.
//
// Card numbers in free text go in 250 written forms, with the door's refusal off and on.
//
// What is not looked for: a card number in a merchant_order_id, which is an identifier of the
// merchant and kept as it is. In every other text that is no place for one it must not come out,
// but for answers to callers and the sealed outcomes that hold them: there, description and reason
// stand as the payment service gives them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/leak_calls.h"
#include "tests/e2e/leak_marks.h"
#include "tests/e2e/leak_sinks.h"
#include "tests/e2e/leak_texts.h"
#include "tests/e2e/support/mutations.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/leak_scan.h"
#include "tests/support/otlp_receiver.h"
#include "tests/support/stack.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const Sink& Named(const std::vector<Sink>& sinks, std::string_view name) {
  return *std::ranges::find_if(sinks, [&](const Sink& sink) { return sink.name == name; });
}

TEST(LeakScanTest, FindsEachFormOfAMark) {
  LeakScan scan;
  scan.Add("number", "4000931703019479");
  scan.Add("token", "safe\"tok/en+of-40-characters0123456789abc");
  for (const char* leak :
       {"pan 4000931703019479.", "4000 9317 0301 9479", "4000-9317-0301-9479",
        "34303030393331373033303139343739", "NDAwMDkzMTcwMzAxOTQ3OQ==", "eDQwMDA5MzE3MDMwMTk0Nzk=",
        "eHg0MDAwOTMxNzAzMDE5NDc5", "safe\\\"tok/en+of-40-characters0123456789abc",
        "safe\"tok\\/en+of-40-characters0123456789abc",
        "safe%22tok%2Fen%2Bof-40-characters0123456789abc"}) {
    EXPECT_THAT(scan.Find(Sink{"text", leak}), SizeIs(1)) << leak;
  }
  EXPECT_THAT(scan.Find(Sink{"text", "400093******9479 4000931703019478"}), IsEmpty());
}

TEST(LeakScanTest, FindsASecurityCodeAsAValueAndNotByChance) {
  LeakScan scan;
  scan.AddSecurityCode("code", "9417");
  const auto find = [&](const std::string& text, Writing writing) {
    return scan.Find(Sink{"sink", text, writing}).size();
  };
  for (const char* leak :
       {R"({"x":"9417"})", R"({\"x\":\"9417\"})", "cvc=9417&", "CVC is 9417", "security_code: 9417",
        "\x0a\x04"
        "9417",
        "$4\r\n9417\r\n"}) {
    EXPECT_EQ(find(leak, Writing::kBinary), 1U) << leak;
  }
  for (const char* chance : {"10:20:30.9417Z", R"("duration_ms":9417)", "127.0.0.1:9417", "19417",
                             "b79417ce", "9417-4a5c"}) {
    EXPECT_EQ(find(chance, Writing::kText), 0U) << chance;
  }
  EXPECT_EQ(find("value 9417 is wrong", Writing::kText), 1U);
  EXPECT_EQ(find("value 9417 is wrong", Writing::kBinary), 0U);
}

StackSettings Settings(const OtlpReceiver& collector) {
  StackSettings settings = ShortIntervals();
  settings["traces"]["otlp_endpoint"] = collector.url();
  // What the door would refuse is to be looked for behind it.
  settings["rpc"]["refuse_card_numbers"] = "false";
  // What fails here fails on purpose.
  settings["payment_service"]["breaker_failures"] = "1000";
  return settings;
}

class LeakTest : public testing::Test {
 protected:
  explicit LeakTest(const StackSettings& more = {})
      : stack_({.settings = With(more), .sandbox_arguments = ImmediateSandbox()}) {
    // As configured by the stack.
    marks_.Know("the API key", "sandbox-demo-key");
    marks_.Know("the webhook token", "e2e-0123456789abcdef0123456789abcdef");
    marks_.Know("the key of fingerprints", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
    marks_.Know("the key of outcomes", "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=");
  }

  StackSettings With(const StackSettings& more) const {
    StackSettings settings = Settings(collector_);
    for (const auto& [section, values] : more) {
      for (const auto& [name, value] : values) settings[section][name] = value;
    }
    return settings;
  }

  void KeepOutputs() {
    const std::string address = stack_.grpc_address();
    sinks_.Keep(stack_.Tollbridge({"print-config", "--config", stack_.config_path()}));
    sinks_.Keep(stack_.Tollbridge({"check-config", "--config", stack_.config_path()}));
    sinks_.Keep(stack_.Tollbridge({"operations", "list", "--address", address, "--json"}));
    const std::unique_ptr<Topic> records = stack_.OpenTopic("operations");
    for (const TopicRecord& record : records->ReadAll()) {
      operations::v1::OperationRecord parsed;
      // What the command line did is no operation.
      if (!parsed.ParseFromString(record.value) || parsed.has_privileged()) continue;
      if (!shown_.insert(record.key).second || shown_.size() > 20) continue;
      sinks_.Keep(stack_.Tollbridge({"operations", "show", record.key, "--address", address}));
    }
  }

  OtlpReceiver collector_;
  Stack stack_;
  Marks marks_;
  LeakSinks sinks_{stack_, collector_};
  LeakCalls calls_{stack_, marks_, sinks_};
  std::set<std::string> shown_;
};

TEST_F(LeakTest, NoMarkIsFoundAfterEveryRpcEveryErrorAndCrashes) {
  calls_.Succeed();
  calls_.Decline();
  calls_.BreakRules();
  calls_.FailBeforeSending();
  calls_.FailUpstream();
  calls_.HearCardData();
  calls_.Crash();
  calls_.Settle(collector_);
  KeepOutputs();

  EXPECT_EQ(marks_.filled(), MarkedFields()) << "a field was never marked";
  const std::vector<Sink> sinks = sinks_.Collect();
  EXPECT_THAT(marks_.all().Find(sinks), IsEmpty());
  // Sealed, a credential may be there. Card data may not.
  EXPECT_THAT(marks_.cards().Find(sinks_.OpenedOutcomes()), IsEmpty());
  EXPECT_THAT(marks_.cards().Find(Sink{"answers", calls_.answers(), Writing::kBinary}), IsEmpty());

  // Or else nothing was found because nothing was there.
  for (const auto* method : PublishedMethods()) {
    EXPECT_THAT(Named(sinks, "logs").content, HasSubstr(method->full_name()));
    EXPECT_THAT(Named(sinks, "metrics").content,
                HasSubstr("grpc_method=\"" + method->name() + "\""));
    EXPECT_THAT(Named(sinks, "traces").content, HasSubstr("/" + method->name()));
  }
  EXPECT_THAT(Named(sinks, "errors").content, HasSubstr("UPSTREAM_REFUSED"));
  EXPECT_THAT(Named(sinks, "errors").content, HasSubstr("UPSTREAM_CREDENTIALS"));
  EXPECT_THAT(Named(sinks, "commands").content, HasSubstr("send_window"));
  EXPECT_THAT(Named(sinks, "Redis, commands").content, HasSubstr("\"EVALSHA\""));
  EXPECT_THAT(Named(sinks, "Redis, files").content, HasSubstr("dump.rdb"));
  EXPECT_THAT(Named(sinks, "Kafka, events").content, HasSubstr("ce_type"));
  EXPECT_THAT(Named(sinks, "Kafka, operations").content, HasSubstr("StoreCard"));
  EXPECT_GT(sinks_.OpenedOutcomes().content.size(), 1000U);
}

TEST_F(LeakTest, AMarkThatTheGatewayItselfWritesIsFoundInEverySink) {
  // A caller's trace id goes everywhere by design: this one is a text, of which logs, Redis and
  // Kafka have the hexadecimal and traces the bytes.
  LeakScan scan;
  scan.Add("planted", "PLANTED-MARK-016");
  const RpcOptions within{
      .metadata = {{"traceparent", "00-504c414e5445442d4d41524b2d303136-00f067aa0ba902b7-01"}}};
  const auto order = OrderOf(CreateOrder(stack_, OrderRequest("planted"), within));
  EXPECT_TRUE(AwaitEvent(*stack_.OpenTopic("events"), order.id(), kPaymentCreated));
  // A name in `extra` comes back in the path of its violation.
  auto refused = OrderRequest("planted");
  (*refused.mutable_extra()->mutable_fields())["planted_in_a_field_path"];
  scan.Add("planted in a path", "planted_in_a_field_path");
  sinks_.Keep(CreateOrder(stack_, refused));
  calls_.Settle(collector_);

  const std::vector<Sink> sinks = sinks_.Collect();
  for (const char* name : {"logs", "traces", "errors", "Redis, commands", "Redis, keys and values",
                           "Redis, files", "Kafka, events"}) {
    EXPECT_THAT(scan.Find(Named(sinks, name)), Contains(Field(&Leak::sink, name)));
  }
}

/// A record with a header, as a producer that leaks would write it.
void ProduceWithHeader(const std::string& brokers, const std::string& topic,
                       const std::string& value) {
  std::array<char, 512> problem{};
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), problem.data(), problem.size());
  rd_kafka_t* const producer =
      rd_kafka_new(RD_KAFKA_PRODUCER, conf, problem.data(), problem.size());
  ASSERT_NE(producer, nullptr) << problem.data();
  EXPECT_EQ(rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(topic.c_str()),
                              RD_KAFKA_V_HEADER("x", value.data(), value.size()), RD_KAFKA_V_END),
            RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_EQ(rd_kafka_flush(producer, 10'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_destroy(producer);
}

TEST_F(LeakTest, AMarkInAnyPlaceOfRedisOrKafkaOrOnThePageOfMetricsIsFound) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> redis = {
      {"a key", {"SET", "4000931000000008", "x"}},
      {"a string", {"SET", "k1", "pan=4000931000000016"}},
      {"a number", {"SET", "k2", "4000931000000024"}},
      {"a field of a hash", {"HSET", "k3", "4000931000000032", "x"}},
      {"a value of a hash", {"HSET", "k4", "x", "4000931000000040"}},
      {"a list", {"RPUSH", "k5", "4000931000000057"}},
      {"a set", {"SADD", "k6", "4000931000000065"}},
      {"a sorted set", {"ZADD", "k7", "1", "4000931000000073"}},
      {"a score", {"ZADD", "k8", "4000931000000081", "x"}},
      {"a stream", {"XADD", "k9", "*", "x", "4000931000000099"}},
      {"another database", {"-n", "7", "SET", "k", "4000931000000107"}}};
  LeakScan scan;
  for (const auto& [place, command] : redis) {
    for (const std::string& word : command) {
      const std::size_t at = word.find("4000931");
      if (at != std::string::npos) scan.Add(place, word.substr(at));
    }
    stack_.RedisCommand(command);
  }
  const std::string cryptogram = marks_.Cryptogram("planted");
  scan.Add("Kafka", cryptogram);
  scan.Add("a header", "header-" + cryptogram);
  for (const char* topic : {"events", "operations", "dlq"}) {
    ProduceTo(stack_.brokers(), stack_.TopicName(topic), cryptogram, "x");
  }
  ProduceTo(stack_.brokers(), stack_.TopicName("hints"), "x", "{\"cvc\":\"" + cryptogram + "\"}");
  ProduceWithHeader(stack_.brokers(), stack_.TopicName("events"), "header-" + cryptogram);

  std::vector<Sink> sinks = sinks_.Collect();
  const auto values = scan.Find(Named(sinks, "Redis, keys and values"));
  const auto commands = scan.Find(Named(sinks, "Redis, commands"));
  for (const auto& [place, command] : redis) {
    EXPECT_THAT(values, Contains(Field(&Leak::mark, place)));
    EXPECT_THAT(commands, Contains(Field(&Leak::mark, place)));
  }
  EXPECT_THAT(scan.Find(Named(sinks, "Redis, files")), Contains(Field(&Leak::mark, "a list")));
  for (const char* topic : {"events", "operations", "dlq", "hints"}) {
    EXPECT_THAT(scan.Find(Named(sinks, std::string("Kafka, ") + topic)),
                Contains(Field(&Leak::mark, "Kafka")));
  }
  EXPECT_THAT(scan.Find(Named(sinks, "Kafka, events")), Contains(Field(&Leak::mark, "a header")));

  Sink metrics = Named(sinks, "metrics");
  EXPECT_THAT(scan.Find(metrics), IsEmpty());
  metrics.content += "x_total{token=\"" + cryptogram + "\"} 1\n";
  EXPECT_THAT(scan.Find(metrics), SizeIs(1));
}

TEST_F(LeakTest, OfCardNumbersInAllWrittenFormsNothingIsFound) {
  LeakTexts texts(stack_, marks_, sinks_);
  texts.CreateOrders();
  texts.CallTheOthers();
  texts.AwaitEvents();
  texts.HearOrders();
  texts.HearErrors();
  calls_.Settle(collector_);
  KeepOutputs();

  const std::vector<Sink> sinks = sinks_.Collect();
  EXPECT_THAT(texts.cards().FoundIn(sinks), IsEmpty());
  // Masked, they are where they were sent.
  EXPECT_THAT(Named(sinks, "errors").content, HasSubstr("no: 4000 93** **** "));
  EXPECT_THAT(Named(sinks, "Kafka, events").content, HasSubstr("card 4000 93** **** "));
}

TEST_F(LeakTest, EachOfTheFormsIsFoundWhereItStands) {
  const LeakTexts texts(stack_, marks_, sinks_);
  ASSERT_THAT(texts.cards().texts(), SizeIs(250));
  for (const std::string& text : texts.cards().texts()) {
    EXPECT_THAT(texts.cards().FoundIn(Sink{"text", "a " + text + " b"}), Not(IsEmpty())) << text;
  }
  const Sink escaped{"text", R"("4000Â 9317 0301 9479")"};
  EXPECT_THAT(texts.cards().FoundIn(escaped), IsEmpty()) << "no number of theirs";
}

class LeakAtTheDoorTest : public LeakTest {
 protected:
  LeakAtTheDoorTest() : LeakTest({{"rpc", {{"refuse_card_numbers", "true"}}}}) {}
};

TEST_F(LeakAtTheDoorTest, WhatIsRefusedAndWhatIsTakenLeavesNoCardNumberBehind) {
  LeakTexts texts(stack_, marks_, sinks_);
  texts.BeRefusedAtTheDoor();
  texts.AwaitEvents();
  calls_.Settle(collector_);

  const std::vector<Sink> sinks = sinks_.Collect();
  EXPECT_THAT(texts.cards().FoundIn(sinks), IsEmpty());
  EXPECT_THAT(Named(sinks, "errors").content, HasSubstr("card number"));
}

class LeakWithoutPermissionTest : public LeakTest {
 protected:
  LeakWithoutPermissionTest()
      : LeakTest({{"rpc", {{"local_permissions", "[\"operations.resolve\"]"}}}}) {}
};

TEST_F(LeakWithoutPermissionTest, WhoMayDoNothingLeavesNothingBehind) {
  calls_.BeDenied("operations.resolve");
  calls_.Settle(collector_);
  EXPECT_THAT(marks_.all().Find(sinks_.Collect()), IsEmpty());
}

/// Whether a process of the same user, without root's right to look anywhere, may look into it.
bool MayLookInto(pid_t pid) {
  bool may = false;
  // A capability is a thread's own.
  std::thread([&] {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, 2> sets{};
    syscall(SYS_capget, &header, sets.data());
    sets[0].effective &= ~(1U << CAP_SYS_PTRACE);
    syscall(SYS_capset, &header, sets.data());
    const std::string path = "/proc/" + std::to_string(pid) + "/exe";
    std::array<char, 4096> target{};
    may = readlink(path.c_str(), target.data(), target.size()) > 0;
    EXPECT_TRUE(may || errno == EACCES || errno == EPERM) << errno;
  }).join();
  return may;
}

std::string LimitsOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/limits");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Takes root's right to look anywhere from the processes that this thread will start: one that has
/// it may only be looked into by those who have it too, whatever else it forbids.
void StartWithoutIt() { prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0); }

TEST_F(LeakTest, ACrashLeavesNoMemoryBehindAndNobodyMayLookInto) {
  // As if the machine allowed core files: the gateway is what forbids them.
  rlimit core{};
  ASSERT_EQ(getrlimit(RLIMIT_CORE, &core), 0);
  core.rlim_cur = core.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_CORE, &core), 0);
  StartWithoutIt();
  stack_.StartGateway();
  EXPECT_THAT(LimitsOf(stack_.gateway().pid()),
              testing::ContainsRegex("Max core file size +0 +0 "));
  EXPECT_FALSE(MayLookInto(stack_.gateway().pid()));

  // Of another process the same looks say otherwise.
  Process other({"sleep", "60"});
  EXPECT_TRUE(Eventually([&] { return MayLookInto(other.pid()); })) << "from its exec on";
  ASSERT_NE(core.rlim_max, 0U) << "this machine allows no core files, so the look says nothing";
  EXPECT_THAT(LimitsOf(other.pid()), Not(testing::ContainsRegex("Max core file size +0 +0 ")));
}

}  // namespace
}  // namespace tollbridge::test
