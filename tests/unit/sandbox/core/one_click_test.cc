#include <gtest/gtest.h>

#include "sandbox/core/payments.h"
#include "tests/unit/sandbox/core/world_test.h"

namespace tollbridge::sandbox {
namespace {

class OneClickTest : public WorldTest {
 protected:
  /// The first payment of a series, paid.
  Uuid First() {
    OrderDraft draft = Draft("credit-card");
    draft.order.transactions[0].details["one_click_type"] = "first";
    const Uuid order = Create(std::move(draft));
    EXPECT_FALSE(PayOnPage(order, kApprovedPan));
    return order;
  }
  OrderDraft Next(std::string_view field, std::string_view value) {
    OrderDraft draft = Draft("credit-card");
    draft.order.transactions[0].details["one_click_type"] = "one-click";
    draft.order.transactions[0].details[field] = value;
    return draft;
  }
};

TEST_F(OneClickTest, LaterPaymentNamesTheTokenAndWaitsForTheCustomer) {
  const Uuid first = First();
  const Uuid order = Create(Next("vault_token", Last(first).Detail("vault_token")));
  EXPECT_EQ(Status(order), OrderStatus::kNew);
  EXPECT_EQ(Last(order).Detail("truncated_pan"), "411111******1111");
  EXPECT_EQ(Last(order).Detail("setup_token"), "");
  EXPECT_TRUE(world_.payments.PayWithStoredCard(order, Last(order).id).ok());
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
}

TEST_F(OneClickTest, LaterPaymentMayNameTheFirstTransactionInstead) {
  const Uuid first = First();
  const Uuid order = Create(Next("first_transaction_id", Last(first).id.ToString()));
  EXPECT_TRUE(world_.payments.PayWithStoredCard(order, Last(order).id).ok());
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
}

TEST_F(OneClickTest, OperatorsApproveStoresACardAsThePageDoes) {
  OrderDraft draft = Draft("credit-card");
  draft.order.transactions[0].details["one_click_type"] = "first";
  const Uuid at_once = Create(draft);
  const Uuid after_a_decline = Create(draft);
  const Uuid card_was_declined = Create(std::move(draft));
  ASSERT_TRUE(world_.payments.Decline(after_a_decline).ok());
  ASSERT_FALSE(PayOnPage(card_was_declined, kDeclinedPan));
  for (const Uuid& first : {at_once, after_a_decline, card_was_declined}) {
    ASSERT_TRUE(world_.payments.Approve(first).ok());
    EXPECT_EQ(Status(first), OrderStatus::kCompleted);
    EXPECT_EQ(Last(first).Detail("truncated_pan").size(), 16U);
    EXPECT_FALSE(Last(first).payment_method_brand.empty());
    const Uuid order = Create(Next("vault_token", Last(first).Detail("vault_token")));
    EXPECT_TRUE(world_.payments.PayWithStoredCard(order, Last(order).id).ok());
    Create(Next("first_transaction_id", Last(first).id.ToString()));
  }
}

TEST_F(OneClickTest, NameInquiryRunsOnTheFirstTransactionOnly) {
  OrderDraft draft = Next("vault_token", Last(First()).Detail("vault_token"));
  draft.order.amount = 0;
  const Uuid order = Create(std::move(draft));
  EXPECT_TRUE(world_.payments.PayWithStoredCard(order, Last(order).id).ok());
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
  EXPECT_FALSE(Last(order).details.contains("ani_results"));
}

TEST_F(OneClickTest, UnknownTokensAndTransactionsAreRefused) {
  const std::string unknown = Uuid().ToString();
  for (const std::string_view field : {"vault_token", "first_transaction_id"}) {
    ExpectError(ErrorOf(world_.payments.Create(demo(), Next(field, unknown))), 422,
                "ValidationError");
  }
  // A payment that stored no card begins no series.
  const Uuid plain = Paid();
  ExpectError(ErrorOf(world_.payments.Create(
                  demo(), Next("first_transaction_id", Last(plain).id.ToString()))),
              422, "ValidationError");
}

TEST_F(OneClickTest, NeedsTheCustomer) {
  const Uuid first = First();
  const Uuid token = *Uuid::Parse(Last(first).Detail("vault_token"));
  const Uuid order = Create(Next("vault_token", token.ToString()));
  ExpectError(Initiate(order, token), 422, "ValidationError");
  ExpectError(Authenticate(order, token), 422, "ValidationError");
}

}  // namespace
}  // namespace tollbridge::sandbox
