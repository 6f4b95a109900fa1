#include "services/orders/card_expiry.h"

#include <chrono>

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "services/domain/errors.h"

namespace tollbridge::orders {
namespace {

using std::chrono::hours;
using std::chrono::sys_days;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(CardExpiry, ACardIsGoodToTheEndOfItsMonthEverywhereOnEarth) {
  EXPECT_FALSE(IsPastExpiry("022028", sys_days(2028y / 2 / 29) + hours(23)));
  EXPECT_FALSE(IsPastExpiry("022028", sys_days(2028y / 3 / 1) + hours(11)));
  EXPECT_TRUE(IsPastExpiry("022028", sys_days(2028y / 3 / 1) + hours(12)));
  EXPECT_FALSE(IsPastExpiry("122028", sys_days(2028y / 12 / 31) + hours(0)));
  EXPECT_TRUE(IsPastExpiry("122028", sys_days(2029y / 1 / 2) + hours(0)));
  EXPECT_FALSE(IsPastExpiry("012029", sys_days(2028y / 12 / 31) + hours(0)));
  EXPECT_TRUE(IsPastExpiry("122027", sys_days(2028y / 11 / 1) + hours(0)));
}

TEST(CardExpiry, WhatIsNoExpiryIsNotPast) {
  EXPECT_FALSE(IsPastExpiry("", sys_days(2028y / 1 / 1) + hours(0)));
  EXPECT_FALSE(IsPastExpiry("132001", sys_days(2028y / 1 / 1) + hours(0)));
}

TEST(CardExpiry, TheCheckNamesTheFieldAndNotTheValue) {
  const auto check = ExpiryCheck("card.expiry", "122027");
  EXPECT_TRUE(check(sys_days(2027y / 12 / 1) + hours(0)).ok());
  const absl::Status refused = check(sys_days(2028y / 2 / 1) + hours(0));
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  google::rpc::BadRequest details;
  const auto payload = refused.GetPayload(std::string(domain::kBadRequestUrl));
  ASSERT_TRUE(payload.has_value() && details.ParseFromString(std::string(*payload)));
  ASSERT_EQ(details.field_violations_size(), 1);
  EXPECT_EQ(details.field_violations(0).field(), "card.expiry");
  EXPECT_EQ(details.field_violations(0).description().find("122027"), std::string::npos);
}

}  // namespace
}  // namespace tollbridge::orders
