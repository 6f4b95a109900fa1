#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/sandbox/order_book.h"
#include "tests/unit/services/sandbox/support.h"

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The rules by which orders change, and what the observer is told.
class OrderBookTest : public testing::Test {
 protected:
  Uuid Create(bool customer_picks, std::string capture_mode = "", std::int64_t amount = 1250) {
    Order order;
    order.amount = amount;
    order.currency = "EUR";
    order.customer_picks = customer_picks;
    if (!customer_picks) {
      Transaction transaction;
      transaction.payment_method = "credit-card";
      transaction.capture_mode = std::move(capture_mode);
      order.transactions.push_back(std::move(transaction));
    }
    return book_.Create(project_, std::move(order)).id;
  }

  const Order& Get(const Uuid& id) { return *book_.Find(id); }

  static std::vector<std::string> Events(const Transaction& transaction) {
    std::vector<std::string> events;
    for (const EventRecord& record : transaction.events) events.push_back(record.event);
    return events;
  }

  Clock clock_;
  Random random_{1};
  Ledger ledger_;
  std::vector<std::string> told_;
  Project project_ = DefaultProjects().front();
  OrderBook book_{&clock_, &random_, &ledger_,
                  [this](const Order& order) { told_.push_back(order.status); }};
};

TEST_F(OrderBookTest, NewOrderTellsNobody) {
  const Uuid id = Create(true);
  EXPECT_EQ(Get(id).status, "new");
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_THAT(ledger_.ToJson(), IsEmpty());
}

TEST_F(OrderBookTest, ApprovedOrderIsCompletedAndCharged) {
  const Uuid id = Create(true);
  EXPECT_FALSE(book_.Approve(id, "wallet-a-pay", "admin"));
  const Order& order = Get(id);
  EXPECT_EQ(order.status, "completed");
  EXPECT_TRUE(order.completed);
  ASSERT_EQ(order.transactions.size(), 1u);
  EXPECT_EQ(order.transactions[0].payment_method, "wallet-a-pay");
  EXPECT_THAT(Events(order.transactions[0]), ElementsAre("new", "accepted", "completed"));
  EXPECT_THAT(told_, ElementsAre("processing", "completed"));
  const boost::json::array ledger = ledger_.ToJson();
  ASSERT_EQ(ledger.size(), 1u);
  EXPECT_EQ(ledger[0].at("effect"), "charge");
  EXPECT_EQ(ledger[0].at("amount"), 1250);
  EXPECT_EQ(ledger[0].at("currency"), "EUR");
  EXPECT_EQ(ledger[0].at("order_id").as_string(), id.ToString());
  EXPECT_EQ(ledger[0].at("transaction_id").as_string(), order.transactions[0].id.ToString());
  EXPECT_EQ(ledger[0].at("caused_by"), "admin");
}

TEST_F(OrderBookTest, PreAuthorizationIsAuthorizedAndCapturable) {
  for (const char* mode : {"manual", "delayed"}) {
    const Uuid id = Create(false, mode);
    EXPECT_FALSE(book_.Approve(id, "", "hosted_page"));
    EXPECT_EQ(Get(id).status, "completed");
    EXPECT_TRUE(Get(id).transactions[0].is_capturable);
  }
  for (const boost::json::value& entry : ledger_.ToJson()) {
    EXPECT_EQ(entry.at("effect"), "authorize");
  }
  EXPECT_EQ(ledger_.ToJson().size(), 2u);
}

TEST_F(OrderBookTest, DeclineWithAChoiceLeavesTheOrderProcessing) {
  const Uuid id = Create(true);
  EXPECT_FALSE(book_.Decline(id, "credit-card"));
  EXPECT_EQ(Get(id).status, "processing");
  EXPECT_EQ(Get(id).transactions[0].status, "declined");
  EXPECT_THAT(told_, ElementsAre("processing"));
  EXPECT_THAT(ledger_.ToJson(), IsEmpty());
}

TEST_F(OrderBookTest, FurtherAttemptIsATransactionOfItsOwn) {
  const Uuid id = Create(true);
  EXPECT_FALSE(book_.Decline(id, "credit-card"));
  EXPECT_FALSE(book_.Decline(id, "wallet-a-pay"));
  EXPECT_FALSE(book_.Approve(id, "wallet-b-pay", "hosted_page"));
  const Order& order = Get(id);
  ASSERT_EQ(order.transactions.size(), 3u);
  EXPECT_EQ(order.transactions[0].status, "declined");
  EXPECT_EQ(order.transactions[1].status, "declined");
  EXPECT_EQ(order.transactions[2].status, "completed");
  EXPECT_EQ(order.status, "completed");
  EXPECT_THAT(told_, ElementsAre("processing", "completed"));
  EXPECT_EQ(ledger_.ToJson().size(), 1u);
}

TEST_F(OrderBookTest, DeclineWithoutAChoiceIsTheEnd) {
  const Uuid id = Create(false);
  EXPECT_FALSE(book_.Decline(id, ""));
  EXPECT_EQ(Get(id).status, "error");
  EXPECT_FALSE(Get(id).reason.empty());
  EXPECT_THAT(told_, ElementsAre("processing", "error"));
  EXPECT_THAT(ledger_.ToJson(), IsEmpty());
}

TEST_F(OrderBookTest, ExpiredOrderTakesItsOpenTransactionAlong) {
  const Uuid id = Create(false);
  EXPECT_FALSE(book_.Expire(id));
  EXPECT_EQ(Get(id).status, "expired");
  EXPECT_EQ(Get(id).transactions[0].status, "expired");
  EXPECT_THAT(told_, ElementsAre("expired"));
}

TEST_F(OrderBookTest, FinalOrderNeverChangesAgain) {
  const Uuid completed = Create(true);
  EXPECT_FALSE(book_.Approve(completed, "", "admin"));
  const Uuid error = Create(false);
  EXPECT_FALSE(book_.Decline(error, ""));
  const Uuid expired = Create(true);
  EXPECT_FALSE(book_.Expire(expired));
  told_.clear();
  for (const Uuid& id : {completed, error, expired}) {
    const std::string status = Get(id).status;
    const std::size_t attempts = Get(id).transactions.size();
    for (const auto& problem :
         {book_.Approve(id, "", "admin"), book_.Decline(id, ""), book_.Expire(id)}) {
      ASSERT_TRUE(problem) << status;
      EXPECT_EQ(problem->status, 409);
      EXPECT_EQ(problem->type, "TransactionAlreadyStarted");
    }
    EXPECT_EQ(Get(id).status, status);
    EXPECT_EQ(Get(id).transactions.size(), attempts);
  }
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_EQ(ledger_.ToJson().size(), 1u) << "paid once";
}

TEST_F(OrderBookTest, UnknownOrderIsNotFound) {
  const std::optional<ApiError> problem = book_.Approve(Uuid{}, "", "admin");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->status, 404);
}

TEST_F(OrderBookTest, OrderBelongsToItsProject) {
  const Uuid id = Create(true);
  EXPECT_NE(book_.FindOf(project_, id), nullptr);
  EXPECT_EQ(book_.FindOf(DefaultProjects()[1], id), nullptr);
}

TEST_F(OrderBookTest, ListsOldestFirst) {
  const Uuid first = Create(true);
  const Uuid second = Create(true);
  const std::vector<const Order*> all = book_.All();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]->id, first);
  EXPECT_EQ(all[1]->id, second);
  book_.Clear();
  EXPECT_THAT(book_.All(), IsEmpty());
  EXPECT_EQ(book_.Find(first), nullptr);
}

TEST(RandomTest, SameSeedGivesTheSameIdsAndNoneTwice) {
  Random one(7);
  Random same(7);
  Random other(8);
  std::set<Uuid> seen;
  for (int i = 0; i < 100; ++i) {
    const Uuid id = one.NewUuid();
    EXPECT_EQ(id, same.NewUuid());
    EXPECT_NE(id, other.NewUuid());
    EXPECT_TRUE(seen.insert(id).second);
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
