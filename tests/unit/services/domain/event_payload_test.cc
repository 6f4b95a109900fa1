#include "services/domain/event_payload.h"

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tollbridge::domain {
namespace {

events::v1::PaymentEvent Event() {
  events::v1::PaymentEvent event;
  event.set_id("33333333-93b1-4f7a-8a53-1d0f6a4c2b10");
  event.set_type("tollbridge.payment.completed.v1");
  event.set_sequence(7);
  return event;
}

TEST(EventPayloadTest, AnEventIsReadInTheEncodingThatItsHeaderNames) {
  const auto binary = ReadEvent("application/protobuf", Event().SerializeAsString());
  ASSERT_TRUE(binary.has_value());
  EXPECT_EQ(binary->sequence(), 7U);
  std::string json;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(Event(), &json).ok());
  const auto text = ReadEvent("application/json", json);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->SerializeAsString(), binary->SerializeAsString());
}

TEST(EventPayloadTest, FieldsOfALaterVersionAreNoFault) {
  EXPECT_TRUE(ReadEvent("application/json", R"({"id": "a", "type": "b", "later": 1})").has_value());
}

TEST(EventPayloadTest, WhatIsNoEventIsNone) {
  EXPECT_FALSE(ReadEvent("application/protobuf", "\xff\xfe").has_value());
  EXPECT_FALSE(ReadEvent("application/protobuf", "").has_value());
  EXPECT_FALSE(ReadEvent("application/json", "no json").has_value());
  EXPECT_FALSE(ReadEvent("application/json", "{}").has_value());
}

TEST(EventPayloadTest, AHeartbeatIsReadAsOneAndAsNoEvent) {
  events::v1::Heartbeat heartbeat;
  heartbeat.mutable_published_before()->set_seconds(1'767'225'600);
  heartbeat.mutable_made_at()->set_seconds(1'767'225'620);
  heartbeat.set_partition(5);
  std::string json;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(heartbeat, &json).ok());
  for (const auto& [type, value] :
       {std::pair<std::string, std::string>{"application/protobuf", heartbeat.SerializeAsString()},
        {"application/json", json}}) {
    EXPECT_FALSE(ReadEvent(type, value).has_value()) << type;
    const auto read = ReadHeartbeat(type, value);
    ASSERT_TRUE(read.has_value()) << type;
    EXPECT_EQ(read->published_before().seconds(), 1'767'225'600);
    EXPECT_EQ(read->partition(), 5);
  }
}

}  // namespace
}  // namespace tollbridge::domain
