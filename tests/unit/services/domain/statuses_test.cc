#include "services/domain/statuses.h"

#include <gtest/gtest.h>

#include <vector>

namespace tollbridge::domain {
namespace {

using common::v1::Order;
using common::v1::OrderStatus;
using common::v1::TransactionStatus;

TEST(StatusesTest, EveryOrderStatusIsFinalOrNotAsTheDocumentSays) {
  struct Row {
    OrderStatus status;
    bool final;
    bool final_or_see_transactions;
    events::v1::EventWhat what;
  };
  const std::vector<Row> rows = {
      {common::v1::ORDER_STATUS_UNSPECIFIED, false, false, events::v1::EVENT_WHAT_UNSPECIFIED},
      {common::v1::ORDER_STATUS_NEW, false, false, events::v1::EVENT_WHAT_CREATED},
      {common::v1::ORDER_STATUS_PROCESSING, false, false, events::v1::EVENT_WHAT_PROCESSING},
      {common::v1::ORDER_STATUS_COMPLETED, true, true, events::v1::EVENT_WHAT_COMPLETED},
      {common::v1::ORDER_STATUS_CANCELLED, true, true, events::v1::EVENT_WHAT_CANCELLED},
      {common::v1::ORDER_STATUS_EXPIRED, true, true, events::v1::EVENT_WHAT_EXPIRED},
      {common::v1::ORDER_STATUS_ERROR, true, true, events::v1::EVENT_WHAT_FAILED},
      {common::v1::ORDER_STATUS_SEE_TRANSACTIONS, false, true, events::v1::EVENT_WHAT_NEEDS_REVIEW},
  };
  ASSERT_EQ(rows.size(),
            static_cast<std::size_t>(common::v1::OrderStatus_descriptor()->value_count()));
  for (const Row& row : rows) {
    SCOPED_TRACE(common::v1::OrderStatus_Name(row.status));
    EXPECT_EQ(IsFinal(row.status), row.final);
    EXPECT_EQ(IsFinalOrSeeTransactions(row.status), row.final_or_see_transactions);
    EXPECT_EQ(WhatOf(row.status), row.what);
  }
}

TEST(StatusesTest, OnlyFiveTransactionStatusesAreFinal) {
  const auto* all = common::v1::TransactionStatus_descriptor();
  std::vector<std::string> final;
  for (int i = 0; i < all->value_count(); ++i) {
    if (IsFinal(static_cast<TransactionStatus>(all->value(i)->number()))) {
      final.push_back(all->value(i)->name());
    }
  }
  EXPECT_EQ(final,
            (std::vector<std::string>{"TRANSACTION_STATUS_COMPLETED", "TRANSACTION_STATUS_DECLINED",
                                      "TRANSACTION_STATUS_ERROR", "TRANSACTION_STATUS_CANCELLED",
                                      "TRANSACTION_STATUS_EXPIRED"}));
}

Order OrderWith(OrderStatus status, std::vector<TransactionStatus> transactions) {
  Order order;
  order.set_status(status);
  for (const TransactionStatus each : transactions) order.add_transactions()->set_status(each);
  return order;
}

TEST(DecideTest, OrderDecidesOnAHostedPageEvenAfterADecline) {
  const Decision decision = Decide(
      OrderWith(common::v1::ORDER_STATUS_PROCESSING, {common::v1::TRANSACTION_STATUS_DECLINED}),
      /*own_checkout=*/false);
  EXPECT_EQ(decision.what, events::v1::EVENT_WHAT_PROCESSING);
  EXPECT_EQ(decision.by, events::v1::DECIDED_BY_ORDER);
  EXPECT_FALSE(decision.final);
}

TEST(DecideTest, TheOneFinalTransactionDecidesInOwnCheckout) {
  const Decision decision = Decide(
      OrderWith(common::v1::ORDER_STATUS_PROCESSING, {common::v1::TRANSACTION_STATUS_DECLINED}),
      /*own_checkout=*/true);
  EXPECT_EQ(decision.what, events::v1::EVENT_WHAT_FAILED);
  EXPECT_EQ(decision.by, events::v1::DECIDED_BY_TRANSACTION);
  EXPECT_TRUE(decision.final);
}

TEST(DecideTest, SeveralTransactionsOrOneNotFinalLeaveTheDecisionToTheOrder) {
  for (const auto& transactions : std::vector<std::vector<TransactionStatus>>{
           {},
           {common::v1::TRANSACTION_STATUS_ACCEPTED},
           {common::v1::TRANSACTION_STATUS_UNSPECIFIED},
           {common::v1::TRANSACTION_STATUS_DECLINED, common::v1::TRANSACTION_STATUS_COMPLETED}}) {
    const Decision decision =
        Decide(OrderWith(common::v1::ORDER_STATUS_PROCESSING, transactions), true);
    EXPECT_EQ(decision.by, events::v1::DECIDED_BY_ORDER);
    EXPECT_FALSE(decision.final);
  }
}

TEST(DecideTest, AnOrderThatEndedIsNotOverruledByItsTransaction) {
  const Decision decision = Decide(
      OrderWith(common::v1::ORDER_STATUS_ERROR, {common::v1::TRANSACTION_STATUS_COMPLETED}), true);
  EXPECT_EQ(decision.what, events::v1::EVENT_WHAT_FAILED);
  EXPECT_TRUE(decision.final);
}

}  // namespace
}  // namespace tollbridge::domain
