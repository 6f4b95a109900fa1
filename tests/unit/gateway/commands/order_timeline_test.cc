#include "gateway/commands/order_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "services/domain/event_id.h"
#include "services/domain/timestamps.h"
#include "tests/support/told_state.h"

namespace tollbridge::gateway {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kOrder[] = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr char kRoot[] = "11111111-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr char kStream[] = "22222222-93b1-4f7a-8a53-1d0f6a4c2b10";

WallTime At(int second) { return WallTime(std::chrono::seconds(1'767'225'600 + second)); }

const Uuid kOtherProject = Uuid::V4({1});

class OrderTimelineTest : public testing::Test {
 protected:
  void AddEvent(int second, const std::string& order = kOrder,
                const std::string& project = "shop") {
    events::v1::PaymentEvent event;
    event.set_project(project);
    event.set_kind(events::v1::EVENT_KIND_PAYMENT);
    event.set_what(events::v1::EVENT_WHAT_COMPLETED);
    event.set_id(domain::EventId(project == "shop" ? project_.id : kOtherProject,
                                 *Uuid::Parse(order), event.kind(), event.what(), 0)
                     .ToString());
    event.set_type("tollbridge.payment.completed.v1");
    event.set_order_id(order);
    event.set_stream(kStream);
    event.set_sequence(2);
    event.set_amount(1250);
    event.set_currency("EUR");
    *event.mutable_noticed_at() = domain::ToTimestamp(At(second));
    *event.mutable_occurred_at() = domain::ToTimestamp(At(second - 1));
    timeline_.Add(event, {.partition = 3, .offset = 17});
  }

  const domain::Project project_{.name = "shop", .id = Uuid::V4({0x5a})};
  OrderTimeline timeline_{project_, *Uuid::Parse(kOrder)};
};

TEST_F(OrderTimelineTest, NobodyKnowsAnOrderOfWhichNothingIsTold) {
  timeline_.AddSource("events", absl::OkStatus());
  EXPECT_FALSE(timeline_.known());
  EXPECT_TRUE(timeline_.whole());
  EXPECT_THAT(timeline_.Text(), HasSubstr("nobody knows it"));
}

TEST_F(OrderTimelineTest, WhoseAnEventIsItsNameDoesNotTell) {
  events::v1::PaymentEvent event;
  event.set_project("shop");
  event.set_kind(events::v1::EVENT_KIND_PAYMENT);
  event.set_what(events::v1::EVENT_WHAT_COMPLETED);
  event.set_order_id(kOrder);
  event.set_type("tollbridge.payment.completed.v1");
  event.set_id(domain::EventId(kOtherProject, *Uuid::Parse(kOrder), event.kind(), event.what(), 0)
                   .ToString());
  timeline_.Add(event, {.partition = 3, .offset = 16});
  EXPECT_FALSE(timeline_.known()) << "another project's, that had this name";
  event.set_project("old-shop");
  event.set_id(
      domain::EventId(project_.id, *Uuid::Parse(kOrder), event.kind(), event.what(), 0).ToString());
  timeline_.Add(event, {.partition = 3, .offset = 17});
  EXPECT_TRUE(timeline_.known());
}

TEST_F(OrderTimelineTest, AllSourcesAreOneStoryInTheOrderOfTime) {
  AddEvent(30);
  events::v1::Hint hint;
  hint.set_order_id(kOrder);
  hint.set_source(events::v1::HINT_SOURCE_WEBHOOK);
  *hint.mutable_noticed_at() = domain::ToTimestamp(At(20));
  timeline_.Add(hint, {.partition = 1, .offset = 5});
  operations::v1::Operation operation;
  operation.set_id("44444444-93b1-4f7a-8a53-1d0f6a4c2b10");
  operation.set_rpc("tollbridge.payments.v1.Payments/CreateOrder");
  operation.set_state(operations::v1::OPERATION_STATE_DONE);
  *operation.mutable_created() = domain::ToTimestamp(At(0));
  *operation.mutable_since() = domain::ToTimestamp(At(10));
  timeline_.Add(operation);
  const std::string text = timeline_.Text();
  const std::size_t called = text.find("called by");
  const std::size_t done = text.find("DONE");
  const std::size_t hinted = text.find("hint of WEBHOOK at 1:5");
  const std::size_t told = text.find("tollbridge.payment.completed.v1 at 3:17, number 2");
  EXPECT_LT(called, done) << text;
  EXPECT_LT(done, hinted) << text;
  EXPECT_LT(hinted, told) << text;
  EXPECT_NE(told, std::string::npos) << text;
}

TEST_F(OrderTimelineTest, AnEventOfAnotherProjectIsLeftOut) {
  AddEvent(30, kOrder, "other-shop");
  EXPECT_FALSE(timeline_.known());
  AddEvent(31);
  EXPECT_TRUE(timeline_.known());
}

TEST_F(OrderTimelineTest, TheSnapshotSaysWhatWasToldAndWhatIsUnderWay) {
  ports::FamilyState family;
  family.version = 3;
  family.snapshot.set_stream(Uuid::Parse(kStream)->ToBytes());
  family.snapshot.set_sequence(2);
  *family.snapshot.mutable_root() = test::ToldState({events::v1::EVENT_WHAT_COMPLETED});
  storage::v1::OutboxEntry& entry = *family.outbox.emplace().add_entries();
  entry.set_sequence(2);
  entry.set_id("decided-id");
  family.due = At(40);
  timeline_.Add(family);
  EXPECT_THAT(timeline_.Text(),
              AllOf(HasSubstr("the last read showed completed; kind payment; told completed 1"),
                    HasSubstr("not proven published: 2 decided-id"), HasSubstr("due to be read")));
}

TEST_F(OrderTimelineTest, ASourceThatDoesNotAnswerIsNamedAndTheRestIsShown) {
  timeline_.AddSource("payment service", absl::UnavailableError("no way there"));
  timeline_.AddSource("events", absl::OkStatus());
  AddEvent(1);
  EXPECT_FALSE(timeline_.whole());
  EXPECT_THAT(timeline_.Text(), AllOf(HasSubstr("tollbridge.payment.completed.v1"),
                                      HasSubstr("not all of payment service: no way there")));
  const boost::json::value json = boost::json::parse(timeline_.Json());
  EXPECT_FALSE(json.at("sources").at(0).at("whole").as_bool());
  EXPECT_EQ(json.at("sources").at(0).at("error").as_string(), "no way there");
  EXPECT_EQ(json.at("timeline").at(0).at("details").at("offset").as_int64(), 17);
}

TEST_F(OrderTimelineTest, EventsOfOthersOfTheFamilySayWhose) {
  timeline_.SetRoot(*Uuid::Parse(kRoot));
  AddEvent(1, kRoot);
  EXPECT_THAT(timeline_.Text(), AllOf(HasSubstr(std::string("of the family of ") + kRoot),
                                      HasSubstr(std::string(", of ") + kRoot)));
}

TEST_F(OrderTimelineTest, CardNumbersAndControlCharactersAreNotShown) {
  common::v1::Order order;
  order.set_status(common::v1::ORDER_STATUS_ERROR);
  order.set_reason("card 4111111111111111\x1b[2J");
  order.mutable_customer()->set_email_address("somebody@shop.example");
  timeline_.Add(order);
  EXPECT_THAT(timeline_.Text() + timeline_.Json(),
              AllOf(Not(HasSubstr("4111111111111111")), Not(HasSubstr("\x1b")),
                    Not(HasSubstr("somebody"))));
}

}  // namespace
}  // namespace tollbridge::gateway
