// What people do by hand about events: read and replay dead letters, watch an order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/encoding.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tests/support/webhook.h"
#include "tollbridge/events/v1/hint.pb.h"

namespace tollbridge::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kNobody = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr std::chrono::seconds kLong{60};
constexpr std::string_view kTraceId = "6bf92f3577b34da6a3ce929d0e0e4736";

/// One gateway, one broker; the tests use orders of their own.
class ToolsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { stack_ = std::make_unique<Stack>(); }
  static void TearDownTestSuite() { stack_.reset(); }
  static Stack& stack() { return *stack_; }

  static Finished Dlq(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "dlq");
    arguments.insert(arguments.end(), {"--config", stack().config_path()});
    return stack().Tollbridge(arguments);
  }
  static Finished Watch(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"orders", "watch", "--address", stack().grpc_address()});
    return stack().Tollbridge(arguments);
  }

  /// `dlq list --json`, newest first.
  static boost::json::array Letters(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"list", "--json"});
    const Finished listed = Dlq(arguments);
    EXPECT_EQ(listed.code, 0) << listed.error;
    return boost::json::parse(listed.output).at("letters").as_array();
  }
  static std::string NewestLetter() {
    return std::string(Letters({"--limit", "1"}).at(0).at("letter").as_string());
  }
  /// Puts something that is no hint onto the topic of hints, and waits until it was buried.
  static void Poison(const std::string& value) {
    const std::size_t before = Letters().size();
    ProduceTo(stack().brokers(), stack().TopicName("hints"), "poison", value);
    ASSERT_TRUE(Eventually([&] { return Letters().size() == before + 1; }, kLong));
  }
  static common::v1::Order Order(const std::string& key) {
    return OrderOf(CreateOrder(stack(), OrderRequest(key)));
  }

 private:
  static inline std::unique_ptr<Stack> stack_;
};

TEST_F(ToolsTest, APoisonHintIsALetterThatCannotBeReplayedAndHoldsNobodyUp) {
  Poison("\xff\xfe no hint; 4111 1111 1111 1111");
  const auto events = stack().OpenTopic("events");
  const auto order = Order("beside-poison");
  PayOnHostedPage(stack(), order);
  EXPECT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));

  const Finished listed = Dlq({"list"});
  EXPECT_EQ(listed.code, 0) << listed.error;
  EXPECT_THAT(listed.output, AllOf(HasSubstr("LETTER"), HasSubstr("unparsable")));

  const std::string letter = NewestLetter();
  const Finished shown = Dlq({"show", letter});
  EXPECT_EQ(shown.code, 0) << shown.error;
  EXPECT_THAT(shown.output, AllOf(HasSubstr(HexEncode("\xff\xfe no hint; ")),
                                  Not(HasSubstr(HexEncode("4111 1111 1111 1111"))),
                                  ContainsRegex("key +poison")));

  const auto hints = stack().OpenTopic("hints");
  const std::size_t before = hints->ReadAll().size();
  for (const auto& which : {letter, std::string("--cause=unparsable")}) {
    const Finished replayed = Dlq({"replay", which});
    EXPECT_EQ(replayed.code, 1) << replayed.output;
    EXPECT_THAT(replayed.output,
                AllOf(HasSubstr("refused " + letter + ": it holds no hint"),
                      HasSubstr("0 hints written"), HasSubstr("nothing was deleted")));
  }
  const std::vector<TopicRecord>& after = hints->ReadAll();
  EXPECT_TRUE(std::none_of(after.begin() + static_cast<long>(before), after.end(),
                           [](const TopicRecord& record) { return record.key == "poison"; }));
}

TEST_F(ToolsTest, AnUnreadableAnswerIsBuriedAndItsReplayBringsTheEvent) {
  const auto events = stack().OpenTopic("events");
  const auto order = Order("unreadable");
  ASSERT_TRUE(AwaitEvent(*events, order.id(), kPaymentCreated));
  stack().SandboxFaults(R"({"rules": [{"on": {"operation": "get_order", "order": ")" + order.id() +
                        R"("}, "fault": {"kind": "garble"}}]})");
  PayOnHostedPage(stack(), order);
  const auto buried = [&] {
    const boost::json::array letters = Letters({"--cause", "unreadable_answer"});
    return std::ranges::any_of(letters, [&](const boost::json::value& letter) {
      return letter.at("order_id").as_string() == order.id();
    });
  };
  // Each hint is a try: nobody waits half a minute for the last one here.
  ASSERT_TRUE(Eventually(
      [&] {
        HttpCall("POST", stack().webhook_url(), WebhookBody(order.id()));
        return buried();
      },
      kLong));
  EXPECT_TRUE(EventsOf(events->ReadAll(), order.id(), kPaymentCompleted).empty());
  stack().SandboxFaults("{}");

  const std::string letter = NewestLetter();
  const Finished shown = Dlq({"show", letter});
  EXPECT_THAT(shown.output, AllOf(HasSubstr(order.id()), HasSubstr("unreadable_answer"),
                                  ContainsRegex("project +demo"), ContainsRegex("tries +[2-9]")));

  const Finished dry = Dlq({"replay", letter, "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.error;
  EXPECT_THAT(dry.output, HasSubstr("1 letter: 1 hint would be written"));

  const TempFolder folder;
  std::string untold = ReadFile(stack().config_path());
  const std::string operations = stack().TopicName("operations");
  untold.replace(untold.find(operations), operations.size(), "nowhere");
  const Finished refused = stack().Tollbridge(
      {"dlq", "replay", letter, "--config", folder.Write("untold.yaml", untold)});
  EXPECT_EQ(refused.code, 2) << refused.output;
  EXPECT_THAT(refused.error, HasSubstr("dlq replay cannot be told on nowhere"));

  const Finished replayed = Dlq({"replay", letter});
  EXPECT_EQ(replayed.code, 0) << replayed.output << replayed.error;
  EXPECT_THAT(replayed.output, HasSubstr("1 letter: 1 hint written"));
  EXPECT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));
  std::size_t by_operator = 0;
  const auto hints = stack().OpenTopic("hints");
  for (const TopicRecord& record : hints->ReadAll()) {
    events::v1::Hint hint;
    if (!hint.ParseFromString(record.value) || hint.order_id() != order.id()) continue;
    if (hint.source() != events::v1::HINT_SOURCE_OPERATOR) continue;
    ++by_operator;
    EXPECT_EQ(hint.project(), "demo");
    EXPECT_EQ(record.key, "demo:" + order.id());
    EXPECT_TRUE(hint.has_noticed_at());
  }
  EXPECT_EQ(by_operator, 1U) << "neither the dry run nor what cannot be told may write";

  // Again: a hint only says where to look.
  EXPECT_EQ(Dlq({"replay", "--cause", "unreadable_answer"}).code, 0);
  EXPECT_THAT(EventsOf(events->ReadAll(), order.id(), kPaymentCompleted), SizeIs(1));
}

TEST_F(ToolsTest, AReplayedHintStaysInTheTraceOfItsWebhook) {
  const auto events = stack().OpenTopic("events");
  const auto order = Order("replayed-trace");
  ASSERT_TRUE(AwaitEvent(*events, order.id(), kPaymentCreated));
  stack().SandboxFaults(R"({"rules": [{"on": {"operation": "get_order", "order": ")" + order.id() +
                        R"("}, "fault": {"kind": "garble"}}]})");
  http::Headers headers;
  headers.Add("traceparent", "00-" + std::string(kTraceId) + "-00f067aa0ba902b7-01");
  headers.Add("tracestate", "shop=7");
  const auto of_order = [&](const TopicRecord& record) {
    events::v1::Hint hint;
    return hint.ParseFromString(record.value) && hint.order_id() == order.id();
  };
  // Hints of others come too: the letter of one with our headers is awaited.
  const auto letters = stack().OpenTopic("dlq");
  std::optional<TopicRecord> letter;
  ASSERT_TRUE(Eventually(
      [&] {
        HttpCall("POST", stack().webhook_url(), WebhookBody(order.id()), headers);
        for (const TopicRecord& record : letters->ReadAll()) {
          if (of_order(record) && record.header("traceparent").find(kTraceId) != std::string::npos)
            letter = record;
        }
        return letter.has_value();
      },
      kLong));
  EXPECT_EQ(letter->header("tracestate"), "shop=7");
  stack().SandboxFaults("{}");

  const Finished replayed =
      Dlq({"replay", std::to_string(letter->partition) + ":" + std::to_string(letter->offset)});
  ASSERT_EQ(replayed.code, 0) << replayed.output << replayed.error;
  const auto hints = stack().OpenTopic("hints");
  const std::vector<TopicRecord>& records = hints->ReadAll();
  const auto hint = std::ranges::find_if(records, [&](const TopicRecord& record) {
    events::v1::Hint read;
    return of_order(record) && read.ParseFromString(record.value) &&
           read.source() == events::v1::HINT_SOURCE_OPERATOR;
  });
  ASSERT_NE(hint, records.end());
  EXPECT_EQ(hint->header("traceparent"), letter->header("traceparent"));
  EXPECT_EQ(hint->header("tracestate"), "shop=7");
}

TEST_F(ToolsTest, ListNarrowsDownByCauseTimeAndNumber) {
  Poison("first");
  Poison("second");
  const boost::json::array newest = Letters({"--limit", "1"});
  ASSERT_EQ(newest.size(), 1U);
  EXPECT_EQ(newest[0].at("value_hex").as_string(), HexEncode("second"));
  EXPECT_NE(Letters({"--limit", "1", "--oldest-first"}).at(0).at("letter"), newest[0].at("letter"));
  EXPECT_GE(Letters({"--since", "1h"}).size(), 2U);
  const std::string last(newest[0].at("last_failure").as_string());
  const boost::json::array since = Letters({"--since", last});
  ASSERT_EQ(since.size(), 1U);
  EXPECT_EQ(since[0].at("letter"), newest[0].at("letter"));
  EXPECT_EQ(Dlq({"list", "--since", "yesterday"}).code, 2);
  EXPECT_THAT(Dlq({"list", "--limit", "1"}).output, HasSubstr("these are 1 of "));
}

TEST_F(ToolsTest, ALetterThatIsNotThereIsToldByName) {
  for (const char* place : {"0:999999", "99:0"}) {
    const Finished shown = Dlq({"show", place});
    EXPECT_EQ(shown.code, 1) << shown.output;
    EXPECT_THAT(shown.error, HasSubstr(std::string("has no record ") + place));
  }
  EXPECT_EQ(Dlq({"show", "somewhere"}).code, 2);
  const Finished replayed = Dlq({"replay", "99:0"});
  EXPECT_EQ(replayed.code, 1);
  EXPECT_THAT(replayed.output, HasSubstr("refused 99:0: there is no such letter"));
}

TEST_F(ToolsTest, AHintOfAnUnknownProjectIsRefusedAsTheReaderWould) {
  events::v1::Hint hint;
  hint.set_order_id(std::string(kNobody));
  hint.set_project("closed-shop");
  Poison(hint.SerializeAsString());
  const Finished replayed = Dlq({"replay", NewestLetter()});
  EXPECT_EQ(replayed.code, 1);
  EXPECT_THAT(replayed.output, HasSubstr("it names no configured project"));
}

TEST_F(ToolsTest, WatchPrintsEachChangeUntilTheOrderIsFinal) {
  const auto order = Order("watched");
  Process watch({ProgramBeside("tollbridge"), "orders", "watch", order.id(), "--address",
                 stack().grpc_address()});
  ASSERT_TRUE(watch.WaitForLine("  new  1250 EUR"));
  PayOnHostedPage(stack(), order);
  EXPECT_TRUE(watch.WaitForLine("  completed  1250 EUR"));
  const auto exit = watch.WaitForExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);

  const Finished again = Watch({order.id(), "--json"});
  EXPECT_EQ(again.code, 0) << again.error;
  const auto shown = boost::json::parse(again.output);
  EXPECT_TRUE(shown.at("final").as_bool());
  EXPECT_EQ(shown.at("order").at("id").as_string(), order.id());
}

TEST_F(ToolsTest, WatchEndsWithOneWhenTheOrderIsNotFinalInTime) {
  const auto order = Order("never-paid");
  const Finished watched = Watch({order.id(), "--timeout", "1"});
  EXPECT_EQ(watched.code, 1);
  EXPECT_THAT(watched.output, HasSubstr("  new  1250 EUR"));
  EXPECT_THAT(watched.error, HasSubstr("the order was not final in time"));
}

TEST_F(ToolsTest, WatchGoesOnWithAGatewayThatWasReplaced) {
  const auto order = Order("moved");
  // The address stays: as behind a load balancer.
  TcpProxy way;
  const std::string& address = stack().grpc_address();
  way.SetUpstream(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  Process watch(
      {ProgramBeside("tollbridge"), "orders", "watch", order.id(), "--address", way.address()});
  ASSERT_TRUE(watch.WaitForLine("  new  1250 EUR"));
  way.Cut();
  PayOnHostedPage(stack(), order);
  EXPECT_TRUE(watch.WaitForLine("  completed  1250 EUR"));
  const auto exit = watch.WaitForExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
}

TEST_F(ToolsTest, WatchTellsAnUnknownOrderAndWhatIsNoId) {
  const Finished unknown = Watch({std::string(kNobody)});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.error, HasSubstr("NOT_FOUND"));
  const Finished nonsense = Watch({"order-4711"});
  EXPECT_EQ(nonsense.code, 2);
  EXPECT_THAT(nonsense.error, HasSubstr("an order's id is a UUID"));
  const Finished nobody = stack().Tollbridge(
      {"orders", "watch", std::string(kNobody), "--address", "127.0.0.1:1", "--timeout", "20"});
  EXPECT_EQ(nobody.code, 1);
  EXPECT_THAT(nobody.error, HasSubstr("UNAVAILABLE"));
}

TEST_F(ToolsTest, ShowTellsTheWholeStoryOfAnOrder) {
  const auto order = Order("told");
  PayOnHostedPage(stack(), order);
  const auto events = stack().OpenTopic("events");
  ASSERT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));
  const auto show = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"orders", "show"});
    arguments.insert(arguments.end(), {"--config", stack().config_path()});
    return stack().Tollbridge(arguments);
  };
  const Finished shown = show({order.id()});
  EXPECT_EQ(shown.code, 0) << shown.output << shown.error;
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("Payments/CreateOrder"), HasSubstr("hint of WEBHOOK at "),
                    HasSubstr("tollbridge.payment.created.v1 at "), HasSubstr("number 2 of "),
                    HasSubstr("the last read showed completed"), HasSubstr("says completed")));

  const Finished json = show({order.id(), "--json"});
  const boost::json::value story = boost::json::parse(json.output);
  EXPECT_EQ(story.at("root_order_id").as_string(), order.id());
  EXPECT_EQ(story.at("sources").as_array().size(), 4U);

  // What cannot be asked is named.
  const TempFolder folder;
  std::string untopical = ReadFile(stack().config_path());
  const std::string topic = stack().TopicName("hints");
  untopical.replace(untopical.find(topic), topic.size(), "nowhere");
  const Finished partly = stack().Tollbridge(
      {"orders", "show", order.id(), "--config", folder.Write("untopical.yaml", untopical)});
  EXPECT_EQ(partly.code, 1);
  EXPECT_THAT(partly.output, AllOf(HasSubstr("not all of hints: "), HasSubstr("says completed")));

  const Finished nobody = show({std::string(kNobody)});
  EXPECT_EQ(nobody.code, 1) << nobody.output;
  EXPECT_THAT(nobody.output, HasSubstr("nobody knows it"));
  EXPECT_EQ(show({"order-4711"}).code, 2);
}

}  // namespace
}  // namespace tollbridge::test
