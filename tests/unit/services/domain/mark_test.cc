#include "services/domain/mark.h"

#include <gtest/gtest.h>

#include <string>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::domain {
namespace {

Mark TestMark() {
  return {.operation = *Uuid::Parse("3f2504e0-4f89-51d3-9a0c-0305e82c3301"),
          .epoch = "ab12cd34",
          .attempt = 12};
}

common::v1::Order OrderWith(const std::string& mark) {
  common::v1::Order order;
  (*order.mutable_extra()->mutable_fields())[std::string(kMarkField)].set_string_value(mark);
  return order;
}

TEST(MarkTest, IsReadAsItWasWritten) {
  EXPECT_EQ(ToText(TestMark()), "3f2504e0-4f89-51d3-9a0c-0305e82c3301.ab12cd34.12");
  EXPECT_EQ(ParseMark(ToText(TestMark())), TestMark());
  EXPECT_EQ(MarkOf(OrderWith(ToText(TestMark()))), TestMark());
}

TEST(MarkTest, TextThatIsNoMarkIsNone) {
  for (const char* text :
       {"", "3f2504e0-4f89-51d3-9a0c-0305e82c3301", "3f2504e0-4f89-51d3-9a0c-0305e82c3301.ab12cd34",
        "3f2504e0-4f89-51d3-9a0c-0305e82c3301..1", "3f2504e0-4f89-51d3-9a0c-0305e82c3301.ab12cd34.",
        "3f2504e0-4f89-51d3-9a0c-0305e82c3301.ab12cd34.1x",
        "3f2504e0-4f89-51d3-9a0c-0305e82c3301.ab12cd345.1",
        "3f2504e0-4f89-51d3-9a0c-0305e82c3301.AB.1", "not-a-uuid.ab12cd34.1"}) {
    EXPECT_EQ(ParseMark(text), std::nullopt) << text;
    EXPECT_EQ(MarkOf(OrderWith(text)), std::nullopt) << text;
  }
  EXPECT_EQ(MarkOf(common::v1::Order()), std::nullopt);
}

TEST(MarkTest, IsStrippedAndLeavesTheMerchantsOwnDataAlone) {
  common::v1::Order order = OrderWith(ToText(TestMark()));
  (*order.mutable_extra()->mutable_fields())["cart"].set_string_value("42");
  StripMark(order);
  EXPECT_EQ(MarkOf(order), std::nullopt);
  EXPECT_EQ(order.extra().fields().at("cart").string_value(), "42");

  common::v1::Order marked_only = OrderWith(ToText(TestMark()));
  StripMark(marked_only);
  EXPECT_FALSE(marked_only.has_extra());

  common::v1::Order empty_extra;
  empty_extra.mutable_extra();
  StripMark(empty_extra);
  EXPECT_TRUE(empty_extra.has_extra()) << "an extra of the merchant's own stays, empty as it is";
}

TEST(MarkTest, ADescriptionIsRecognizedByItsOperationsMark) {
  const Uuid operation = TestMark().operation;
  const std::string description = "Refund of order 7" + DescriptionMark(operation);
  EXPECT_TRUE(CarriesMark(description, operation));
  EXPECT_TRUE(CarriesMark(DescriptionMark(operation).substr(1), operation)) << "trimmed";
  EXPECT_FALSE(CarriesMark("Refund of order 7", operation));
  EXPECT_FALSE(CarriesMark(description, *Uuid::Parse("4f2504e0-4f89-51d3-9a0c-0305e82c3301")));
}

}  // namespace
}  // namespace tollbridge::domain
