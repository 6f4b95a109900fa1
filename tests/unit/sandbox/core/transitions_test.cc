#include "sandbox/core/transitions.h"
#include "tests/support/read_file.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace tollbridge::sandbox {
namespace {

template <typename Status>
void ExpectOneTargetPerTrigger(std::span<const Transition<Status>> table) {
  std::set<std::pair<Status, Trigger>> seen;
  for (const Transition<Status>& line : table) {
    EXPECT_TRUE(seen.emplace(line.from, line.trigger).second)
        << Text(line.from) << " by " << Text(line.trigger);
    EXPECT_EQ(Next(line.from, line.trigger), line.to);
  }
}

TEST(TransitionsTest, EachStatusAndTriggerLeadToOneStatus) {
  ExpectOneTargetPerTrigger(OrderTransitions());
  ExpectOneTargetPerTrigger(TransactionTransitions());
  ExpectOneTargetPerTrigger(LinkTransitions());
}

TEST(TransitionsTest, WhatIsNotInTheTableLeadsNowhere) {
  EXPECT_EQ(Next(OrderStatus::kExpired, Trigger::kStarted), std::nullopt);
  EXPECT_EQ(Next(TransactionStatus::kCompleted, Trigger::kDeclined), std::nullopt);
  EXPECT_EQ(Next(LinkStatus::kCompleted, Trigger::kExpired), std::nullopt);
}

TEST(TransitionsTest, ThePageInDocsIsDrawnFromTheTables) {
  const std::string text =
      test::ReadFile(std::string(TOLLBRIDGE_SOURCE_DIR) + "/docs/sandbox-states.md");
  EXPECT_EQ(text, DrawTransitions());
}

TEST(StatusTest, TextsAreThoseOfTheInterfaceAndReadBack) {
  EXPECT_EQ(Text(OrderStatus::kSeeTransactions), "see-transactions");
  EXPECT_EQ(Text(LinkStatus::kAllUnsuccessful), "all_unsuccessful");
  for (int i = 0; i <= static_cast<int>(OrderStatus::kSeeTransactions); ++i) {
    const auto status = static_cast<OrderStatus>(i);
    EXPECT_EQ(ParseOrderStatus(Text(status)), status);
  }
  for (int i = 0; i <= static_cast<int>(TransactionStatus::kExpired); ++i) {
    const auto status = static_cast<TransactionStatus>(i);
    EXPECT_EQ(ParseTransactionStatus(Text(status)), status);
  }
  EXPECT_EQ(ParseOrderStatus("paid"), std::nullopt);
}

}  // namespace
}  // namespace tollbridge::sandbox
