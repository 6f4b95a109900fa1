// Families over real parts: all events of a family under its root's key, in order and without gaps,
// whoever made the member, with its webhook or without.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/support/flows.h"
#include "tests/e2e/support/payments.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::test {
namespace {

using common::v1::Order;
using payments::v1::CaptureTransactionRequest;
using payments::v1::CaptureTransactionResponse;
using payments::v1::CreateRefundRequest;
using payments::v1::CreateRefundResponse;
using testing::ElementsAre;

class FamilyEventsTest : public FlowTest {
 protected:
  void SetUp() override {
    FlowTest::SetUp();
    if (!family_events_) family_events_ = stack().OpenTopic("events");
  }
  static void TearDownTestSuite() {
    family_events_.reset();
    FlowTest::TearDownTestSuite();
  }

  static Order Pay(const std::string& capture_mode = "") {
    auto request = NewOrder("credit-card");
    if (!capture_mode.empty()) request.mutable_transactions(0)->set_capture_mode(capture_mode);
    const Order order = Create(request);
    PayOnCardPage(stack(), order.transactions(0).payment_url());
    return Read(order.id());
  }
  static Order Refund(const std::string& order_id, std::int64_t amount) {
    CreateRefundRequest request;
    request.set_order_id(order_id);
    request.set_amount(amount);
    return Must<CreateRefundResponse>(request).refund_order();
  }
  static Order Capture(const Order& order) {
    return Must<CaptureTransactionResponse>(About<CaptureTransactionRequest>(order))
        .capture_order();
  }
  static bool IsProgress(const events::v1::PaymentEvent& event) {
    return event.what() == events::v1::EVENT_WHAT_PROCESSING ||
           (event.what() == events::v1::EVENT_WHAT_CREATED &&
            event.order_id() != event.root_order_id());
  }

  /// The family's events of its first stream, each once.
  static std::vector<events::v1::PaymentEvent> FamilyOf(const std::string& root) {
    std::vector<events::v1::PaymentEvent> family;
    std::map<std::uint64_t, std::string> contents;
    std::set<std::int32_t> partitions;
    for (const TopicRecord& record : family_events_->records()) {
      if (record.key != root) continue;
      partitions.insert(record.partition);
      events::v1::PaymentEvent event;
      EXPECT_TRUE(event.ParseFromString(record.value));
      EXPECT_EQ(event.root_order_id(), root);
      EXPECT_EQ(record.header("ce_subject"), event.order_id());
      const auto [known, is_new] = contents.emplace(event.sequence(), record.value);
      EXPECT_EQ(known->second, record.value) << "one content for each sequence number";
      if (!is_new) continue;
      EXPECT_EQ(event.sequence(), contents.size()) << "without a gap";
      family.push_back(event);
    }
    EXPECT_EQ(partitions.size(), 1U);
    return family;
  }

  /// Waits for the last of these outcomes of the family, then looks at all: "kind.what" and whose.
  static std::vector<std::string> Outcomes(const std::string& root, const std::string& last_order) {
    family_events_->ReadUntil([&](const std::vector<TopicRecord>& records) {
      const std::vector<TopicRecord> events = EventsOf(records, last_order);
      return !events.empty() && events.back().header("ce_type").ends_with(".completed.v1");
    });
    std::vector<std::string> texts;
    for (const events::v1::PaymentEvent& event : FamilyOf(root)) {
      if (!IsProgress(event)) texts.push_back(event.type() + " " + event.order_id());
    }
    return texts;
  }
  static std::string Told(const std::string& kind_and_what, const std::string& order_id) {
    return "tollbridge." + kind_and_what + ".v1 " + order_id;
  }

  static inline std::unique_ptr<Topic> family_events_;
};

TEST_F(FamilyEventsTest, APaymentWithPartialRefundsAChargebackAndAReversal) {
  const Order order = Pay();
  const Order first = Refund(order.id(), 200);
  const Order second = Refund(order.id(), 300);
  Outcomes(order.id(), second.id());
  DoAtTheService(order.id(), "chargeback");
  const std::string chargeback = *Read(order.id()).related_orders().rbegin();
  Outcomes(order.id(), chargeback);
  DoAtTheService(order.id(), "reversal");
  const std::string reversal = *Read(order.id()).related_orders().rbegin();
  EXPECT_THAT(
      Outcomes(order.id(), reversal),
      ElementsAre(Told("payment.created", order.id()), Told("payment.completed", order.id()),
                  Told("refund.completed", first.id()), Told("refund.completed", second.id()),
                  Told("chargeback.completed", chargeback), Told("reversal.completed", reversal)));
}

TEST_F(FamilyEventsTest, AnAuthorizationItsCaptureAndTheRefundOfThat) {
  const Order order = Pay("manual");
  const Order captured = Capture(order);
  const Order refund = Refund(captured.id(), 450);
  EXPECT_THAT(
      Outcomes(order.id(), refund.id()),
      ElementsAre(Told("authorization.created", order.id()),
                  Told("authorization.completed", order.id()),
                  Told("capture.completed", captured.id()), Told("refund.completed", refund.id())));
}

TEST_F(FamilyEventsTest, AMembersOriginIsTheCallThatMadeIt) {
  const Order order = Pay();
  const Order refund = Refund(order.id(), 200);
  Outcomes(order.id(), refund.id());
  const auto origin_of = [](const std::string& id) {
    return EventsOf(family_events_->records(), id).back().header("origin_traceparent");
  };
  EXPECT_FALSE(origin_of(order.id()).empty());
  EXPECT_FALSE(origin_of(refund.id()).empty());
  EXPECT_NE(origin_of(order.id()), origin_of(refund.id()));
}

}  // namespace
}  // namespace tollbridge::test
