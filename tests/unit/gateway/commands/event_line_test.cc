#include "gateway/commands/event_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/domain/event_payload.h"
#include "services/domain/timestamps.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::gateway {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOrder = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr WallTime kTime{std::chrono::milliseconds(1'767'323'045'678)};

kafka::TailedRecord Record(const std::string& type, const std::string& value) {
  kafka::TailedRecord record;
  record.partition = 3;
  record.offset = 41;
  record.key = kOrder;
  record.value = value;
  record.headers = {{"ce_type", type}, {"content-type", "application/protobuf"}};
  return record;
}

events::v1::PaymentEvent Event() {
  events::v1::PaymentEvent event;
  event.set_id("23560f32-93b1-4f7a-8a53-1d0f6a4c2b10");
  event.set_type("tollbridge.payment.completed.v1");
  event.set_order_id(kOrder);
  event.set_amount(1250);
  event.set_currency("EUR");
  *event.mutable_occurred_at() = domain::ToTimestamp(kTime);
  return event;
}

TEST(EventLineTest, HasTimeTypeOrderAndAmount) {
  const auto record = Record("tollbridge.payment.completed.v1", Event().SerializeAsString());
  EXPECT_EQ(EventLine("events", record),
            domain::ToRfc3339(kTime) + "  payment.completed         " + kOrder + "  1250 EUR");
  // The columns of the head lie above them.
  EXPECT_EQ(EventLineHead().find("ORDER"), EventLine("events", record).find(kOrder));
}

TEST(EventLineTest, SaysThatAnOrderIsATestAndThatThereIsNoAmount) {
  events::v1::PaymentEvent event = Event();
  event.clear_amount();
  event.set_test(true);
  EXPECT_THAT(
      EventLine("events", Record("tollbridge.payment.created.v1", event.SerializeAsString())),
      HasSubstr(std::string(kOrder) + "  -  test"));
}

TEST(EventLineTest, SaysWhereItCannotRead) {
  EXPECT_THAT(EventLine("events", Record("tollbridge.payment.created.v1", "\xff\xfe")),
              AllOf(HasSubstr("cannot be read: events 3:41"), HasSubstr(kOrder)));
}

TEST(EventLineTest, MovesNoCursor) {
  events::v1::PaymentEvent event = Event();
  event.set_currency("\x1b[2J");
  EXPECT_THAT(EventLine("events", Record("\x1b[2J", event.SerializeAsString())),
              Not(HasSubstr("\x1b")));
}

TEST(EventLineTest, ShowsUntilWhenAHeartbeatHasAll) {
  events::v1::Heartbeat heartbeat;
  *heartbeat.mutable_published_before() = domain::ToTimestamp(kTime);
  const auto record = Record(std::string(domain::kHeartbeatType), heartbeat.SerializeAsString());
  EXPECT_THAT(
      EventLine("events", record),
      AllOf(HasSubstr("  heartbeat "), HasSubstr("published before " + domain::ToRfc3339(kTime))));
}

TEST(EventJsonTest, HasHeadersPlaceAndPayload) {
  EXPECT_THAT(
      EventJson("events", Record("tollbridge.payment.completed.v1", Event().SerializeAsString())),
      AllOf(HasSubstr(R"("topic":"events","partition":3,"offset":41)"),
            HasSubstr(R"("ce_type":"tollbridge.payment.completed.v1")"), HasSubstr(R"("event":{)"),
            HasSubstr(R"("currency":"EUR")")));
}

TEST(EventTypeOptionTest, TakesAllOfATypeOrWhatIsItsOwn) {
  for (const std::string name : {"payment.completed", "tollbridge.payment.completed.v1"}) {
    EXPECT_EQ(*EventTypeOption("--type", name), "tollbridge.payment.completed.v1");
  }
  EXPECT_EQ(*EventTypeOption("--type", "account_funding.needs_review"),
            "tollbridge.account_funding.needs_review.v1");
}

TEST(EventTypeOptionTest, RefusesWhatNoEventIs) {
  EXPECT_THAT(EventTypeOption("--until", "payment.complete").status().ToString(),
              AllOf(HasSubstr("--until: no event has the type 'payment.complete'"),
                    HasSubstr("did you mean 'payment.completed'?")));
  EXPECT_FALSE(EventTypeOption("--until", "nonsense").ok());
  EXPECT_FALSE(EventTypeOption("--until", "").ok());
}

}  // namespace
}  // namespace tollbridge::gateway
