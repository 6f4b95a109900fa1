#include "services/payments/follow_up_evidence.h"

#include <chrono>
#include <string>

#include "tests/unit/services/payments/payments_fixture.h"

namespace tollbridge::payments {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class FollowUpTest : public PaymentsTest {
 protected:
  /// An order made from the root's transaction, `after` the step was sent.
  common::v1::Order& Capture(int number, seconds after = seconds(1), std::int64_t amount = 1000) {
    common::v1::Order& order = Related(number, after, amount);
    order.set_capture_of_order_id(kOrderId);
    order.add_transactions()->set_capture_of_transaction_id(kTransactionId);
    return order;
  }
  common::v1::Order& Void(int number, seconds after = seconds(1), std::int64_t amount = 1000) {
    common::v1::Order& order = Related(number, after, amount);
    order.set_void_of_order_id(kOrderId);
    order.add_transactions()->set_void_of_transaction_id(kTransactionId);
    return order;
  }
  common::v1::Order& Related(int number, seconds after, std::int64_t amount) {
    const std::string id = NewId(number);
    Root().add_related_orders(id);
    common::v1::Order& order = service_.orders[id];
    order.set_id(id);
    order.set_amount(amount);
    *order.mutable_created() = domain::ToTimestamp(kSentAt + after);
    return order;
  }
  common::v1::Order& Refund(int number, seconds after = seconds(1), std::int64_t amount = 300) {
    common::v1::Order& order = service_.refunds.emplace_back();
    order.set_id(NewId(number));
    order.set_amount(amount);
    *order.mutable_created() = domain::ToTimestamp(kSentAt + after);
    return order;
  }
  void Sent(std::int64_t amount, bool marked) {
    look_.step.amount = amount;
    look_.step.marked = marked;
  }
  std::string Marked() const { return "shoes" + domain::DescriptionMark(operation_); }
  static std::string Foreign() { return "shoes" + domain::DescriptionMark(Uuid{}); }
};

TEST_F(FollowUpTest, OnlyTheWholeMayRunAgain) {
  for (const auto* kind : {&CaptureStep(), &VoidStep()}) {
    EXPECT_EQ(kind->on_absence, operations::OnAbsence::kNotExecuted);
    EXPECT_TRUE(kind->service_guards_repeat);
  }
  for (const auto* kind : {&PartialCaptureStep(), &PartialVoidStep(), &RefundStep()}) {
    EXPECT_EQ(kind->on_absence, operations::OnAbsence::kNeedsReview);
    EXPECT_FALSE(kind->service_guards_repeat);
    EXPECT_FALSE(kind->by_search);
  }
}

TEST_F(FollowUpTest, NoRelatedOrderIsAbsent) {
  Root();
  EXPECT_THAT(Look(CaptureStep()), Is(kAbsent));
  EXPECT_THAT(Look(VoidStep()), Is(kAbsent));
}

TEST_F(FollowUpTest, ACaptureOfTheTransactionIsIt) {
  Capture(1);
  const operations::Finding finding = Look(CaptureStep());
  EXPECT_THAT(finding, Is(kPresent));
  EXPECT_EQ(ResultAs<common::v1::Order>(finding).id(), NewId(1));
  EXPECT_THAT(Look(VoidStep()), Is(kAbsent)) << "a capture is no void";
}

TEST_F(FollowUpTest, AVoidOfTheTransactionIsIt) {
  Void(1);
  EXPECT_THAT(Look(VoidStep()), Is(kPresent));
  EXPECT_THAT(Look(CaptureStep()), Is(kAbsent)) << "a void is no capture";
}

TEST_F(FollowUpTest, TheWholeIsKnownWhenItWasMadeWithoutARecordOfTheTime) {
  Capture(1, seconds(-500));
  look_.sent_at.reset();
  EXPECT_THAT(Look(CaptureStep()), Is(kPresent)) << "there is one capture of the whole, ever";
}

TEST_F(FollowUpTest, ForARefusedRequestTheWholeFromBeforeIsAnothers) {
  look_.only_since_sent = true;
  Capture(1, seconds(-500));
  EXPECT_THAT(Look(CaptureStep()), Is(kAbsent));
  Capture(2, seconds(-30));
  EXPECT_THAT(Look(CaptureStep()), Is(kPresent)) << "the clocks may differ by so much";
}

TEST_F(FollowUpTest, WhatMayBeOfThePartThatWasLeftOverIsNamed) {
  look_.only_since_sent = true;
  Void(1, seconds(-1), 600);
  const operations::Finding finding = Look(VoidStep());
  EXPECT_THAT(finding, Is(kAmbiguous));
  ASSERT_NE(finding.result, nullptr) << "another operation may have made it";
  EXPECT_EQ(ResultAs<common::v1::Order>(finding).id(), NewId(1));
}

TEST_F(FollowUpTest, ACaptureOfAnotherTransactionIsNotIt) {
  Capture(1).mutable_transactions(0)->set_capture_of_transaction_id(NewId(7));
  EXPECT_THAT(Look(CaptureStep()), Is(kAbsent));
}

TEST_F(FollowUpTest, AnOrderThatNamesNoTransactionFollowsTheOnlyOne) {
  Capture(1).clear_transactions();
  EXPECT_THAT(Look(CaptureStep()), Is(kPresent));
  Root().add_transactions()->set_id(NewId(8));
  EXPECT_THAT(Look(CaptureStep()), Is(kAbsent)) << "it may be the other one's";
}

TEST_F(FollowUpTest, RefundsAreNotReadForCaptures) {
  Capture(1);
  Related(2, seconds(1), 5);
  Root().add_refund_orders(NewId(2));
  EXPECT_THAT(Look(CaptureStep()), Is(kPresent));
  EXPECT_THAT(service_.reads, UnorderedElementsAre(kOrderId, NewId(1)));
}

TEST_F(FollowUpTest, ARelatedOrderThatCannotBeReadLeavesItOpenUnlessAnotherIsOurs) {
  Root().add_related_orders(NewId(1));
  const operations::Finding open = Look(CaptureStep());
  EXPECT_THAT(open, Is(kUndecided));
  EXPECT_THAT(open.reason, HasSubstr(NewId(1)));
  Capture(2);
  EXPECT_THAT(Look(CaptureStep()), Is(kPresent));
}

TEST_F(FollowUpTest, WhatIsNotThereIsNoTarget) {
  service_.unreadable[kOrderId] = NoSuchOrder();
  EXPECT_THAT(Look(CaptureStep()), Is(kNoTarget));
  EXPECT_THAT(Look(PartialVoidStep()), Is(kNoTarget));
  service_.unreadable[kOrderId] = absl::UnavailableError("down");
  EXPECT_THAT(Look(CaptureStep()), Is(kUndecided));
  service_.unreadable.clear();
  Root().mutable_transactions(0)->set_id(NewId(3));
  EXPECT_THAT(Look(VoidStep()), Is(kNoTarget)) << "not this transaction";
  Root().clear_transactions();
  EXPECT_THAT(Look(VoidStep()), Is(kUndecided)) << "its transactions could not be read";
}

TEST_F(FollowUpTest, APartIsNotTheWhole) {
  Void(1, seconds(1), 200).set_description(Foreign());
  EXPECT_THAT(Look(VoidStep()), Is(kAbsent)) << "another operation's";
  Void(2, seconds(-90), 200);
  EXPECT_THAT(Look(VoidStep()), Is(kAbsent)) << "there long before";
  Void(3, seconds(-2), 200);
  EXPECT_THAT(Look(VoidStep()), Is(kAmbiguous)) << "clocks may differ by that";
  Void(4, seconds(0), 600);
  EXPECT_EQ(ResultAs<common::v1::Order>(Look(VoidStep())).id(), NewId(4)) << "what remained";
}

TEST_F(FollowUpTest, APartialCaptureIsKnownByItsMark) {
  Sent(300, true);
  Capture(1, seconds(1), 300);
  Capture(2, seconds(1), 300).set_description(Foreign());
  EXPECT_THAT(Look(PartialCaptureStep()), Is(kAbsent)) << "amount and time are no mark";
  Capture(3, seconds(-9), 300).set_description(Marked());
  const operations::Finding finding = Look(PartialCaptureStep());
  EXPECT_THAT(finding, Is(kPresent));
  EXPECT_EQ(ResultAs<common::v1::Order>(finding).id(), NewId(3));
}

TEST_F(FollowUpTest, AnOrderOfThatAmountWithoutAnyMarkMayBeOursWithoutIt) {
  Sent(300, true);
  Refund(1, seconds(1), 299);
  Refund(2).set_description(Foreign());
  Refund(3, seconds(-3600));
  EXPECT_FALSE(Look(RefundStep()).perhaps_unmarked);
  Refund(4).set_description("shoes [tb:0123");
  const operations::Finding cut = Look(RefundStep());
  EXPECT_THAT(cut, Is(kAbsent));
  EXPECT_TRUE(cut.perhaps_unmarked);
  EXPECT_THAT(cut.reason, HasSubstr(NewId(4)));
  service_.refunds.pop_back();
  look_.sent_at.reset();
  EXPECT_TRUE(Look(RefundStep()).perhaps_unmarked) << "the record is lost, and with it the time";
}

TEST_F(FollowUpTest, AnOlderOrderOfThatAmountIsToldByItsTimeAlone) {
  Sent(300, false);
  Refund(1, seconds(1), 299);
  EXPECT_FALSE(Look(RefundStep()).by_time_alone);
  Refund(2, seconds(-3600));
  const operations::Finding finding = Look(RefundStep());
  EXPECT_THAT(finding, Is(kAbsent));
  EXPECT_TRUE(finding.by_time_alone);
  EXPECT_EQ(finding.reason, "no new order of that amount, and 1 older");
}

TEST_F(FollowUpTest, APartialVoidIsKnownByItsMark) {
  Sent(300, true);
  Capture(1, seconds(1), 300).set_description(Marked());
  EXPECT_THAT(Look(PartialVoidStep()), Is(kAbsent)) << "a capture is no void";
  Void(2, seconds(1), 300).set_description(Marked());
  EXPECT_THAT(Look(PartialVoidStep()), Is(kPresent));
}

TEST_F(FollowUpTest, APartThatCannotBeReadLeavesItOpen) {
  Sent(300, true);
  Root().add_related_orders(NewId(1));
  EXPECT_THAT(Look(PartialCaptureStep()), Is(kUndecided));
  Sent(300, false);
  Capture(2, seconds(1), 300);
  EXPECT_THAT(Look(PartialCaptureStep()), Is(kUndecided)) << "there may be a second";
}

TEST_F(FollowUpTest, ARelatedOrderThatIsListedTwiceIsOne) {
  Sent(300, false);
  Capture(1, seconds(1), 300);
  Root().add_related_orders(Upper(NewId(1)));
  EXPECT_THAT(Look(PartialCaptureStep()), Is(kPresent));
}

TEST_F(FollowUpTest, ARefundIsKnownByItsMarkAndReadWhole) {
  Sent(300, true);
  Refund(1).set_description(Foreign());
  Refund(2).set_description(Marked());
  service_.orders[NewId(2)].set_id(NewId(2));
  service_.orders[NewId(2)].set_reason("read whole");
  const operations::Finding finding = Look(RefundStep());
  EXPECT_THAT(finding, Is(kPresent));
  EXPECT_EQ(ResultAs<common::v1::Order>(finding).reason(), "read whole");
  service_.orders.clear();
  EXPECT_EQ(ResultAs<common::v1::Order>(Look(RefundStep())).id(), NewId(2)) << "as listed";
}

TEST_F(FollowUpTest, AMarkCountsWhateverTheSettingIsNow) {
  Sent(300, false);
  Refund(1).set_description(Marked());
  Refund(2);
  EXPECT_EQ(ResultAs<common::v1::Order>(Look(RefundStep())).id(), NewId(1));
}

TEST_F(FollowUpTest, TwoRefundsWithOneMarkAreForAPerson) {
  Sent(300, true);
  Refund(1).set_description(Marked());
  Refund(2).set_description(Marked());
  EXPECT_THAT(Look(RefundStep()), Is(kAmbiguous));
}

TEST_F(FollowUpTest, RefundsThatCannotBeListedAreOpen) {
  Sent(300, true);
  service_.refunds_error = absl::NotFoundError("something in between");
  EXPECT_THAT(Look(RefundStep()), Is(kUndecided));
}

TEST_F(FollowUpTest, RefundsOfAnOrderThatTheProjectDoesNotHaveHaveNoTarget) {
  Sent(300, true);
  service_.refunds_error = NoSuchOrder();
  Root();
  EXPECT_THAT(Look(RefundStep()), Is(kUndecided)) << "the order is there, and its list is not";
  service_.unreadable[kOrderId] = absl::UnavailableError("down");
  EXPECT_THAT(Look(RefundStep()), Is(kUndecided));
  service_.unreadable[kOrderId] = NoSuchOrder();
  EXPECT_THAT(Look(RefundStep()), Is(kNoTarget));
}

TEST_F(FollowUpTest, WithoutMarksTheOneNewRefundOfThatAmountIsIt) {
  Sent(300, false);
  EXPECT_THAT(Look(RefundStep()), Is(kAbsent));
  Refund(1, seconds(1), 299);
  Refund(2).set_description(Foreign());
  EXPECT_THAT(Look(RefundStep()), Is(kAbsent)) << "another amount, another operation";
  Refund(3, seconds(0));
  const operations::Finding finding = Look(RefundStep());
  EXPECT_THAT(finding, Is(kPresent));
  EXPECT_EQ(ResultAs<common::v1::Order>(finding).id(), NewId(3));
}

TEST_F(FollowUpTest, WithoutMarksTwoNewOnesAreAmbiguous) {
  Sent(300, false);
  Refund(1);
  Refund(2);
  EXPECT_THAT(Look(RefundStep()), Is(kAmbiguous));
}

TEST_F(FollowUpTest, WithoutMarksAnEarlierOneIsNotOursAndMakesANewOneAmbiguous) {
  Sent(300, false);
  Refund(1, seconds(-3600));
  EXPECT_THAT(Look(RefundStep()), Is(kAbsent));
  Refund(2);
  EXPECT_THAT(Look(RefundStep()), Is(kAmbiguous));
}

TEST_F(FollowUpTest, WithoutMarksWhatMayBeNewIsAmbiguous) {
  Sent(300, false);
  Refund(1, seconds(-2));
  EXPECT_THAT(Look(RefundStep()), Is(kAmbiguous)) << "clocks may differ by that";
  service_.refunds.clear();
  Refund(2).clear_created();
  EXPECT_THAT(Look(RefundStep()), Is(kAmbiguous)) << "no time";
  service_.refunds.clear();
  Refund(3).clear_amount();
  EXPECT_THAT(Look(RefundStep()), Is(kAmbiguous)) << "no amount";
  service_.refunds.clear();
  Refund(4);
  look_.sent_at.reset();
  EXPECT_THAT(Look(RefundStep()), Is(kAmbiguous)) << "the record is lost";
}

TEST_F(FollowUpTest, WithoutMarksOneOfTheSameSecondMayBeAnothers) {
  Sent(300, false);
  using std::chrono::milliseconds;
  const WallTime second = std::chrono::floor<std::chrono::seconds>(kSentAt);
  look_.sent_at = second + milliseconds(800);
  *Refund(1).mutable_created() = domain::ToTimestamp(second + milliseconds(300));
  EXPECT_THAT(Look(RefundStep()), Is(kAmbiguous)) << "it was there before ours was sent";
  *service_.refunds.front().mutable_created() = domain::ToTimestamp(second + milliseconds(801));
  EXPECT_THAT(Look(RefundStep()), Is(kPresent));
}

TEST_F(FollowUpTest, ASecondIsEnoughForAServiceThatWritesWholeSeconds) {
  Sent(300, false);
  auto* created = Refund(1).mutable_created();
  *created = domain::ToTimestamp(kSentAt);
  created->set_nanos(0);
  EXPECT_THAT(Look(RefundStep()), Is(kPresent));
}

}  // namespace
}  // namespace tollbridge::payments
