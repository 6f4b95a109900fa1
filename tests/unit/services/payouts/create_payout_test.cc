// A payout is one operation of two or three steps, and no money moves before the last of them.

#include <string>
#include <vector>

#include "services/domain/mark.h"
#include "tests/unit/services/payouts/payouts_fixture.h"

namespace tollbridge::payouts {
namespace {

using ::testing::ElementsAre;

TEST_F(PayoutTest, ByCardIsThreeStepsOfOneOperation) {
  const operations::Reply reply = Pay(Request(true));

  const v1::CreatePayoutResponse result = Result(reply);
  EXPECT_EQ(result.order().amount(), 1200);
  EXPECT_EQ(result.knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
  EXPECT_THAT(store_.calls,
              ElementsAre("claim", "begin payout_card", "begin payout_authenticate", "finish"));
  EXPECT_EQ(Payouts(), 1U);
  const operations::v1::Operation record = Record("key");
  EXPECT_EQ(record.state(), operations::v1::OPERATION_STATE_DONE);
  EXPECT_EQ(record.order_id(), result.order().id());
  ASSERT_EQ(record.steps_size(), 3);
  const std::vector<std::string> names = {"payout_order", "payout_card", "payout_authenticate"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(record.steps(i).name(), names[static_cast<std::size_t>(i)]);
    EXPECT_EQ(record.steps(i).state(), operations::v1::STEP_STATE_DONE);
  }
  EXPECT_EQ(record.steps(2).order_id(), result.order().id());
  EXPECT_EQ(record.steps(2).transaction_id(), result.order().transactions(0).id());
  EXPECT_EQ(Pay(Request(true)).response, reply.response);
  EXPECT_EQ(Payouts(), 1U);
}

TEST_F(PayoutTest, ByVaultTokenIsTwoStepsWithTheSecurityCode) {
  v1::CreatePayoutRequest request = Request(false);
  request.set_cvc("123");
  EXPECT_TRUE(Result(Pay(request)).has_order());
  EXPECT_THAT(store_.calls, ElementsAre("claim", "begin payout_authenticate", "finish"));
  const auto& sent = Last<payments::v1::AuthenticateTransactionRequest>(Function::kAuthenticate);
  EXPECT_EQ(sent.vault_token(), kToken);
  EXPECT_EQ(sent.cvc(), "123");
  EXPECT_EQ(payout_service_.CallsOf(Function::kStoreCard), 0U);
}

TEST_F(PayoutTest, TheOrderIsCreatedWithoutAnyCard) {
  for (const bool with_card : {true, false}) {
    v1::CreatePayoutRequest request = Request(with_card);
    request.set_idempotency_key(with_card ? "card" : "token");
    request.set_merchant_name("shop");
    (*request.mutable_extra()->mutable_fields())["a"].set_string_value("b");
    Result(Pay(request));
    const payments::v1::CreateOrderRequest& sent = payout_service_.created().back().request;
    ASSERT_EQ(sent.transactions_size(), 1);
    EXPECT_EQ(sent.transactions(0).payment_method(), "credit-card-oct");
    // With it, the payout would run in this very request (docs/adr/0014).
    EXPECT_FALSE(sent.transactions(0).has_payment_method_details());
    EXPECT_EQ(sent.merchant_name(), "shop");
    EXPECT_EQ(sent.customer().first_name(), "A");
    EXPECT_EQ(sent.extra().fields().at("a").string_value(), "b");
    const auto mark =
        domain::ParseMark(sent.extra().fields().at(std::string(domain::kMarkField)).string_value());
    ASSERT_TRUE(mark.has_value());
    EXPECT_EQ(mark->operation.ToString(), sent.merchant_order_id());
  }
}

TEST_F(PayoutTest, TheCardIsStoredForTheOrderAndPaidTo) {
  Result(Pay(Request(true)));
  const auto& card = Last<vault::v1::StoreCardRequest>(Function::kStoreCard);
  EXPECT_EQ(card.pan(), "4111111111111111");
  EXPECT_EQ(card.expiry(), "122030");
  EXPECT_EQ(card.name(), "A Cardholder");
  EXPECT_FALSE(card.setup_token().empty());
  const auto& sent = Last<payments::v1::AuthenticateTransactionRequest>(Function::kAuthenticate);
  EXPECT_EQ(sent.vault_token(), Uuid::V5(Uuid{}, "card of " + card.setup_token()).ToString());
  EXPECT_FALSE(sent.has_cvc());
}

TEST_F(PayoutTest, ADeclineIsAResult) {
  payments::v1::AuthenticateAnswer declined;
  *declined.mutable_order() = [] {
    common::v1::Order order;
    order.set_id("0b8a1f5e-7f5c-4a0e-9d53-0c6f2f6c1a01");
    order.set_status(common::v1::ORDER_STATUS_ERROR);
    order.set_reason("declined");
    return order;
  }();
  FakePaymentService::Answer answer;
  answer.fate = FakePaymentService::Answer::Fate::kAnswered;
  answer.result = std::make_shared<payments::v1::AuthenticateAnswer>(declined);
  payout_service_.AnswerNext(Function::kAuthenticate, answer);

  const operations::Reply reply = Pay(Request(true));

  EXPECT_EQ(Result(reply).order().status(), common::v1::ORDER_STATUS_ERROR);
  EXPECT_EQ(Pay(Request(true)).response, reply.response);
}

/// A step before the last, and how it fails.
struct EarlyFailure {
  Function step = Function::kCreateOrder;
  std::string name;
  FakePaymentService::Answer answer;
  bool lose_answer = false;
  std::string reason;
};

class EarlyFailureTest : public PayoutTest, public testing::WithParamInterface<EarlyFailure> {};

TEST_P(EarlyFailureTest, IsNotExecutedAndTheNextRunStartsWithANewOrder) {
  const EarlyFailure& failure = GetParam();
  if (failure.lose_answer) {
    payout_service_.LoseNextAnswer(failure.step);
  } else {
    payout_service_.AnswerNext(failure.step, failure.answer);
  }

  const operations::Reply reply = Pay(Request(true));

  EXPECT_EQ(domain::ReasonOf(reply.status), failure.reason);
  EXPECT_EQ(State("key"), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(payout_service_.CallsOf(Function::kAuthenticate), 0U);
  const std::size_t orders = Orders();
  EXPECT_EQ(Result(Pay(Request(true))).knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
  EXPECT_EQ(Orders(), orders + 1);
  EXPECT_EQ(Payouts(), 1U);
  EXPECT_EQ(Record("key").attempt(), 2U);
}

std::vector<EarlyFailure> EarlyFailures() {
  std::vector<EarlyFailure> failures;
  for (const Function step : {Function::kCreateOrder, Function::kStoreCard}) {
    const std::string of = step == Function::kCreateOrder ? "Order" : "Card";
    failures.push_back({step, of + "Refused", FakePaymentService::Refused(422, "ValidationError"),
                        false, "UPSTREAM_REFUSED"});
    failures.push_back({step, of + "WithoutCredentials",
                        FakePaymentService::Refused(401, "AuthenticationError"), false,
                        "UPSTREAM_CREDENTIALS"});
    failures.push_back(
        {step, of + "NotSent", FakePaymentService::NotSent("breaker open"), false, "NOT_SENT"});
    failures.push_back({step, of + "LostBefore", FakePaymentService::NoAnswer("connection reset"),
                        false, "UPSTREAM_UNAVAILABLE"});
    failures.push_back({step, of + "LostAfter", {}, true, "UPSTREAM_UNAVAILABLE"});
  }
  return failures;
}

INSTANTIATE_TEST_SUITE_P(Steps, EarlyFailureTest, testing::ValuesIn(EarlyFailures()),
                         [](const auto& info) { return info.param.name; });

TEST_F(PayoutTest, AnAnswerWithoutWhatTheNextStepNeedsIsNotExecuted) {
  common::v1::Order bare;
  bare.set_id("0b8a1f5e-7f5c-4a0e-9d53-0c6f2f6c1a01");
  payout_service_.AnswerNext(Function::kCreateOrder, FakePaymentService::Answered(bare));
  EXPECT_FALSE(Pay(Request(true)).status.ok());
  EXPECT_EQ(State("key"), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(payout_service_.CallsOf(Function::kStoreCard), 0U);
  EXPECT_EQ(Payouts(), 0U);
}

TEST_F(PayoutTest, AnOrderOfAnotherAmountIsForAPersonAndIsNotPaid) {
  payments::v1::CreateOrderRequest other;
  other.set_amount(1201);
  other.set_currency("EUR");
  other.add_transactions()->set_payment_method("credit-card-oct");
  payout_service_.AnswerNext(Function::kCreateOrder,
                             FakePaymentService::Answered(payout_service_.MakeOrder(other)));
  EXPECT_TRUE(Result(Pay(Request(true))).has_pending());
  const operations::v1::Operation record = Record("key");
  EXPECT_EQ(record.state(), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(record.review_reason(), ports::review::kAmountDiffers);
  EXPECT_EQ(record.steps_size(), 1);
  EXPECT_FALSE(record.order_id().empty());
  EXPECT_EQ(payout_service_.CallsOf(Function::kStoreCard), 0U);
  EXPECT_EQ(Payouts(), 0U);
}

TEST_F(PayoutTest, AnExpiredCardIsRefusedButAStoredOutcomeIsAnswered) {
  v1::CreatePayoutRequest request = Request(true);
  const operations::Reply paid = Pay(request);
  request.set_idempotency_key("late");
  request.mutable_card()->set_expiry("012001");
  EXPECT_EQ(Pay(request).status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Orders(), 1U);
  EXPECT_EQ(Pay(Request(true)).response, paid.response);
}

}  // namespace
}  // namespace tollbridge::payouts
