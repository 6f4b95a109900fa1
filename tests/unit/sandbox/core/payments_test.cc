#include "sandbox/core/payments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/sandbox/core/world_test.h"

namespace tollbridge::sandbox {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class PaymentsTest : public WorldTest {};

constexpr std::string_view kAlreadyStarted = "TransactionAlreadyStarted";
constexpr std::string_view kNotInThisState = "CanNotCancelTransaction";

TEST_F(PaymentsTest, ApprovedOnThePageCompletesTransactionAndOrderAtOnce) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(PayOnPage(order, kApprovedPan));
  EXPECT_EQ(Last(order).status, TransactionStatus::kCompleted);
  EXPECT_THAT(ChangesOf(order), ElementsAre(OrderStatus::kProcessing, OrderStatus::kCompleted));
  EXPECT_EQ(Last(order).response_code, "00");
  EXPECT_EQ(Last(order).payment_method_brand, "network-a");
  EXPECT_EQ(Last(order).Detail("truncated_pan"), "411111******1111");
  EXPECT_THAT(Effects(), ElementsAre(Effect::kCharge));
}

TEST_F(PaymentsTest, CardEnteredForOnePaymentIsNotKept) {
  const Uuid order = Paid();
  EXPECT_EQ(Last(order).Detail("vault_token"), "");
  EXPECT_EQ(world_.vault.Find(demo().id, *Last(order).card), nullptr);
}

TEST_F(PaymentsTest, EachDeclinedCardGivesItsCodeAndAReason) {
  for (const TestCard& card : TestCards()) {
    if (card.outcome != CardOutcome::kDeclined) continue;
    const Uuid order = Create("credit-card");
    EXPECT_FALSE(PayOnPage(order, card.pan));
    EXPECT_EQ(Last(order).status, TransactionStatus::kDeclined);
    EXPECT_EQ(Last(order).response_code, card.response_code);
    EXPECT_EQ(Status(order), OrderStatus::kError);
    EXPECT_EQ(Get(order).reason, "declined: " + std::string(card.response_code_description));
  }
  EXPECT_THAT(Effects(), IsEmpty());
}

TEST_F(PaymentsTest, WhereTheCustomerPicksADeclineLeavesTheOrderOpenForAnotherTry) {
  const Uuid order = Create("");
  ASSERT_FALSE(ErrorOf(world_.payments.ChooseMethod(order, "credit-card")));
  EXPECT_FALSE(PayOnPage(order, kDeclinedPan));
  EXPECT_EQ(Status(order), OrderStatus::kProcessing);
  ASSERT_FALSE(ErrorOf(world_.payments.ChooseMethod(order, "credit-card")));
  EXPECT_FALSE(PayOnPage(order, kApprovedPan));
  EXPECT_THAT(ChangesOf(order), ElementsAre(OrderStatus::kProcessing, OrderStatus::kCompleted));
  EXPECT_EQ(Get(order).transactions.size(), 2U);
}

TEST_F(PaymentsTest, ASecondTransactionThatSucceedsLateMakesTheOrderSeeTransactions) {
  const Uuid order = Create("");
  ASSERT_FALSE(ErrorOf(world_.payments.ChooseMethod(order, "credit-card")));
  EXPECT_FALSE(PayOnPage(order, kLatePan));
  ASSERT_FALSE(ErrorOf(world_.payments.ChooseMethod(order, "credit-card")));
  EXPECT_FALSE(PayOnPage(order, kApprovedPan));
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
  Advance(seconds(kSlowIssuerSeconds));
  EXPECT_EQ(Status(order), OrderStatus::kSeeTransactions);
  EXPECT_THAT(Effects(), ElementsAre(Effect::kCharge, Effect::kCharge));
}

TEST_F(PaymentsTest, ChallengeWaitsForTheCustomerAndThenCompletes) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(PayOnPage(order, kChallengePan));
  EXPECT_EQ(Last(order).status, TransactionStatus::kPending);
  EXPECT_THAT(Effects(), IsEmpty());
  EXPECT_TRUE(world_.payments.EndChallenge(order, Last(order).id, true).ok());
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
  EXPECT_TRUE(Last(order).details.at("liability_shift").as_bool());
}

TEST_F(PaymentsTest, ChallengeThatTheCustomerFailsDeclines) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(PayOnPage(order, kChallengePan));
  EXPECT_TRUE(world_.payments.EndChallenge(order, Last(order).id, false).ok());
  EXPECT_EQ(Last(order).status, TransactionStatus::kDeclined);
  EXPECT_EQ(Status(order), OrderStatus::kError);
}

TEST_F(PaymentsTest, ChallengeOfTheFailingCardDeclinesWhateverTheCustomerDoes) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(PayOnPage(order, kChallengeFailsPan));
  EXPECT_TRUE(world_.payments.EndChallenge(order, Last(order).id, true).ok());
  EXPECT_EQ(Last(order).status, TransactionStatus::kDeclined);
}

TEST_F(PaymentsTest, InitiateAnswersAcceptedAndCompletesAMomentLater) {
  const Uuid order = Create("credit-card");
  const Uuid card = Store(order, kApprovedPan);
  EXPECT_FALSE(Initiate(order, card));
  EXPECT_EQ(Last(order).status, TransactionStatus::kAccepted);
  EXPECT_EQ(Status(order), OrderStatus::kProcessing);
  EXPECT_EQ(Last(order).Detail("approval_code").size(), 6U);
  EXPECT_EQ(Last(order).Detail("vault_token"), card.ToString());
  EXPECT_EQ(Last(order).Detail("schedule_type"), "unscheduled");
  EXPECT_EQ(Last(order).Detail("setup_token"), "");
  Advance(seconds(1));
  EXPECT_EQ(Last(order).status, TransactionStatus::kCompleted);
  EXPECT_THAT(Effects(), ElementsAre(Effect::kCharge));
}

TEST_F(PaymentsTest, OwnCheckoutOrderStaysProcessingForSixtyMinutes) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(Authenticate(order, Store(order, kApprovedPan)));
  EXPECT_EQ(Last(order).status, TransactionStatus::kCompleted);
  Advance(minutes(60) - Millis{1});
  EXPECT_EQ(Status(order), OrderStatus::kProcessing);
  Advance(Millis{1});
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
}

TEST_F(PaymentsTest, OwnCheckoutOrderDoesNotExpireWhileItsTransactionIsPaid) {
  OrderDraft draft = Draft("credit-card");
  draft.order.expiration_period = "PT5M";
  const Uuid order = Create(std::move(draft));
  EXPECT_FALSE(Authenticate(order, Store(order, kApprovedPan)));
  Advance(minutes(30));
  EXPECT_EQ(Status(order), OrderStatus::kProcessing);
  Advance(minutes(30));
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
}

TEST_F(PaymentsTest, DeclineInOwnCheckoutEndsTheOrderAtOnce) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(Initiate(order, Store(order, kDeclinedPan)));
  EXPECT_EQ(Status(order), OrderStatus::kError);
}

TEST_F(PaymentsTest, WhereTheCustomerPicksTheMerchantCannotExecute) {
  const Uuid card = Store(Create("credit-card"), kApprovedPan);
  const Uuid order = Create("");
  ASSERT_FALSE(ErrorOf(world_.payments.ChooseMethod(order, "credit-card")));
  ExpectError(Initiate(order, card), 422, "ValidationError");
  ExpectError(Authenticate(order, card), 422, "ValidationError");
}

TEST_F(PaymentsTest, SecondStartIsRefusedAndChargesNothing) {
  const Uuid order = Create("credit-card");
  const Uuid card = Store(order, kApprovedPan);
  EXPECT_FALSE(Initiate(order, card));
  ExpectError(Initiate(order, card), 409, kAlreadyStarted);
  ExpectError(Authenticate(order, card), 409, kAlreadyStarted);
  Advance(hours(2));
  ExpectError(Initiate(order, card), 409, kAlreadyStarted);
  EXPECT_THAT(Effects(), ElementsAre(Effect::kCharge));
}

TEST_F(PaymentsTest, WhatEndedWithoutAStartIsNotSaidToBeStarted) {
  const Uuid ended[] = {Create("credit-card"), Create("credit-card")};
  const Uuid card = Store(ended[0], kApprovedPan);
  ASSERT_TRUE(world_.payments.Expire(ended[0]).ok());
  ASSERT_TRUE(world_.payments.Cancel(ended[1]).ok());
  for (const Uuid& order : ended) {
    ExpectError(Initiate(order, card), 409, kNotInThisState);
    ExpectError(Authenticate(order, card), 409, kNotInThisState);
  }
  // A challenge is a start, if one without an end.
  const Uuid challenged = Create("credit-card");
  EXPECT_FALSE(PayOnPage(challenged, kChallengePan));
  ASSERT_TRUE(world_.payments.Expire(challenged).ok());
  ExpectError(Initiate(challenged, card), 409, kAlreadyStarted);
}

TEST_F(PaymentsTest, WithoutTheCustomerAChallengeCardIsDeclined) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(Initiate(order, Store(order, kChallengePan)));
  EXPECT_EQ(Last(order).response_code, "65");
}

TEST_F(PaymentsTest, ExternalAuthenticationNeedsNoChallengeAndShowsItsValues) {
  const Uuid order = Create("credit-card");
  const Uuid card = Store(order, kChallengePan);
  EXPECT_FALSE(Authenticate(order, card,
                            ExternalAuthentication{.cavv = "AAAB",
                                                   .version = "2.2.0",
                                                   .method_used = "challenge",
                                                   .ds_transaction_id = "ds-1"}));
  EXPECT_EQ(Last(order).status, TransactionStatus::kCompleted);
  const auto& shown = Last(order).details.at("external_authentication_details").as_object();
  EXPECT_EQ(shown.at("authenticationValue"), "AAAB");
  EXPECT_EQ(shown.at("protocolVersion"), "2.2.0");
  EXPECT_EQ(shown.at("methodUsed"), "challenge");
  EXPECT_EQ(shown.at("dsTransID"), "ds-1");
}

TEST_F(PaymentsTest, IssuerErrorEndsInErrorOnBothLevels) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(Authenticate(order, Store(order, kIssuerErrorPan)));
  EXPECT_EQ(Last(order).status, TransactionStatus::kError);
  EXPECT_EQ(Get(order).reason, "issuer unavailable");
}

TEST_F(PaymentsTest, LostAnswerIsA502AndStillEndsInOneCharge) {
  const Uuid order = Create("credit-card");
  ExpectError(Authenticate(order, Store(order, kAnswerLostPan)), 502,
              "FailedToFetchTransactionInformation");
  EXPECT_EQ(Last(order).status, TransactionStatus::kAccepted);
  Advance(seconds(kSlowIssuerSeconds));
  EXPECT_EQ(Last(order).status, TransactionStatus::kCompleted);
  EXPECT_THAT(Effects(), ElementsAre(Effect::kCharge));
}

TEST_F(PaymentsTest, StoredCardsOfAnotherProjectAreUnknown) {
  const Uuid order = Create("credit-card");
  const Uuid card = Store(order, kApprovedPan);
  auto created = world_.payments.Create(shop(), Draft("credit-card"));
  const Order& other = **created;
  ExpectError(ErrorOf(world_.payments.Initiate(shop(), other.id, other.transactions[0].id, card)),
              422, "ValidationError");
  ExpectError(ErrorOf(world_.payments.Initiate(demo(), other.id, other.transactions[0].id, card)),
              404, "NotFound");
}

TEST_F(PaymentsTest, AmountZeroVerifiesTheCardAndMovesNoMoney) {
  OrderDraft draft = Draft("credit-card", 0);
  draft.order.transactions[0].details["one_click_type"] = "first";
  const Uuid order = Create(std::move(draft));
  EXPECT_FALSE(PayOnPage(order, kApprovedPan));
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
  EXPECT_THAT(Effects(), IsEmpty());
  const auto& inquiry = Last(order).details.at("ani_results").as_object();
  EXPECT_EQ(inquiry.at("status"), "00");
  EXPECT_EQ(inquiry.at("match"), "01");
  EXPECT_NE(Last(order).Detail("vault_token"), "");
}

TEST_F(PaymentsTest, NameInquiryAnswersAsEachCardSays) {
  for (const TestCard& card : TestCards()) {
    if (card.outcome != CardOutcome::kApproved || !card.aft_allowed || !card.oct_allowed) continue;
    const Uuid order = Create("credit-card", 0);
    EXPECT_FALSE(PayOnPage(order, card.pan));
    const auto* inquiry = Last(order).details.if_contains("ani_results");
    ASSERT_EQ(inquiry != nullptr, !card.ani_status.empty()) << card.purpose;
    if (inquiry == nullptr) continue;
    EXPECT_EQ(inquiry->as_object().at("status").as_string(), card.ani_status);
    EXPECT_EQ(inquiry->as_object().contains("match"), !card.ani_match.empty());
  }
}

TEST_F(PaymentsTest, NoNameInquiryWithoutANameOrWithAnAmount) {
  const Uuid nameless = Create("credit-card", 0);
  EXPECT_TRUE(
      world_.payments.PayWithCard(nameless, Last(nameless).id, Card(kApprovedPan, "")).ok());
  EXPECT_FALSE(Last(nameless).details.contains("ani_results"));
  EXPECT_FALSE(Last(Paid()).details.contains("ani_results"));
}

TEST_F(PaymentsTest, NameInquiryTellsItsCodesInWords) {
  const struct {
    std::string_view pan;
    std::string_view status;
    std::string_view match;  ///< "": none
  } rows[] = {{kApprovedPan, "performed", "full match"},
              {"4000000000000713", "performed", "partial match"},
              {"4000000000000721", "performed", "no match"},
              {"4000000000000739", "requested but not performed", ""},
              {"4000000000000747", "requested but issuer does not support it", ""}};
  for (const auto& [pan, status, match] : rows) {
    const Uuid order = Create("credit-card", 0);
    EXPECT_FALSE(PayOnPage(order, pan));
    const auto& inquiry = Last(order).details.at("ani_results").as_object();
    EXPECT_EQ(inquiry.at("status_description").as_string(), status);
    EXPECT_EQ(inquiry.contains("match_description"), !match.empty());
    if (!match.empty()) EXPECT_EQ(inquiry.at("match_description").as_string(), match);
  }
}

TEST_F(PaymentsTest, NoNameInquiryWhereASeriesIsContinued) {
  OrderDraft draft = Draft("credit-card", 0);
  draft.order.transactions[0].details["recurring_type"] = "recurring";
  draft.order.transactions[0].details["first_network_transaction_id"] = "N-1";
  const Uuid order = Create(std::move(draft));
  EXPECT_FALSE(Initiate(order, Store(order, kApprovedPan)));
  Advance(seconds(1));
  EXPECT_EQ(Last(order).status, TransactionStatus::kCompleted);
  EXPECT_FALSE(Last(order).details.contains("ani_results"));
}

TEST_F(PaymentsTest, VerifyingACardStillAsksForTheChallenge) {
  OrderDraft draft = Draft("credit-card", 0);
  draft.order.transactions[0].details["one_click_type"] = "first";
  const Uuid order = Create(std::move(draft));
  EXPECT_FALSE(PayOnPage(order, kChallengePan));
  EXPECT_EQ(Last(order).status, TransactionStatus::kPending);
  EXPECT_TRUE(world_.payments.EndChallenge(order, Last(order).id, true).ok());
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
  EXPECT_NE(Last(order).Detail("vault_token"), "");
  EXPECT_THAT(Effects(), IsEmpty());
}

class PayoutTest : public PaymentsTest {
 protected:
  static OrderDraft Payout() {
    OrderDraft draft = Draft("credit-card-oct");
    draft.order.transactions[0].transaction_type = "oct";
    draft.order.transactions[0].debit = true;
    draft.order.customer = R"({"country":"DE"})";
    return draft;
  }
};

TEST_F(PayoutTest, AuthenticateRunsItWithoutHold) {
  const Uuid order = Create(Payout());
  EXPECT_FALSE(Authenticate(order, Store(order, kApprovedPan)));
  EXPECT_EQ(Last(order).status, TransactionStatus::kAccepted);
  Advance(seconds(1));
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
  EXPECT_EQ(Last(order).Detail("consumer_country"), "DE");
  EXPECT_THAT(Effects(), ElementsAre(Effect::kPayout));
}

TEST_F(PayoutTest, WithAStoredCardItRunsRightAfterCreation) {
  const Uuid earlier = Create(Payout());
  const Uuid card = Store(earlier, kApprovedPan);
  OrderDraft draft = Payout();
  draft.order.transactions[0].details["vault_token"] = card.ToString();
  const Uuid order = Create(std::move(draft));
  EXPECT_EQ(Status(order), OrderStatus::kProcessing);
  Advance(seconds(1));
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
}

TEST_F(PayoutTest, AnswerToCreateMayBeLostAndThePayoutRunsAllTheSame) {
  OrderDraft draft = Payout();
  draft.order.transactions[0].details["vault_token"] =
      Store(Create(Payout()), kAnswerLostPan).ToString();
  ExpectError(ErrorOf(world_.payments.Create(demo(), std::move(draft))), 502,
              "FailedToFetchTransactionInformation");
  Advance(seconds(kSlowIssuerSeconds));
  EXPECT_EQ(Status(world_.orders.by_creation().back()), OrderStatus::kCompleted);
  EXPECT_THAT(Effects(), ElementsAre(Effect::kPayout));
}

TEST_F(PayoutTest, CardThatTakesNoPayoutsIsDeclined) {
  const Uuid order = Create(Payout());
  EXPECT_FALSE(Authenticate(order, Store(order, "4000000000000622")));
  EXPECT_EQ(Last(order).response_code, "57");
  EXPECT_EQ(Status(order), OrderStatus::kError);
}

TEST_F(PayoutTest, CannotBeInitiatedOrPaidOnAPage) {
  const Uuid order = Create(Payout());
  ExpectError(Initiate(order, Store(order, kApprovedPan)), 422, "ValidationError");
  ExpectError(PayOnPage(order, kApprovedPan), 422, "ValidationError");
}

TEST_F(PaymentsTest, AccountFundingIsDeclinedForACardThatDoesNotAllowIt) {
  OrderDraft draft = Draft("credit-card");
  draft.order.transactions[0].transaction_type = "aft";
  const Uuid order = Create(std::move(draft));
  EXPECT_FALSE(PayOnPage(order, "4000000000000614"));
  EXPECT_EQ(Last(order).response_code, "57");
}

TEST_F(PaymentsTest, WhatIsNotActiveForTheProjectIsRefusedAndNotStored) {
  World strict(
      [] {
        Settings settings;
        Project& project = settings.projects[0];
        project.aft = project.payouts = false;
        project.payment_methods = {"credit-card", "credit-card-oct"};
        project.currencies = {"EUR"};
        return settings;
      }(),
      7, ParseTime("2026-11-21T08:00:00Z"));
  const Project& project = strict.simulation.settings.projects[0];
  std::vector<OrderDraft> drafts(5, Draft("credit-card"));
  drafts[0].order.currency = "USD";
  drafts[1].order.payment_methods = {{"wallet-a-pay"}};
  drafts[2].order.transactions[0].payment_method = "wallet-b-pay";
  drafts[3].order.transactions[0].transaction_type = "aft";
  drafts[4].order.transactions[0].transaction_type = "oct";
  for (OrderDraft& draft : drafts) {
    ExpectError(ErrorOf(strict.payments.Create(project, std::move(draft))), 422, "ValidationError");
  }
  EXPECT_THAT(strict.orders.by_id(), IsEmpty());
}

TEST_F(PaymentsTest, WalletBWithCryptogramSkipsTheChallengeAndWithoutOneDoesNot) {
  const Uuid device = Create("wallet-b-pay");
  EXPECT_TRUE(
      world_.payments.ExecuteWalletB(device, Last(device).id, Store(device, kChallengePan), true)
          .ok());
  EXPECT_EQ(Last(device).status, TransactionStatus::kCompleted);
  const Uuid pan_only = Create("wallet-b-pay");
  EXPECT_TRUE(
      world_.payments
          .ExecuteWalletB(pan_only, Last(pan_only).id, Store(pan_only, kChallengePan), false)
          .ok());
  EXPECT_EQ(Last(pan_only).status, TransactionStatus::kPending);
}

TEST_F(PaymentsTest, WalletOnThePageEndsAsTheCustomerPicks) {
  const Uuid good = Create("wallet-a-pay");
  EXPECT_TRUE(world_.payments.PayWithWallet(good, Last(good).id, true).ok());
  EXPECT_EQ(Status(good), OrderStatus::kCompleted);
  const Uuid bad = Create("wallet-a-pay");
  EXPECT_TRUE(world_.payments.PayWithWallet(bad, Last(bad).id, false).ok());
  EXPECT_EQ(Status(bad), OrderStatus::kError);
}

TEST_F(PaymentsTest, CancelEndsANewOrderAndIsRefusedWhileAPaymentIsUnderWay) {
  const Uuid order = Create("credit-card");
  EXPECT_TRUE(world_.payments.Cancel(order).ok());
  EXPECT_EQ(Status(order), OrderStatus::kCancelled);
  EXPECT_EQ(Last(order).status, TransactionStatus::kCancelled);
  ExpectError(ErrorOf(world_.payments.Cancel(order)), 409, "CanNotCancelTransaction");
  const Uuid slow = Create("credit-card");
  EXPECT_FALSE(PayOnPage(slow, kLatePan));
  ExpectError(ErrorOf(world_.payments.Cancel(slow)), 409, "CanNotCancelTransaction");
}

TEST_F(PaymentsTest, OrdersExpireByTheirPeriodAndByDefaultAfterADay) {
  OrderDraft draft = Draft("credit-card");
  draft.order.expiration_period = "PT1H";
  const Uuid hour = Create(std::move(draft));
  const Uuid day = Create("");
  Advance(hours(1) - Millis{1});
  EXPECT_EQ(Status(hour), OrderStatus::kNew);
  Advance(Millis{1});
  EXPECT_EQ(Status(hour), OrderStatus::kExpired);
  EXPECT_EQ(Last(hour).status, TransactionStatus::kExpired);
  Advance(hours(23));
  EXPECT_EQ(Status(day), OrderStatus::kExpired);
}

TEST_F(PaymentsTest, OrderWhosePeriodEndsDuringASlowPaymentExpiresOnlyIfThatFails) {
  OrderDraft draft = Draft("credit-card");
  draft.order.expiration_period = "PT10S";
  const Uuid order = Create(std::move(draft));
  EXPECT_FALSE(PayOnPage(order, kLatePan));
  Advance(seconds(20));
  EXPECT_EQ(Status(order), OrderStatus::kProcessing);
  Advance(seconds(10));
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
}

TEST_F(PaymentsTest, FailedOrderMayStillCompleteLater) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(PayOnPage(order, kDeclinedPan));
  EXPECT_TRUE(world_.payments.Approve(order).ok());
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
  EXPECT_EQ(Last(order).status, TransactionStatus::kCompleted);
  EXPECT_EQ(Get(order).reason, "");
  EXPECT_THAT(Effects(), ElementsAre(Effect::kCharge));
}

TEST_F(PaymentsTest, PaymentThatTheIssuerFailedMayStillCompleteLater) {
  const Uuid order = Create("credit-card");
  EXPECT_FALSE(PayOnPage(order, kIssuerErrorPan));
  EXPECT_EQ(Last(order).status, TransactionStatus::kError);
  EXPECT_TRUE(world_.payments.Approve(order).ok());
  EXPECT_EQ(Last(order).status, TransactionStatus::kCompleted);
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
}

TEST_F(PaymentsTest, OpenChallengeEndsWithItsOrder) {
  const Uuid cancelled = Create("credit-card");
  EXPECT_FALSE(PayOnPage(cancelled, kChallengePan));
  EXPECT_TRUE(world_.payments.Cancel(cancelled).ok());
  EXPECT_EQ(Last(cancelled).status, TransactionStatus::kCancelled);
  EXPECT_THAT(ChangesOf(cancelled), ElementsAre(OrderStatus::kProcessing, OrderStatus::kCancelled));
  const Uuid expired = Create("credit-card");
  EXPECT_FALSE(PayOnPage(expired, kChallengePan));
  Advance(hours(24));
  EXPECT_EQ(Last(expired).status, TransactionStatus::kExpired);
  EXPECT_THAT(ChangesOf(expired), ElementsAre(OrderStatus::kProcessing, OrderStatus::kExpired));
}

TEST_F(PaymentsTest, OperatorApprovesDeclinesExpiresAndEndsTheHold) {
  const Uuid approved = Create("");
  EXPECT_TRUE(world_.payments.Approve(approved).ok());
  EXPECT_EQ(Status(approved), OrderStatus::kCompleted);
  const Uuid declined = Create("credit-card");
  EXPECT_TRUE(world_.payments.Decline(declined).ok());
  EXPECT_EQ(Status(declined), OrderStatus::kError);
  const Uuid expired = Create("credit-card");
  EXPECT_TRUE(world_.payments.Expire(expired).ok());
  EXPECT_EQ(Status(expired), OrderStatus::kExpired);
  const Uuid held = Create("credit-card");
  EXPECT_FALSE(Authenticate(held, Store(held, kApprovedPan)));
  EXPECT_TRUE(world_.payments.Approve(held).ok());
  EXPECT_EQ(Status(held), OrderStatus::kCompleted);
  ExpectError(ErrorOf(world_.payments.Approve(held)), 409, kAlreadyStarted);
  ExpectError(ErrorOf(world_.payments.Decline(held)), 409, kAlreadyStarted);
  ExpectError(ErrorOf(world_.payments.Expire(held)), 409, kAlreadyStarted);
}

TEST_F(PaymentsTest, AttemptsAtOneOrderAreBounded) {
  const Uuid order = Create("");
  for (std::size_t i = 0; i < kMaxAttempts; ++i) {
    ASSERT_FALSE(ErrorOf(world_.payments.ChooseMethod(order, "credit-card")));
    ASSERT_FALSE(PayOnPage(order, kDeclinedPan));
  }
  ExpectError(ErrorOf(world_.payments.ChooseMethod(order, "credit-card")), 409, kAlreadyStarted);
}

TEST_F(PaymentsTest, ChoosingAnotherMethodCancelsTheOneNotBegun) {
  const Uuid order = Create("");
  ASSERT_FALSE(ErrorOf(world_.payments.ChooseMethod(order, "credit-card")));
  ASSERT_FALSE(ErrorOf(world_.payments.ChooseMethod(order, "wallet-a-pay")));
  EXPECT_EQ(Get(order).transactions[0].status, TransactionStatus::kCancelled);
  EXPECT_EQ(Get(order).transactions[1].status, TransactionStatus::kNew);
}

TEST_F(PaymentsTest, FullSandboxRefusesNewOrders) {
  world_.simulation.settings.max_orders = 1;
  Create("credit-card");
  ExpectError(ErrorOf(world_.payments.Create(demo(), Draft("credit-card"))), 503, "ServerError");
}

TEST_F(PaymentsTest, DelayedAuthorizationIsCapturedByItselfAfterSevenDays) {
  const Uuid order = Authorized("delayed");
  Advance(kDelayedCaptureAfter - Millis{1});
  EXPECT_THAT(Effects(), ElementsAre(Effect::kAuthorize));
  Advance(Millis{1});
  EXPECT_THAT(Effects(), ElementsAre(Effect::kAuthorize, Effect::kCapture));
  EXPECT_FALSE(Last(order).is_capturable);
}

TEST_F(PaymentsTest, LedgerNamesTheRequestThatBeganALateEffect) {
  const Uuid order = Create("credit-card");
  const Uuid card = Store(order, kApprovedPan);
  world_.simulation.cause = {.operation = "initiate", .request = 42};
  EXPECT_FALSE(Initiate(order, card));
  world_.simulation.cause = {.operation = "get_order", .request = 43};
  Advance(seconds(1));
  EXPECT_EQ(world_.simulation.ledger.entries().back().cause.operation, "initiate");
  EXPECT_EQ(world_.simulation.ledger.entries().back().cause.request, 42U);
}

}  // namespace
}  // namespace tollbridge::sandbox
