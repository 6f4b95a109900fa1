#include "services/sandbox/core/transitions.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
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
  std::ifstream file(std::string(TOLLBRIDGE_SOURCE_DIR) + "/docs/sandbox-states.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), DrawTransitions());
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
