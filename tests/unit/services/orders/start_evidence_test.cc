#include "services/orders/start_evidence.h"

#include "tests/unit/services/orders/orders_fixture.h"

namespace tollbridge::orders {
namespace {

using ::testing::ElementsAre;

class StartEvidenceTest : public OrdersTest {
 protected:
  common::v1::Transaction& Transaction() { return *Root().mutable_transactions(0); }
  operations::Finding Look() { return OrdersTest::Look(InitiateStep()); }
};

TEST_F(StartEvidenceTest, MayRunAgainSinceTheServiceRefusesARepeat) {
  for (const auto* kind : {&InitiateStep(), &AuthenticateStep(), &ExecuteWalletBStep()}) {
    EXPECT_EQ(kind->on_absence, operations::OnAbsence::kNotExecuted);
    EXPECT_TRUE(kind->service_guards_repeat);
    EXPECT_FALSE(kind->by_search);
    EXPECT_FALSE(kind->late_effect_is_orphan);
    EXPECT_THAT(kind->same_effect, ElementsAre("initiate", "authenticate", "execute_wallet_b"));
  }
  EXPECT_EQ(InitiateStep().name, "initiate");
  EXPECT_EQ(AuthenticateStep().name, "authenticate");
  EXPECT_EQ(ExecuteWalletBStep().name, "execute_wallet_b");
}

TEST_F(StartEvidenceTest, ANewTransactionWasNotStarted) {
  Root();
  EXPECT_THAT(Look(), Is(kAbsent));
  EXPECT_THAT(service_.reads, ElementsAre(kOrderId));
}

TEST_F(StartEvidenceTest, AnyOtherStatusTellsOfAStart) {
  for (const auto status :
       {common::v1::TRANSACTION_STATUS_ACCEPTED, common::v1::TRANSACTION_STATUS_PENDING,
        common::v1::TRANSACTION_STATUS_COMPLETED, common::v1::TRANSACTION_STATUS_DECLINED,
        common::v1::TRANSACTION_STATUS_ERROR}) {
    Transaction().set_status(status);
    const operations::Finding finding = Look();
    EXPECT_THAT(finding, Is(kPresent)) << status;
    EXPECT_EQ(ResultAs<common::v1::Order>(finding).id(), kOrderId);
  }
}

TEST_F(StartEvidenceTest, AStatusThatWeDoNotKnowIsNotNewAndAMissingOneSaysNothing) {
  Transaction().clear_status();
  EXPECT_THAT(Look(), Is(kUndecided));
  Transaction().set_status_text("in-review");
  EXPECT_THAT(Look(), Is(kPresent));
}

TEST_F(StartEvidenceTest, AnEventTellsOfAStartBeforeTheStatusDoes) {
  Transaction().add_events()->set_event("new");
  Transaction().add_events()->set_event("page_viewed");
  EXPECT_THAT(Look(), Is(kAbsent));
  Transaction().add_events()->set_event("accepted");
  EXPECT_THAT(Look(), Is(kPresent));
}

TEST_F(StartEvidenceTest, OtherTransactionsOfTheOrderDoNotCount) {
  auto* other = Root().add_transactions();
  other->set_id(NewId(2));
  other->set_status(common::v1::TRANSACTION_STATUS_COMPLETED);
  EXPECT_THAT(Look(), Is(kAbsent));
}

TEST_F(StartEvidenceTest, WhatCannotBeReadIsOpen) {
  Root();
  service_.unreadable[kOrderId] = absl::UnavailableError("down");
  EXPECT_THAT(Look(), Is(kUndecided));
  service_.unreadable.clear();
  Root().set_id(NewId(9));
  EXPECT_THAT(Look(), Is(kUndecided)) << "another order";
}

TEST_F(StartEvidenceTest, AnOrderThatTheProjectDoesNotHaveIsNoTarget) {
  service_.unreadable[kOrderId] = NoSuchOrder();
  EXPECT_THAT(Look(), Is(kNoTarget));
  // Without the error object it may be of something in between.
  service_.unreadable[kOrderId] = domain::ToError({.http_status = 404});
  EXPECT_THAT(Look(), Is(kUndecided));
  service_.unreadable[kOrderId] = domain::ToError({.http_status = 404, .type = "ServerError"});
  EXPECT_THAT(Look(), Is(kUndecided));
}

TEST_F(StartEvidenceTest, ATransactionThatIsNotInItsOrderIsNoTarget) {
  Transaction().set_id(NewId(2));
  EXPECT_THAT(Look(), Is(kNoTarget));
  Root().add_transactions()->set_id("17");
  EXPECT_THAT(Look(), Is(kUndecided)) << "one that cannot be read may be ours";
  Root().clear_transactions();
  EXPECT_THAT(Look(), Is(kUndecided));
}

TEST_F(StartEvidenceTest, IdsAreTheSameInUpperCase) {
  Transaction().set_id(Upper(kTransactionId));
  Transaction().set_status(common::v1::TRANSACTION_STATUS_COMPLETED);
  EXPECT_THAT(Look(), Is(kPresent));
}

TEST_F(StartEvidenceTest, AuthenticateShowsTheOrderWithoutARedirect) {
  Transaction().set_status(common::v1::TRANSACTION_STATUS_PENDING);
  const operations::Finding finding = OrdersTest::Look(AuthenticateStep());
  EXPECT_THAT(finding, Is(kPresent));
  const auto& answer = ResultAs<payments::v1::AuthenticateAnswer>(finding);
  EXPECT_EQ(answer.order().id(), kOrderId);
  EXPECT_FALSE(answer.has_redirect_url());
  Transaction().set_status(common::v1::TRANSACTION_STATUS_NEW);
  EXPECT_THAT(OrdersTest::Look(AuthenticateStep()), Is(kAbsent));
}

TEST_F(StartEvidenceTest, AWalletBPaymentIsFoundAsItsOrderWithNothingOfTheAnswer) {
  Transaction().set_status(common::v1::TRANSACTION_STATUS_PENDING);
  const operations::Finding finding = OrdersTest::Look(ExecuteWalletBStep());
  ASSERT_THAT(finding, Is(kPresent));
  const auto& payment = ResultAs<payments::v1::WalletBPayment>(finding);
  EXPECT_EQ(payment.order().id(), kOrderId);
  EXPECT_FALSE(payment.has_is_successful());
  EXPECT_FALSE(payment.has_redirect_url());
  Transaction().set_status(common::v1::TRANSACTION_STATUS_NEW);
  EXPECT_THAT(OrdersTest::Look(ExecuteWalletBStep()), Is(kAbsent));
}

}  // namespace
}  // namespace tollbridge::orders
