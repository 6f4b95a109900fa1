// What of an order goes over Kafka, as the gateway is configured.

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/ledger_programs.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kName = "Marigold";
constexpr std::string_view kExtra = "basket-of-apples";

class EventDataTest : public testing::Test {
 protected:
  /// The events of an order that says who the customer is, and is paid.
  static std::vector<TopicRecord> EventsWith(const StackSettings& settings) {
    Stack stack({.settings = settings});
    const auto events = stack.OpenTopic("events");
    auto request = OrderRequest("event-data");
    request.mutable_customer()->set_first_name(std::string(kName));
    (*request.mutable_extra()->mutable_fields())["note"].set_string_value(std::string(kExtra));
    const auto order = OrderOf(CreateOrder(stack, request));
    PayOnHostedPage(stack, order);
    EXPECT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));
    return EventsOf(events->ReadAll(), order.id());
  }
};

TEST_F(EventDataTest, TheCustomerIsLeftOutUnlessConfigured) {
  const std::vector<TopicRecord> events = EventsWith({});
  ASSERT_THAT(events, SizeIs(2));
  for (const TopicRecord& record : events) {
    EXPECT_THAT(record.value, Not(HasSubstr(std::string(kName))));
    EXPECT_THAT(record.value, Not(HasSubstr(std::string(kExtra))));
    events::v1::PaymentEvent event;
    ASSERT_TRUE(event.ParseFromString(record.value));
    EXPECT_FALSE(event.order().has_customer());
    EXPECT_EQ(event.order().amount(), 1250);
  }
}

TEST_F(EventDataTest, TheCustomerIsThereWhenConfigured) {
  for (const TopicRecord& record : EventsWith({{"events", {{"customer_data", "full"}}}})) {
    EXPECT_THAT(record.value, HasSubstr(std::string(kName)));
    EXPECT_THAT(record.value, HasSubstr(std::string(kExtra)));
  }
}

TEST_F(EventDataTest, JsonIsProtobufsOwnMapping) {
  const std::vector<TopicRecord> events = EventsWith({{"events", {{"encoding", "json"}}}});
  ASSERT_THAT(events, SizeIs(2));
  for (const TopicRecord& record : events) {
    EXPECT_EQ(record.header("content-type"), "application/json");
    EXPECT_THAT(record.value, Not(HasSubstr(std::string(kName))));
    const auto json = boost::json::parse(record.value);
    EXPECT_EQ(json.at("id").as_string(), record.header("ce_id"));
    EXPECT_EQ(json.at("rootOrderId").as_string(), record.key);
    EXPECT_EQ(json.at("amount").as_string(), "1250");
    EXPECT_EQ(json.at("kind").as_string(), "EVENT_KIND_PAYMENT");
    EXPECT_TRUE(json.at("test").as_bool());
    events::v1::PaymentEvent event;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(record.value, &event).ok());
    EXPECT_EQ(event.type(), record.header("ce_type"));
  }
}

/// The Go one with a registry client's own reading of the frame.
TEST_F(EventDataTest, ConfluentIsWhatTheLedgersRead) {
  Stack stack({.settings = {{"events", {{"encoding", "confluent"}, {"schema_id", "258"}}}}});
  const auto events = stack.OpenTopic("events");
  auto request = OrderRequest("framed");
  request.set_merchant_order_id("framed");
  const auto order = OrderOf(CreateOrder(stack, request));
  PayOnHostedPage(stack, order);
  ASSERT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));
  for (const TopicRecord& record : EventsOf(events->ReadAll(), order.id())) {
    EXPECT_EQ(record.header("content-type"), "application/vnd.confluent.protobuf");
    EXPECT_EQ(record.value.substr(0, 6), std::string("\0\0\0\1\2\0", 6));
  }
  for (const LedgerProgram& program : LedgerPrograms()) {
    SCOPED_TRACE(program.language);
    TempFolder folder;
    std::vector<std::string> command = program.command;
    command.insert(command.end(),
                   {"--brokers", stack.brokers(), "--topic", stack.TopicName("events"), "--group",
                    stack.TopicName(program.language), "--database", folder.PathOf("ledger"),
                    "--test-orders"});
    std::vector<std::string> read = command;
    read.emplace_back("--until-end");
    const Finished finished = test::Run(read, {}, std::chrono::seconds(120));
    ASSERT_EQ(finished.code, 0) << finished.error;
    command.emplace_back("--report");
    const auto report = boost::json::parse(test::Run(command).output);
    EXPECT_EQ(report.at("orders").at(order.id()).at("booked").to_number<int>(), 1250);
  }
  const Finished tailed = stack.Tollbridge(
      {"events", "tail", "--config", stack.config_path(), "--order", order.id(), "--until",
       std::string(kPaymentCompleted), "--from-beginning", "--timeout", "20"});
  EXPECT_EQ(tailed.code, 0) << tailed.error;
  EXPECT_THAT(tailed.output, HasSubstr("\"merchant_order_id\":\"framed\""));
}

TEST_F(EventDataTest, TestOrdersHaveTheTopicThatIsNamedForThem) {
  const std::string tests = "tests-" + std::to_string(getpid());
  Stack stack({.settings = {{"kafka", {{"test_events_topic", tests}}}}});
  Topic of_tests(stack.brokers(), tests);
  const auto order = OrderOf(CreateOrder(stack, OrderRequest("a-test")));
  PayOnHostedPage(stack, order);
  ASSERT_TRUE(AwaitEvent(of_tests, order.id(), kPaymentCompleted));
  EXPECT_THAT(EventsOf(of_tests.records(), order.id()), SizeIs(2));
  EXPECT_THAT(stack.OpenTopic("events")->ReadAll(), SizeIs(0));
  const Finished tailed = stack.Tollbridge(
      {"events", "tail", "--config", stack.config_path(), "--order", order.id(), "--until",
       std::string(kPaymentCompleted), "--from-beginning", "--timeout", "20"});
  EXPECT_EQ(tailed.code, 0) << tailed.error;
  EXPECT_THAT(tailed.output, HasSubstr("\"topic\":\"" + tests + "\""));
}

}  // namespace
}  // namespace tollbridge::test
