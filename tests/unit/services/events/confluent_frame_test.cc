// The bytes before an event as clients of a schema registry expect them: a zero, the schema's id in
// four bytes, the most significant one first, and the message's indexes as zigzag varints.
#include "services/events/confluent_frame.h"

#include <google/protobuf/struct.pb.h>
#include <gtest/gtest.h>

#include <string>

#include "services/events/event_builder.h"
#include "tests/unit/services/events/fixture.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::events {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

std::string Bytes(std::initializer_list<unsigned char> bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(ConfluentFrameTest, TheFirstMessageOfAFileIsASingleZero) {
  EXPECT_EQ(ConfluentFrame(0x01020304, *v1::PaymentEvent::descriptor()), Bytes({0, 1, 2, 3, 4, 0}));
  EXPECT_EQ(ConfluentFrame(2'147'483'647, *v1::PaymentEvent::descriptor()),
            Bytes({0, 0x7f, 0xff, 0xff, 0xff, 0}));
}

TEST(ConfluentFrameTest, AnyOtherIsNamedByItsIndexesBehindTheirNumber) {
  EXPECT_EQ(ConfluentFrame(7, *Value::descriptor()), Bytes({0, 0, 0, 0, 7, 2, 2}));
  EXPECT_EQ(ConfluentFrame(7, *ListValue::descriptor()), Bytes({0, 0, 0, 0, 7, 2, 4}));
  EXPECT_EQ(ConfluentFrame(7, *Struct::descriptor()->nested_type(0)),
            Bytes({0, 0, 0, 0, 7, 4, 0, 0}));
}

TEST(ConfluentFrameTest, WhatIsBehindItIsFoundWhateverTheIndexes) {
  for (const auto* type : {v1::PaymentEvent::descriptor(), Value::descriptor(),
                           Struct::descriptor()->nested_type(0)}) {
    EXPECT_EQ(BehindConfluentFrame(ConfluentFrame(300, *type) + "message"), "message");
    EXPECT_EQ(BehindConfluentFrame(ConfluentFrame(300, *type)), "") << "a message without fields";
  }
  for (const std::string& none : {std::string(), Bytes({0, 0, 0, 0, 7}), Bytes({1, 0, 0, 0, 7, 0}),
                                  Bytes({0, 0, 0, 0, 7, 4, 0}), Bytes({0, 0, 0, 0, 7, 0x80})}) {
    EXPECT_EQ(BehindConfluentFrame(none), std::nullopt);
  }
}

class FramedEventTest : public EventsFixture {};

TEST_F(FramedEventTest, IsTheProtobufOneBehindTheFrame) {
  v1::PaymentEvent event;
  event.set_id("id");
  event.set_root_order_id(kOrderId);
  const RecordForm form{.encoding = Encoding::kConfluent, .schema_id = 258};
  const storage::v1::OutboxEntry entry = MakeOutboxEntry(event, {}, form);
  EXPECT_EQ(HeaderOf(entry, "content-type"), "application/vnd.confluent.protobuf");
  EXPECT_EQ(entry.payload(), Bytes({0, 0, 0, 1, 2, 0}) + MakeOutboxEntry(event, {}, {}).payload());
}

TEST_F(FramedEventTest, IsWhatAReaderPublishesWhenItIsConfigured) {
  settings_.encoding = Encoding::kConfluent;
  settings_.schema_id = 258;
  reads_.Show(MakeOrder(common::v1::ORDER_STATUS_COMPLETED));
  ReadOnce();
  ASSERT_EQ(events_.events.size(), 2U);
  for (const auto& entry : events_.events) {
    EXPECT_TRUE(entry.payload().starts_with(Bytes({0, 0, 0, 1, 2, 0})));
    v1::PaymentEvent event;
    EXPECT_TRUE(event.ParseFromString(entry.payload().substr(6)));
    EXPECT_EQ(event.id(), entry.id());
  }
}

}  // namespace
}  // namespace tollbridge::events
