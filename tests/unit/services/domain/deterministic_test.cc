#include "services/domain/deterministic.h"

#include <string>

#include <gtest/gtest.h>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::domain {
namespace {

TEST(SerializeDeterministically, GivesEqualMessagesEqualBytesAlsoAfterParsing) {
  common::v1::Order forward;
  common::v1::Order backward;
  for (int i = 0; i < 100; ++i) {
    (*forward.mutable_extra()->mutable_fields())["f" + std::to_string(i)].set_number_value(1);
    (*backward.mutable_extra()->mutable_fields())["f" + std::to_string(99 - i)].set_number_value(1);
  }
  const std::string bytes = SerializeDeterministically(forward);
  EXPECT_EQ(SerializeDeterministically(backward), bytes);
  common::v1::Order parsed;
  ASSERT_TRUE(parsed.ParseFromString(bytes));
  EXPECT_EQ(SerializeDeterministically(parsed), bytes);
}

}  // namespace
}  // namespace tollbridge::domain
