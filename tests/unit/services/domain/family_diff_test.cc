#include "services/domain/family_diff.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "services/domain/wire_names.h"

namespace tollbridge::domain {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const WallTime kNow = ToWallTime([] {
  google::protobuf::Timestamp t;
  t.set_seconds(1'790'000'000);
  return t;
}());

/// A read order of EUR 12.50: created an hour ago and changed just now, unless `created_ago` says
/// otherwise.
common::v1::Order Read(const std::string& text, std::chrono::milliseconds created_ago = hours(1)) {
  common::v1::Order order;
  order.set_currency("EUR");
  order.set_amount(1250);
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(text, &order)) << text;
  *order.mutable_created() = ToTimestamp(kNow - created_ago);
  return order;
}

const Uuid kRoot{{7}};

/// Follows one root through several reads.
class Story {
 public:
  explicit Story(bool own_checkout = false, bool capture_mode_sent = false)
      : own_checkout_(own_checkout), capture_mode_sent_(capture_mode_sent) {}

  /// The events of this read, as "kind.what#occurrence" with what decided and, of a contradiction,
  /// both values.
  std::string Next(const common::v1::Order& order) {
    const OrderRead read{.id = kRoot,
                         .order = &order,
                         .capture_mode_sent = capture_mode_sent_,
                         .own_checkout = own_checkout_};
    FamilyDiff diff = DiffFamily({.snapshot = snapshot_ ? &*snapshot_ : nullptr,
                                  .root = kRoot,
                                  .orders = {&read, 1},
                                  .now = kNow,
                                  .noticed = noticed_,
                                  .baseline_window = hours(72),
                                  .new_stream = stream_,
                                  .epoch = epoch_,
                                  .doubted_from = doubted_from_,
                                  .topic = topic_});
    std::ostringstream text;
    for (const DecidedEvent& event : diff.events) {
      EXPECT_EQ(event.sequence, ++sequence_);
      if (text.tellp() > 0) text << ", ";
      text << WireName(event.kind) << "." << WireName(event.what);
      if (event.occurrence != 1) text << "#" << event.occurrence;
      if (event.decided_by == events::v1::DECIDED_BY_TRANSACTION) text << " by transaction";
      if (event.published_what) {
        text << " (" << WireName(*event.published_what) << " > " << WireName(*event.observed_what)
             << ")";
      }
    }
    events_ = diff.events;
    untold_ = diff.untold;
    snapshot_ = std::move(diff.snapshot);
    return text.str();
  }
  std::string Next(const std::string& order) { return Next(Read(order)); }

  const storage::v1::OrderState& state() const { return snapshot_->root(); }
  const std::vector<DecidedEvent>& events() const { return events_; }
  const std::vector<Untold>& untold() const { return untold_; }
  const storage::v1::Snapshot& snapshot() const { return *snapshot_; }
  void SetCaptureModeSent() { capture_mode_sent_ = true; }
  void SetNoticed(WallTime noticed) { noticed_ = noticed; }
  /// From the next read on events go to another topic.
  void SetTopic(std::string topic) {
    topic_ = std::move(topic);
    sequence_ = 0;
    stream_ = Uuid{{4, 5, 6}};
  }
  /// From the next read on the store has another epoch, doubted from then on, and is as it was when
  /// it had kept `then`.
  void BeginEpoch(std::string epoch, std::optional<WallTime> doubted_from,
                  const storage::v1::Snapshot& then) {
    epoch_ = std::move(epoch);
    doubted_from_ = doubted_from;
    snapshot_ = storage::v1::Snapshot(then);
    sequence_ = 0;
    stream_ = Uuid{{4, 5, 6}};
  }

 private:
  bool own_checkout_;
  bool capture_mode_sent_;
  WallTime noticed_ = WallTime::max();
  Uuid stream_{{1, 2, 3}};
  std::string epoch_ = "epoch--1";
  std::optional<WallTime> doubted_from_;
  std::string topic_;
  std::uint64_t sequence_ = 0;
  std::optional<storage::v1::Snapshot> snapshot_;
  std::vector<DecidedEvent> events_;
  std::vector<Untold> untold_;
};

const std::string kNew = "status: ORDER_STATUS_NEW";
const std::string kProcessing = "status: ORDER_STATUS_PROCESSING";
const std::string kCompleted = "status: ORDER_STATUS_COMPLETED";
const std::string kCancelled = "status: ORDER_STATUS_CANCELLED";
const std::string kError = "status: ORDER_STATUS_ERROR";
const std::string kSeeTransactions = "status: ORDER_STATUS_SEE_TRANSACTIONS";
const std::string kAccepted = " transactions { status: TRANSACTION_STATUS_ACCEPTED }";
const std::string kTransactionCompleted = " transactions { status: TRANSACTION_STATUS_COMPLETED }";
const std::string kDeclined = " transactions { status: TRANSACTION_STATUS_DECLINED }";

TEST(FamilyDiffTest, EveryStepIsPublishedOnce) {
  Story story;
  EXPECT_EQ(story.Next(kNew), "payment.created");
  EXPECT_EQ(story.Next(kNew), "");
  EXPECT_EQ(story.Next(kProcessing), "payment.processing");
  EXPECT_EQ(story.Next(kProcessing), "");
  EXPECT_EQ(story.Next(kCompleted), "payment.completed");
  EXPECT_EQ(story.Next(kCompleted), "");
}

TEST(FamilyDiffTest, TheFirstPublicationBeginsWithCreatedWhateverIsSeenFirst) {
  EXPECT_EQ(Story().Next(kProcessing), "payment.created, payment.processing");
  EXPECT_EQ(Story().Next(kCompleted), "payment.created, payment.completed");
  EXPECT_EQ(Story().Next(kCancelled), "payment.created, payment.cancelled");
  EXPECT_EQ(Story().Next("status: ORDER_STATUS_EXPIRED"), "payment.created, payment.expired");
  EXPECT_EQ(Story().Next(kError), "payment.created, payment.failed");
  EXPECT_EQ(Story().Next(kSeeTransactions), "payment.created, payment.needs_review");
}

TEST(FamilyDiffTest, AnUnknownStatusPublishesNothingAndIsRemembered) {
  Story story;
  EXPECT_EQ(story.Next("status: ORDER_STATUS_UNSPECIFIED status_text: 'on-hold'"), "");
  EXPECT_EQ(story.state().status_text(), "on-hold");
  EXPECT_EQ(story.Next(kCompleted), "payment.created, payment.completed");
  EXPECT_FALSE(story.state().has_status_text());
}

TEST(FamilyDiffTest, WhatHappenedBeforeTheBaselineWindowIsRecordedSilently) {
  const auto old = [](const std::string& text) { return Read(text, hours(24 * 100)); };
  common::v1::Order completed = old(kCompleted);
  *completed.mutable_completed() = ToTimestamp(kNow - hours(73));
  Story story;
  EXPECT_EQ(story.Next(completed), "");
  ASSERT_EQ(story.untold().size(), 1U);
  EXPECT_EQ(story.untold()[0].what, events::v1::EVENT_WHAT_COMPLETED);
  EXPECT_EQ(story.untold()[0].kind, events::v1::EVENT_KIND_PAYMENT);
  EXPECT_EQ(story.untold()[0].occurred_at, kNow - hours(73));
  EXPECT_EQ(story.Next(completed), "") << "recorded, so it is not news later";
  EXPECT_TRUE(story.untold().empty());
  EXPECT_EQ(story.Next(old(kCancelled)), "payment.needs_review (completed > cancelled)");
}

TEST(FamilyDiffTest, WhatIsDatedBeforeItsOrderWasThereIsNotOld) {
  for (const WallTime dated : {kNow - hours(24 * 4), kNow - hours(24 * 365 * 2'000)}) {
    common::v1::Order completed = Read(kCompleted);
    *completed.mutable_completed() = ToTimestamp(dated);
    Story story;
    ASSERT_EQ(story.Next(completed), "payment.created, payment.completed");
    EXPECT_TRUE(story.untold().empty());
    EXPECT_EQ(story.events()[1].occurred_at, dated) << "as the service says it";
    story.BeginEpoch("epoch--2", kNow - hours(2), story.snapshot());
    EXPECT_EQ(story.Next(completed), "payment.created, payment.completed") << "told again";
  }
}

TEST(FamilyDiffTest, TheBaselineCountsFromWhenTheOrderWasNoticed) {
  common::v1::Order completed = Read(kCompleted, hours(90));
  *completed.mutable_completed() = ToTimestamp(kNow - hours(86));
  Story away;  // nobody read for 86 hours
  away.SetNoticed(kNow - hours(86));
  EXPECT_EQ(away.Next(completed), "payment.created, payment.completed");
  EXPECT_TRUE(away.untold().empty());
  Story ahead;  // the clock of who noticed it was ahead
  ahead.SetNoticed(kNow + hours(200));
  EXPECT_EQ(ahead.Next(completed), "");
}

TEST(FamilyDiffTest, AStoreThatWentBackBeginsAStreamAndKeepsTheIds) {
  Story story;
  story.Next(kNew);
  const storage::v1::Snapshot then = story.snapshot();
  EXPECT_EQ(story.Next(kProcessing), "payment.processing");
  EXPECT_EQ(story.events()[0].sequence, 2U);
  story.BeginEpoch("epoch--2", kNow - minutes(1), then);
  // In the stream before, number 2 is `processing` for ever.
  EXPECT_EQ(story.Next(kCompleted), "payment.completed");
  EXPECT_NE(story.snapshot().stream(), then.stream());
  EXPECT_EQ(story.snapshot().epoch(), "epoch--2");
  EXPECT_EQ(story.events()[0].sequence, 1U);
  EXPECT_EQ(story.events()[0].occurrence, 1U);
  EXPECT_EQ(story.snapshot().began(), then.began());
  EXPECT_EQ(story.Next(kCompleted), "") << "the epoch is known now";
}

TEST(FamilyDiffTest, OutcomesOfTheDoubtfulTimeAreToldAgainWithTheirIds) {
  common::v1::Order completed = Read(kCompleted);
  *completed.mutable_completed() = ToTimestamp(kNow - minutes(10));
  Story story;
  story.Next(completed);
  const storage::v1::Snapshot then = story.snapshot();
  story.BeginEpoch("epoch--2", kNow - minutes(30), then);
  EXPECT_EQ(story.Next(completed), "payment.completed") << "created is an hour old";
  EXPECT_EQ(story.events()[0].occurred_at, kNow - minutes(10));
  EXPECT_EQ(story.events()[0].sequence, 1U);
  story.BeginEpoch("epoch--3", kNow - hours(2), then);
  EXPECT_EQ(story.Next(completed), "payment.created, payment.completed");
  story.BeginEpoch("epoch--4", kNow - minutes(5), then);
  EXPECT_EQ(story.Next(completed), "");
  EXPECT_EQ(story.snapshot().sequence(), 0U);
  story.BeginEpoch("epoch--5", std::nullopt, then);
  EXPECT_EQ(story.Next(completed), "") << "nobody doubts it";
}

/// It settled 30 days after its end: whatever the store has lost since, not that.
TEST(FamilyDiffTest, WhatIsSettledIsNotToldAgainByEachReadOfIt) {
  Story story;
  story.Next(kCompleted);
  storage::v1::Snapshot settled = story.snapshot();
  settled.clear_stream();
  settled.clear_sequence();
  settled.clear_epoch();
  story.BeginEpoch("epoch--2", kNow - hours(24 * 90), settled);
  EXPECT_EQ(story.Next(kCompleted), "");
  EXPECT_EQ(story.Next(kCancelled), "payment.needs_review (completed > cancelled)");
}

TEST(FamilyDiffTest, WhatOrderAndTransactionShowIsToldAgainOnce) {
  Story story(true);
  story.Next(kNew);
  const std::string both = kCompleted + kTransactionCompleted;
  story.BeginEpoch("epoch--2", kNow - minutes(30), story.snapshot());
  EXPECT_EQ(story.Next(both), "payment.completed by transaction") << "news, in the new stream";
  story.BeginEpoch("epoch--3", kNow - minutes(30), story.snapshot());
  EXPECT_EQ(story.Next(both), "payment.completed") << "told again";
}

TEST(FamilyDiffTest, AReviewOfTheDoubtfulTimeIsToldAgainAsTheReviewThatItWas) {
  Story story;
  story.Next(kCompleted);
  EXPECT_EQ(story.Next(kCancelled), "payment.needs_review (completed > cancelled)");
  story.BeginEpoch("epoch--2", kNow - minutes(30), story.snapshot());
  EXPECT_EQ(story.Next(kCancelled), "payment.needs_review (completed > cancelled)");
  Story torn;
  torn.Next(kSeeTransactions);
  torn.BeginEpoch("epoch--2", kNow - minutes(30), torn.snapshot());
  EXPECT_EQ(torn.Next(kSeeTransactions), "payment.needs_review");
}

TEST(FamilyDiffTest, OneSecondIsNoProofThatAReadIsNewer) {
  const auto at = [](const std::string& status, std::chrono::seconds after) {
    common::v1::Order order = Read(status);
    *order.mutable_modified() = ToTimestamp(kNow + after);
    return order;
  };
  Story story;
  story.Next(at(kCompleted, std::chrono::seconds(0)));
  EXPECT_TRUE(IsOlderThan(at(kProcessing, std::chrono::seconds(0)), story.state()));
  EXPECT_FALSE(IsOlderThan(at(kCompleted, std::chrono::seconds(0)), story.state()));
  EXPECT_FALSE(IsOlderThan(at(kProcessing, std::chrono::seconds(1)), story.state()));
}

TEST(FamilyDiffTest, AnOldOrderWithANewOutcomeIsPublishedWithoutCreated) {
  common::v1::Order completed = Read(kCompleted, hours(24 * 100));
  *completed.mutable_completed() = ToTimestamp(kNow - hours(71));
  EXPECT_EQ(Story().Next(completed), "payment.completed");
}

TEST(FamilyDiffTest, AnOldOrderSeenNewLaterPublishesItsOutcome) {
  Story story;
  EXPECT_EQ(story.Next(Read(kNew, hours(24 * 100))), "");
  EXPECT_EQ(story.Next(Read(kCompleted, hours(24 * 100))), "payment.completed");
}

TEST(FamilyDiffTest, ErrorThatLaterCompletesGivesFailedThenCompleted) {
  Story story;
  EXPECT_EQ(story.Next(kError), "payment.created, payment.failed");
  EXPECT_EQ(story.Next(kCompleted), "payment.completed");
  EXPECT_EQ(story.Next(kCompleted), "");
}

TEST(FamilyDiffTest, AnotherEndThanWasPublishedNeedsReviewWithBothValues) {
  Story story;
  EXPECT_EQ(story.Next(kCancelled), "payment.created, payment.cancelled");
  EXPECT_EQ(story.Next(kCompleted), "payment.needs_review (cancelled > completed)");
  EXPECT_EQ(story.Next(kCompleted), "");
  EXPECT_EQ(story.Next(kError), "payment.needs_review#2 (completed > failed)");
}

TEST(FamilyDiffTest, SeeTransactionsAfterAnEndNeedsReviewAndBackIsNoNews) {
  Story story;
  EXPECT_EQ(story.Next(kCompleted), "payment.created, payment.completed");
  EXPECT_EQ(story.Next(kSeeTransactions), "payment.needs_review (completed > needs_review)");
  EXPECT_EQ(story.Next(kSeeTransactions), "");
  EXPECT_EQ(story.Next(kCompleted), "");
  EXPECT_EQ(story.Next(kSeeTransactions), "payment.needs_review#2 (completed > needs_review)");
}

TEST(FamilyDiffTest, SeeTransactionsThatResolvesGivesTheOutcome) {
  Story story;
  EXPECT_EQ(story.Next(kSeeTransactions), "payment.created, payment.needs_review");
  EXPECT_EQ(story.Next(kCompleted), "payment.completed");
}

TEST(FamilyDiffTest, TheTransactionDecidesInOwnCheckoutAndTheOrderFollows) {
  Story story(/*own_checkout=*/true);
  EXPECT_EQ(story.Next(kProcessing + kAccepted), "payment.created, payment.processing");
  EXPECT_EQ(story.Next(kProcessing + kTransactionCompleted), "payment.completed by transaction");
  EXPECT_EQ(story.Next(kProcessing + kTransactionCompleted), "");
  EXPECT_EQ(story.Next(kCompleted + kTransactionCompleted), "");
}

TEST(FamilyDiffTest, WithoutOwnCheckoutADeclinedTransactionIsNotTheEnd) {
  Story story;
  EXPECT_EQ(story.Next(kProcessing + kDeclined), "payment.created, payment.processing");
  EXPECT_EQ(story.Next(kCompleted + kDeclined + kTransactionCompleted), "payment.completed");
}

TEST(FamilyDiffTest, AnOrderThatEndsOtherwiseThanItsTransactionNeedsReview) {
  Story story(/*own_checkout=*/true);
  EXPECT_EQ(story.Next(kProcessing + kDeclined), "payment.created, payment.failed by transaction");
  // Failed by the transaction alone is not an order in `error`.
  EXPECT_EQ(story.Next(kCompleted + kDeclined), "payment.needs_review (failed > completed)");
  EXPECT_EQ(story.Next(kCompleted + kDeclined), "");
}

TEST(FamilyDiffTest, ADeclineThatTheOrderConfirmedAsErrorMayStillComplete) {
  Story story(/*own_checkout=*/true);
  story.Next(kProcessing + kDeclined);
  EXPECT_EQ(story.Next(kError + kDeclined), "");
  EXPECT_EQ(story.Next(kCompleted + kDeclined), "payment.completed");
}

TEST(FamilyDiffTest, AContradictionAtTheFirstReadTellsBoth) {
  Story story(/*own_checkout=*/true);
  EXPECT_EQ(story.Next(kError + kTransactionCompleted),
            "payment.created, payment.completed by transaction, "
            "payment.needs_review (completed > failed)");
  EXPECT_EQ(story.Next(kError + kTransactionCompleted), "");
}

TEST(FamilyDiffTest, TheFirstOutcomeFixesTheKindForEver) {
  Story story;
  const std::string capturable =
      " transactions { status: TRANSACTION_STATUS_COMPLETED is_capturable: true }";
  EXPECT_EQ(story.Next(kNew), "payment.created");
  EXPECT_EQ(story.Next(kCompleted + capturable), "authorization.completed");
  // Captured: nothing of it shows any more that it was an authorization.
  EXPECT_EQ(story.Next(kSeeTransactions + kTransactionCompleted),
            "authorization.needs_review (completed > needs_review)");
}

TEST(FamilyDiffTest, AKindFixedAsPaymentStaysOneAndAPersonLooks) {
  Story story;
  EXPECT_EQ(story.Next(kError), "payment.created, payment.failed");
  story.SetCaptureModeSent();
  EXPECT_EQ(story.Next(kCompleted), "payment.needs_review (failed > completed)");
  EXPECT_EQ(story.Next(kCompleted), "");
}

TEST(FamilyDiffTest, AnotherKindThanWasToldIsForAPersonOnce) {
  Story story;
  EXPECT_EQ(story.Next(kCompleted), "payment.created, payment.completed");
  ASSERT_EQ(story.Next(kCompleted + " flags: 'has-captures'"), "payment.needs_review");
  EXPECT_EQ(story.events().front().occurred_at, kNow) << "no record says when that was";
  EXPECT_EQ(story.Next(kCompleted + " flags: 'has-captures'"), "");
  EXPECT_EQ(story.state().kind(), events::v1::EVENT_KIND_PAYMENT);
}

TEST(FamilyDiffTest, AStreamEndsWhereItsTopicDoes) {
  Story story;
  EXPECT_EQ(story.Next(kNew), "payment.created");
  story.SetTopic("mark");
  ASSERT_EQ(story.Next(kCompleted), "payment.completed") << "as number 1";
  EXPECT_EQ(story.events().front().occurrence, 1U);
  EXPECT_EQ(story.snapshot().topic(), "mark");
  EXPECT_EQ(story.snapshot().stream(), Uuid({4, 5, 6}).ToBytes());
  EXPECT_EQ(story.Next(kSeeTransactions), "payment.needs_review (completed > needs_review)");
}

TEST(FamilyDiffTest, CreatedAndProcessingDoNotFixTheKind) {
  Story story;
  EXPECT_EQ(story.Next(kProcessing), "payment.created, payment.processing");
  story.SetCaptureModeSent();
  EXPECT_EQ(story.Next(kCompleted), "authorization.completed");
}

TEST(FamilyDiffTest, LostMemoryGivesTheSameEventsInANewStream) {
  Story first;
  first.Next(kCompleted);
  Story second;
  EXPECT_EQ(second.Next(kCompleted), "payment.created, payment.completed");
  EXPECT_EQ(first.events()[1].occurrence, second.events()[1].occurrence);
}

TEST(FamilyDiffTest, OccurredAtComesFromTheServicesRecords) {
  Story story;
  story.Next(R"(
      status: ORDER_STATUS_ERROR
      modified { seconds: 1789999990 }
      transactions { events { event: "accepted" occurred { seconds: 1789999000 } }
                     events { event: "declined" occurred { seconds: 1789999100 } } }
      transactions { events { event: "declined" occurred { seconds: 1789999200 } } })");
  ASSERT_EQ(story.events().size(), 2U);
  EXPECT_EQ(story.events()[0].occurred_at, kNow - hours(1));
  EXPECT_EQ(story.events()[1].occurred_at, kNow - std::chrono::seconds(800));
}

TEST(FamilyDiffTest, OccurredAtFallsBackToCompletedModifiedAndNow) {
  Story completed;
  completed.Next(kCompleted +
                 " completed { seconds: 1789999500 } modified { seconds: 1789999900 }");
  EXPECT_EQ(completed.events()[1].occurred_at, kNow - std::chrono::seconds(500));
  Story modified;
  modified.Next(kCancelled + " modified { seconds: 1789999900 }");
  EXPECT_EQ(modified.events()[1].occurred_at, kNow - std::chrono::seconds(100));
  Story noticed;
  noticed.Next(kCancelled);
  EXPECT_EQ(noticed.events()[1].occurred_at, kNow);
}

TEST(FamilyDiffTest, ASnapshotStaysSmallWhateverTheOrderHolds) {
  Story story(/*own_checkout=*/true, /*capture_mode_sent=*/true);
  const std::string times = " modified { seconds: 1790000000 nanos: 123456789 }";
  for (int i = 0; i < 400; ++i) {
    story.Next(kProcessing + times);
    story.Next(kCompleted + times);
    story.Next(kSeeTransactions + times);
    story.Next(kError + times);
    story.Next(kCancelled + times);
    story.Next("status: ORDER_STATUS_EXPIRED" + times);
  }
  story.Next("status: ORDER_STATUS_UNSPECIFIED status_text: '" + std::string(5000, 'x') + "'" +
             times);
  EXPECT_LE(story.state().ByteSizeLong(), 300U);
}

TEST(FamilyDiffTest, AStatusTextIsMaskedAndNotCutWithinACharacter) {
  Story story;
  story.Next("status_text: '4111111111111111'");
  EXPECT_EQ(story.state().status_text(), "411111******1111");
  story.Next("status_text: '" + std::string(47, 'x') + "\xc3\xa4\xc3\xa4'");
  EXPECT_EQ(story.state().status_text(), std::string(47, 'x'));
}

TEST(IsOlderThanTest, ComparesModifiedWhereBothHaveIt) {
  storage::v1::OrderState state;
  state.set_status(common::v1::ORDER_STATUS_COMPLETED);
  *state.mutable_modified() = ToTimestamp(kNow);
  common::v1::Order order = Read(kProcessing);
  *order.mutable_modified() = ToTimestamp(kNow - std::chrono::milliseconds(1));
  EXPECT_TRUE(IsOlderThan(order, state));
  *order.mutable_modified() = ToTimestamp(kNow + minutes(1));
  EXPECT_FALSE(IsOlderThan(order, state));
}

TEST(IsOlderThanTest, WithoutModifiedAFinalOrderDoesNotGoBack) {
  storage::v1::OrderState state;
  for (const auto& [from, to, older] :
       std::vector<std::tuple<std::string, std::string, bool>>{{kCompleted, kProcessing, true},
                                                               {kSeeTransactions, kNew, true},
                                                               {kCompleted, "", true},
                                                               {kCompleted, kError, false},
                                                               {kSeeTransactions, kError, false},
                                                               {kProcessing, kNew, false}}) {
    state.set_status(Read(from).status());
    EXPECT_EQ(IsOlderThan(Read(to), state), older) << from << " to " << to;
  }
}

TEST(FamilyDiffTest, ARefundWithoutItsLinkIsNoPayment) {
  Story story;
  EXPECT_EQ(story.Next("status: ORDER_STATUS_COMPLETED flags: 'is-refund' "
                       "transactions { credit_debit: 'debit' }"),
            "refund.created, refund.completed");
}

TEST(FamilyDiffTest, AnOutcomeWhoseSignsDisagreeIsForAPerson) {
  const std::string money_out = " transactions { credit_debit: 'debit' }";
  Story story;
  EXPECT_EQ(story.Next("status: ORDER_STATUS_PROCESSING" + money_out),
            "payment.created, payment.processing");
  EXPECT_EQ(story.Next("status: ORDER_STATUS_COMPLETED" + money_out), "payment.needs_review");
  EXPECT_EQ(story.Next("status: ORDER_STATUS_COMPLETED" + money_out), "") << "told once";
}

TEST(FamilyDiffTest, WhatCompletedWithAnAmountThatIsNotSureIsForAPerson) {
  common::v1::Order order = Read("status: ORDER_STATUS_COMPLETED");
  order.clear_amount();
  order.add_unreadable_fields("amount");
  Story story;
  EXPECT_EQ(story.Next(order), "payment.created, payment.needs_review");
  EXPECT_EQ(story.Next(order), "") << "told once";
  order.set_status(common::v1::ORDER_STATUS_EXPIRED);
  EXPECT_EQ(Story().Next(order), "payment.created, payment.expired") << "nothing was moved";
}

}  // namespace
}  // namespace tollbridge::domain
