// What is published of a family of several orders, read by read
// (docs/design/events.md#which-event).
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "services/domain/family_diff.h"
#include "services/domain/wire_names.h"

namespace tollbridge::domain {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WallTime kBegin{std::chrono::seconds(1'790'000'000)};

/// A family whose orders are told apart by a letter; 'r' is the root.
class Family {
 public:
  struct Given {
    std::string text;
    /// Before now.
    std::chrono::milliseconds changed_ago{0};
    bool own_checkout = false;
    bool capture_mode_sent = false;
    bool unread = false;
  };

  static Uuid Id(char letter) { return Uuid{{static_cast<std::uint8_t>(letter)}}; }

  void Pass(std::chrono::milliseconds by) { now_ += by; }
  void LoseMemory() { snapshot_.reset(); }

  /// The events of a round that reads these, as "r payment.completed".
  std::vector<std::string> Read(const std::map<char, Given>& given, bool backwards = false) {
    std::vector<common::v1::Order> orders(given.size());
    std::vector<OrderRead> reads;
    for (const auto& [letter, each] : given) {
      common::v1::Order& order = orders[reads.size()];
      order.set_currency("EUR");
      order.set_amount(1250);
      EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(each.text, &order)) << each.text;
      *order.mutable_created() = ToTimestamp(now_ - each.changed_ago - minutes(1));
      *order.mutable_modified() = ToTimestamp(now_ - each.changed_ago);
      reads.push_back({.id = Id(letter),
                       .order = each.unread ? nullptr : &order,
                       .capture_mode_sent = each.capture_mode_sent,
                       .own_checkout = each.own_checkout});
    }
    if (backwards) std::ranges::reverse(reads);
    FamilyDiff diff = DiffFamily({.snapshot = snapshot_ ? &*snapshot_ : nullptr,
                                  .root = Id('r'),
                                  .orders = reads,
                                  .now = now_,
                                  .baseline_window = hours(72),
                                  .new_stream = Uuid{{1}}});
    std::vector<std::string> texts;
    std::uint64_t sequence = snapshot_ ? snapshot_->sequence() : 0;
    for (const DecidedEvent& event : diff.events) {
      EXPECT_EQ(event.sequence, ++sequence);
      std::ostringstream text;
      text << static_cast<char>(event.order.bytes[0]) << " " << WireName(event.kind) << "."
           << WireName(event.what);
      if (event.occurrence != 1) text << "#" << event.occurrence;
      texts.push_back(text.str());
    }
    EXPECT_EQ(diff.snapshot.sequence(), sequence);
    snapshot_ = std::move(diff.snapshot);
    return texts;
  }

  const storage::v1::Snapshot& snapshot() const { return *snapshot_; }

 private:
  WallTime now_ = kBegin;
  std::optional<storage::v1::Snapshot> snapshot_;
};

const std::string kNew = "status: ORDER_STATUS_NEW ";
const std::string kProcessing = "status: ORDER_STATUS_PROCESSING ";
const std::string kCompleted = "status: ORDER_STATUS_COMPLETED ";
const std::string kError = "status: ORDER_STATUS_ERROR ";
const std::string kCancelled = "status: ORDER_STATUS_CANCELLED ";
const std::string kSeeTransactions = "status: ORDER_STATUS_SEE_TRANSACTIONS ";
const std::string kCaptureOfRoot = "capture_of_order_id: 'r' ";
const std::string kRefundOfRoot = "refund_of_order_id: 'r' ";
const std::string kPaid = "transactions { status: TRANSACTION_STATUS_COMPLETED } ";
const std::string kCapturable =
    "transactions { status: TRANSACTION_STATUS_COMPLETED is_capturable: true } ";

TEST(FamilyStoryTest, EachKindOfMemberTellsItsOutcome) {
  struct Row {
    std::string link;
    std::string root_kind;
    std::string member_kind;
  };
  for (const Row& row : std::vector<Row>{{"capture_of_order_id", "authorization", "capture"},
                                         {"void_of_order_id", "authorization", "void"},
                                         {"refund_of_order_id", "payment", "refund"},
                                         {"chargeback_of_order_id", "payment", "chargeback"},
                                         {"reversal_of_order_id", "payment", "reversal"},
                                         {"related_order_id", "payment", "payment"}}) {
    SCOPED_TRACE(row.link);
    for (const auto& [status, what] : std::vector<std::pair<std::string, std::string>>{
             {kCompleted, "completed"},
             {kError, "failed"},
             {kCancelled, "cancelled"},
             {"status: ORDER_STATUS_EXPIRED ", "expired"},
             {kSeeTransactions, "needs_review"}}) {
      Family family;
      EXPECT_THAT(
          family.Read({{'r', {.text = kCompleted, .changed_ago = minutes(5)}},
                       {'m', {.text = status + row.link + ": 'r'"}}}),
          ElementsAre("r " + row.root_kind + ".created", "r " + row.root_kind + ".completed",
                      "m " + row.member_kind + "." + what));
    }
  }
}

TEST(FamilyStoryTest, ACapturedAuthorizationIsNoPayment) {
  Family family;
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted + kCapturable}}}),
              ElementsAre("r authorization.created", "r authorization.completed"));
  family.Pass(hours(1));
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted + kPaid, .changed_ago = minutes(1)}},
                           {'c', {.text = kCompleted + kCaptureOfRoot}}}),
              ElementsAre("c capture.completed"));
  family.Pass(hours(1));
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted + kPaid}}}), IsEmpty());
}

TEST(FamilyStoryTest, ACaptureOfWhatWasToldAsPaidIsForAPerson) {
  Family family;
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted + kPaid}}}),
              ElementsAre("r payment.created", "r payment.completed"));
  family.Pass(hours(1));
  const Family::Given root{.text = kCompleted + kPaid, .changed_ago = minutes(10)};
  const Family::Given capture{.text = kCompleted + kCaptureOfRoot, .changed_ago = minutes(1)};
  EXPECT_THAT(family.Read({{'r', root}, {'c', capture}}),
              ElementsAre("c capture.needs_review", "r payment.needs_review"));
  EXPECT_THAT(family.Read({{'r', root}, {'c', capture}}), IsEmpty());
  // Each further one by itself; of the root a person knows.
  EXPECT_THAT(family.Read({{'r', root}, {'d', capture}}), ElementsAre("d capture.needs_review"));
  EXPECT_THAT(family.Read({{'r', root}, {'f', {.text = kCompleted + kRefundOfRoot}}}),
              ElementsAre("f refund.completed"));
}

TEST(FamilyStoryTest, ACaptureOfWhatWasNeverToldIsNewMoney) {
  Family family;
  const Family::Given root{.text = kCompleted + kPaid, .changed_ago = hours(100)};
  EXPECT_THAT(family.Read({{'r', root}}), IsEmpty());
  EXPECT_THAT(family.Read({{'r', root}, {'c', {.text = kCompleted + kCaptureOfRoot}}}),
              ElementsAre("c capture.completed"));
}

TEST(FamilyStoryTest, ARelatedPaymentThatTurnsOutARefundIsForAPerson) {
  Family family;
  const std::string related = kCompleted + "related_order_id: 'r' ";
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted, .changed_ago = minutes(1)}},
                           {'m', {.text = related}}}),
              ElementsAre("r payment.created", "r payment.completed", "m payment.completed"));
  EXPECT_THAT(family.Read({{'m', {.text = related + kRefundOfRoot}}}),
              ElementsAre("m payment.needs_review"));
  EXPECT_THAT(family.Read({{'m', {.text = related + kRefundOfRoot}}}), IsEmpty());
}

TEST(FamilyStoryTest, AnAuthorizationIsToldByItsCaptureAlone) {
  Family family;
  EXPECT_THAT(family.Read({{'r', {.text = kNew}}}), ElementsAre("r payment.created"));
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted + kPaid, .changed_ago = minutes(1)}},
                           {'c', {.text = kCompleted + kCaptureOfRoot}}}),
              ElementsAre("r authorization.completed", "c capture.completed"));
}

TEST(FamilyStoryTest, ACaptureThatIsKnownFromBeforeTellsTheKindToo) {
  Family family;
  family.Read({{'r', {.text = kProcessing}}, {'c', {.text = kCompleted + kCaptureOfRoot}}});
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted + kPaid}}}),
              ElementsAre("r authorization.completed"));
}

TEST(FamilyStoryTest, AVoidedAccountFundingIsAnAuthorization) {
  const std::string aft = "transactions { transaction_type: 'aft' }";
  EXPECT_THAT(
      Family().Read({{'r', {.text = kCompleted + aft, .changed_ago = minutes(1)}},
                     {'v', {.text = kCompleted + "void_of_order_id: 'r'"}}}),
      ElementsAre("r authorization.created", "r authorization.completed", "v void.completed"));
  EXPECT_THAT(Family().Read({{'r', {.text = kCompleted + aft, .changed_ago = minutes(1)}},
                             {'f', {.text = kCompleted + kRefundOfRoot}}}),
              ElementsAre("r account_funding.created", "r account_funding.completed",
                          "f refund.completed"));
}

TEST(FamilyStoryTest, WhatMakesARootAnAuthorizationIsNothingToItsMembers) {
  EXPECT_THAT(
      Family().Read({{'r', {.text = kCompleted + kCapturable, .changed_ago = minutes(2)}},
                     {'c', {.text = kCompleted + kCaptureOfRoot, .changed_ago = minutes(1)}},
                     {'x', {.text = kCompleted + "related_order_id: 'r'"}}}),
      ElementsAre("r authorization.created", "r authorization.completed", "c capture.completed",
                  "x payment.completed"));
}

TEST(FamilyStoryTest, AMemberSeenNewTellsItsCreationAndOneSeenLaterDoesNot) {
  Family family;
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted, .changed_ago = minutes(9)}},
                           {'f', {.text = kNew + kRefundOfRoot}},
                           {'g', {.text = kProcessing + kRefundOfRoot}}}),
              ElementsAre("r payment.created", "r payment.completed", "f refund.created",
                          "g refund.processing"));
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted}},
                           {'f', {.text = kCompleted + kRefundOfRoot}},
                           {'g', {.text = kError + kRefundOfRoot}}}),
              ElementsAre("f refund.completed", "g refund.failed"));
}

TEST(FamilyStoryTest, WhatGoesBackToNewWasNotCreatedAgain) {
  Family family;
  family.Read({{'r', {.text = kCompleted}}, {'f', {.text = kProcessing + kRefundOfRoot}}});
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted}}, {'f', {.text = kNew + kRefundOfRoot}}}),
              IsEmpty());
}

TEST(FamilyStoryTest, EventsOfARoundComeAsThingsHappenedWhateverWasReadFirst) {
  const std::map<char, Family::Given> given = {
      {'r', {.text = kCompleted, .changed_ago = minutes(30)}},
      {'a', {.text = kCompleted + kRefundOfRoot, .changed_ago = minutes(5)}},
      {'b', {.text = kCompleted + "chargeback_of_order_id: 'r'", .changed_ago = minutes(20)}},
      {'c', {.text = kCompleted + "reversal_of_order_id: 'b'", .changed_ago = minutes(10)}},
  };
  const auto expected =
      ElementsAre("r payment.created", "r payment.completed", "b chargeback.completed",
                  "c reversal.completed", "a refund.completed");
  EXPECT_THAT(Family().Read(given), expected);
  EXPECT_THAT(Family().Read(given, /*backwards=*/true), expected);
}

TEST(FamilyStoryTest, WhatHappenedAtOneTimeComesRootFirstWhateverWasReadFirst) {
  const std::map<char, Family::Given> given = {{'r', {.text = kCompleted}},
                                               {'a', {.text = kCompleted + kRefundOfRoot}},
                                               {'b', {.text = kCompleted + kRefundOfRoot}}};
  const auto expected = ElementsAre("r payment.created", "r payment.completed",
                                    "a refund.completed", "b refund.completed");
  EXPECT_THAT(Family().Read(given), expected);
  EXPECT_THAT(Family().Read(given, /*backwards=*/true), expected);
}

TEST(FamilyStoryTest, TheRootsCreationComesBeforeWhatIsOlder) {
  // A root that changed after its refund: the refund's event is older than all but the creation.
  EXPECT_THAT(Family().Read({{'r', {.text = kError, .changed_ago = minutes(1)}},
                             {'a', {.text = kCompleted + kRefundOfRoot, .changed_ago = hours(2)}}}),
              ElementsAre("r payment.created", "a refund.completed", "r payment.failed"));
}

TEST(FamilyStoryTest, WhatWasPublishedOfAMemberDoesNotCountForAnother) {
  Family family;
  family.Read({{'r', {.text = kCompleted}}, {'a', {.text = kCompleted + kRefundOfRoot}}});
  EXPECT_THAT(family.Read({{'r', {.text = kSeeTransactions}},
                           {'a', {.text = kCancelled + kRefundOfRoot}},
                           {'b', {.text = kCompleted + kRefundOfRoot}}}),
              ElementsAre("r payment.needs_review", "a refund.needs_review", "b refund.completed"));
  EXPECT_THAT(family.Read({{'a', {.text = kCompleted + kRefundOfRoot}}}),
              ElementsAre("a refund.needs_review#2"));
}

TEST(FamilyStoryTest, AMemberThatIsNotReadStaysAsItWas) {
  Family family;
  family.Read({{'r', {.text = kCompleted}}, {'a', {.text = kProcessing + kRefundOfRoot}}});
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted}}}), IsEmpty());
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted}}, {'a', {.unread = true}}}), IsEmpty());
  EXPECT_EQ(FindState(family.snapshot(), Family::Id('r'), Family::Id('a'))->status(),
            common::v1::ORDER_STATUS_PROCESSING);
}

TEST(FamilyStoryTest, AMemberThatCouldNotBeReadIsRememberedAndToldLater) {
  Family family;
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted}}, {'a', {.unread = true}}}),
              ElementsAre("r payment.created", "r payment.completed"));
  const storage::v1::OrderState* state =
      FindState(family.snapshot(), Family::Id('r'), Family::Id('a'));
  ASSERT_NE(state, nullptr);
  EXPECT_FALSE(WasRead(*state));
  EXPECT_FALSE(IsFinal(*state));
  EXPECT_THAT(family.Read({{'a', {.text = kCompleted + kRefundOfRoot}}}),
              ElementsAre("a refund.completed"));
}

TEST(FamilyStoryTest, AfterLostMemoryOldMembersStaySilentAlsoWhenTheyTurnUpLate) {
  Family family;
  const Family::Given root{.text = kCompleted, .changed_ago = hours(24 * 30)};
  EXPECT_THAT(family.Read({{'r', root}}), IsEmpty());
  EXPECT_THAT(family.Read({{'a', {.text = kCompleted + kRefundOfRoot, .changed_ago = hours(73)}}}),
              IsEmpty());
  EXPECT_THAT(family.Read({{'b', {.text = kCompleted + kRefundOfRoot, .changed_ago = hours(71)}}}),
              ElementsAre("b refund.completed"));
}

TEST(FamilyStoryTest, AMemberFoundLateInAFamilyThatWasKnownIsPublished) {
  Family family;
  family.Read({{'r', {.text = kCompleted}}});
  family.Pass(hours(24 * 40));
  const Family::Given chargeback{.text = kCompleted + "chargeback_of_order_id: 'r'",
                                 .changed_ago = hours(24 * 10)};
  EXPECT_THAT(family.Read({{'a', chargeback}}), ElementsAre("a chargeback.completed"));
  // The same after lost memory is recorded silently.
  family.LoseMemory();
  EXPECT_THAT(
      family.Read({{'r', {.text = kCompleted, .changed_ago = hours(24 * 40)}}, {'a', chargeback}}),
      IsEmpty());
}

TEST(FamilyStoryTest, AnOldMemberThatChangesAfterItWasSeenIsPublished) {
  Family family;
  const Family::Given old{.text = kProcessing + kRefundOfRoot, .changed_ago = hours(100)};
  EXPECT_THAT(family.Read({{'r', {.text = kCompleted, .changed_ago = hours(100)}}, {'a', old}}),
              IsEmpty());
  EXPECT_THAT(family.Read({{'a', {.text = kCompleted + kRefundOfRoot, .changed_ago = hours(99)}}}),
              ElementsAre("a refund.completed"));
}

TEST(FamilyStoryTest, OwnCheckoutAndCaptureModeAreOfTheOrderTheyWereSentFor) {
  const std::string declined = "transactions { status: TRANSACTION_STATUS_DECLINED } ";
  EXPECT_THAT(Family().Read({{'r', {.text = kCompleted, .changed_ago = minutes(1)}},
                             {'a',
                              {.text = kProcessing + declined + "related_order_id: 'r'",
                               .own_checkout = true,
                               .capture_mode_sent = true}},
                             {'b', {.text = kProcessing + declined + "related_order_id: 'r'"}}}),
              ElementsAre("r payment.created", "r payment.completed", "a authorization.failed",
                          "b payment.processing"));
}

TEST(KindIsUncertainTest, OnlyAnOutcomeThatAnUnreadCaptureCouldChangeWaits) {
  const Uuid root{{'r'}};
  const Uuid unread = *Uuid::Parse("7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10");
  const std::string id = unread.ToString();
  struct Row {
    std::string root;
    bool capture_mode_sent;
    bool own_checkout;
    bool uncertain;
  };
  const std::string listed = "related_orders: '" + id + "' ";
  for (const Row& row : std::vector<Row>{
           {kCompleted + listed, false, false, true},
           {kCompleted, false, false, true},
           {kCompleted + "transactions { transaction_type: 'aft' }", false, false, true},
           {kCompleted + "transactions { transaction_type: 'oct' }", false, false, false},
           {kCompleted + listed, true, false, false},
           {kCompleted + kCapturable, false, false, false},
           {kProcessing + kPaid, false, false, false},
           {kProcessing + kPaid, false, true, true},
           {kCompleted + listed + "refund_orders: '" + id + "'", false, false, false},
           {kCompleted + listed + "chargeback_orders: '" + id + "'", false, false, false},
           {kCompleted + listed + "reversal_orders: '" + id + "'", false, false, false},
       }) {
    SCOPED_TRACE(row.root);
    common::v1::Order order;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(row.root, &order));
    const std::vector<OrderRead> reads = {{.id = root,
                                           .order = &order,
                                           .capture_mode_sent = row.capture_mode_sent,
                                           .own_checkout = row.own_checkout},
                                          {.id = unread}};
    FamilyRead read{.root = root, .orders = reads, .now = kBegin, .baseline_window = hours(72)};
    EXPECT_EQ(KindIsUncertain(read), row.uncertain);
    read.orders = {reads.data(), 1};
    EXPECT_FALSE(KindIsUncertain(read)) << "all were read";
    read.orders = reads;
    storage::v1::Snapshot fixed;
    fixed.mutable_root()->set_kind(events::v1::EVENT_KIND_PAYMENT);
    read.snapshot = &fixed;
    EXPECT_FALSE(KindIsUncertain(read)) << "it is fixed";
  }
}

TEST(FamilyStoryTest, AStateIsFinalAsItsOrderIs) {
  struct Row {
    std::string text;
    bool own_checkout;
    bool final;
  };
  for (const Row& row : std::vector<Row>{{kNew, false, false},
                                         {kProcessing + kPaid, false, false},
                                         {kProcessing + kPaid, true, true},
                                         {kCompleted, false, true},
                                         {kError, false, true},
                                         {kSeeTransactions, false, false},
                                         {kSeeTransactions + kPaid, true, false},
                                         {"status: ORDER_STATUS_EXPIRED", false, true}}) {
    SCOPED_TRACE(row.text);
    Family family;
    family.Read({{'r', {.text = row.text, .own_checkout = row.own_checkout}}});
    EXPECT_EQ(IsFinal(family.snapshot().root()), row.final);
  }
}

}  // namespace
}  // namespace tollbridge::domain
