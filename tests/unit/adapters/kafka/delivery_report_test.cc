#include "adapters/kafka/delivery_report.h"

#include <gtest/gtest.h>

namespace tollbridge::kafka {
namespace {

TEST(DeliveryReportTest, SaysWhereTheRecordLies) {
  const auto place = ReadReport(RD_KAFKA_RESP_ERR_NO_ERROR, {.partition = 2, .offset = 0});
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(*place, (RecordPlace{.partition = 2, .offset = 0}));
}

// What librdkafka's idempotent producer reports of a record that it concludes was written.
TEST(DeliveryReportTest, ASuccessWithoutAnOffsetIsNoDelivery) {
  for (const std::int64_t offset : {std::int64_t{RD_KAFKA_OFFSET_INVALID}, std::int64_t{-1}}) {
    const auto place = ReadReport(RD_KAFKA_RESP_ERR_NO_ERROR, {.partition = 2, .offset = offset});
    EXPECT_TRUE(absl::IsUnavailable(place.status())) << place.status();
  }
}

TEST(DeliveryReportTest, AnErrorSaysWhetherTheRecordMayYetCome) {
  const RecordPlace nowhere{.partition = 2, .offset = RD_KAFKA_OFFSET_INVALID};
  EXPECT_TRUE(absl::IsUnavailable(ReadReport(RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, nowhere).status()));
  EXPECT_TRUE(
      absl::IsInvalidArgument(ReadReport(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, nowhere).status()));
  EXPECT_TRUE(
      absl::IsFailedPrecondition(ReadReport(RD_KAFKA_RESP_ERR_INVALID_RECORD, nowhere).status()));
}

}  // namespace
}  // namespace tollbridge::kafka
