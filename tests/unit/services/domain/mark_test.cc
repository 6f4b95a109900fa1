#include "services/domain/mark.h"

#include <string>

#include <gtest/gtest.h>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::domain {
namespace {

constexpr std::string_view kId = "3b241101-e2bb-5255-8caf-4136c566a962";

Uuid Operation() { return *Uuid::Parse(kId); }

TEST(Mark, NamesOperationEpochAndAttemptAndReadsThemBack) {
  const Mark mark{.operation = Operation(), .epoch = "a1b2c3d4", .attempt = 12};
  EXPECT_EQ(ToText(mark), std::string(kId) + ".a1b2c3d4.12");
  EXPECT_EQ(ParseMark(ToText(mark)), mark);
}

TEST(Mark, ReadsAnEpochThatIsShorterThanEight) {
  const auto mark = ParseMark(std::string(kId) + ".0.1");
  ASSERT_TRUE(mark.has_value());
  EXPECT_EQ(mark->epoch, "0");
}

TEST(Mark, OtherTextIsNoMark) {
  const std::string id(kId);
  for (const std::string& text :
       {std::string(), id, id + ".", id + ".a1b2c3d4", id + ".a1b2c3d4.", id + "..1",
        id + ".a1b2c3d4.x", id + ".a1b2c3d4.-1", id + ".a1b2c3d4.1 ", id + ".a1b2c3d4.1.1",
        id + ".a1b2c3d4e.1", id + ".A1B2.1", id + ".a1b2c3d4.99999999999",
        id.substr(1) + "x.a1b2c3d4.1", "x" + id + ".a1b2c3d4.1"}) {
    EXPECT_EQ(ParseMark(text), std::nullopt) << text;
  }
}

TEST(Mark, IsReadFromTheExtraOfAnOrder) {
  common::v1::Order order;
  EXPECT_EQ(MarkOf(order), std::nullopt);
  auto& fields = *order.mutable_extra()->mutable_fields();
  fields["cart"].set_string_value(std::string(kId) + ".a1b2c3d4.1");
  EXPECT_EQ(MarkOf(order), std::nullopt) << "another field";
  fields["tollbridge_operation"].set_number_value(1);
  EXPECT_EQ(MarkOf(order), std::nullopt) << "not a text";
  fields["tollbridge_operation"].set_string_value(std::string(kId) + ".a1b2c3d4.3");
  ASSERT_TRUE(MarkOf(order).has_value());
  EXPECT_EQ(MarkOf(order)->operation, Operation());
  EXPECT_EQ(MarkOf(order)->attempt, 3U);
}

TEST(Mark, IsStrippedAndLeavesTheMerchantsOwnDataAlone) {
  common::v1::Order order;
  auto& fields = *order.mutable_extra()->mutable_fields();
  fields[std::string(kMarkField)].set_string_value(std::string(kId) + ".a1b2c3d4.3");
  common::v1::Order with_cart = order;
  (*with_cart.mutable_extra()->mutable_fields())["cart"].set_string_value("42");
  StripMark(with_cart);
  EXPECT_EQ(MarkOf(with_cart), std::nullopt);
  EXPECT_EQ(with_cart.extra().fields().at("cart").string_value(), "42");

  StripMark(order);
  EXPECT_FALSE(order.has_extra()) << "it was there for the mark alone";

  common::v1::Order empty_extra;
  empty_extra.mutable_extra();
  StripMark(empty_extra);
  EXPECT_TRUE(empty_extra.has_extra()) << "the merchant's own stays, empty as it is";
}

TEST(DescriptionMark, IsTheFirstHalfOfTheOperationId) {
  EXPECT_EQ(DescriptionMark(Operation()), "[tb:3b241101e2bb5255]");
}

TEST(DescriptionMark, IsFoundWhereverItStandsAndIsNobodyElses) {
  const std::string mark = DescriptionMark(Operation());
  EXPECT_TRUE(CarriesMark("shoes " + mark, Operation()));
  EXPECT_TRUE(CarriesMark(mark, Operation()));
  EXPECT_TRUE(CarriesMark("shoes" + mark + " (test)", Operation()));
  EXPECT_FALSE(CarriesMark("shoes", Operation()));
  EXPECT_FALSE(CarriesMark(mark.substr(0, mark.size() - 1), Operation())) << "cut off";
  EXPECT_FALSE(CarriesMark(mark, Uuid::V5(Operation(), "other")));
}

TEST(DescriptionMark, AnyMarkIsToldFromTextThatLooksLikeIt) {
  EXPECT_TRUE(CarriesAnyMark("shoes [tb:0123456789abcdef]"));
  EXPECT_TRUE(CarriesAnyMark("[tb: [tb:0123456789abcdef] more"));
  for (const char* text :
       {"", "shoes", "[tb:]", "[tb:0123456789abcde]", "[tb:0123456789abcdefg]",
        "[tb:0123456789abcdef", "[tb:0123456789abcdeX]", "[tb:0123456789ABCDEF]"}) {
    EXPECT_FALSE(CarriesAnyMark(text)) << text;
  }
}

}  // namespace
}  // namespace tollbridge::domain
