#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "services/events/event_builder.h"
#include "tests/unit/services/events/fixture.h"
#include "tollbridge/events/v1/events.pb.h"

/// Records of the encoding confluent (services/domain/confluent_frame.h).
namespace tollbridge::events {
namespace {

std::string Bytes(std::initializer_list<unsigned char> bytes) {
  return {bytes.begin(), bytes.end()};
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
