#include "sandbox/wire/order_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <string>

#include "tests/unit/sandbox/core/world_test.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

class OrderJsonTest : public WorldTest {
 protected:
  json::object Json(const Uuid& id) {
    return json::parse(OrderToJson(Get(id), addresses_)).as_object();
  }
  json::object TransactionJson(const Uuid& id) {
    return Json(id).at("transactions").as_array().back().as_object();
  }
  static std::string Text(const json::object& object, std::string_view name) {
    return std::string(object.at(name).as_string());
  }

  Addresses addresses_{.base_url = "http://sandbox.test"};
};

TEST_F(OrderJsonTest, GivesRequestFieldsBackAsTheyCame) {
  OrderDraft draft = Draft("");
  draft.order.merchant_order_id = "A-1 \"quoted\" \xC3\xA9\n";
  draft.order.merchant_name = "Shop";
  draft.order.description = "";
  draft.order.expiration_period = "PT1H";
  draft.order.payment_methods = {{"credit-card"}};
  draft.order.return_url = "http://shop.test/back";
  draft.order.failure_url = "http://shop.test/failed";
  draft.order.webhook_url = "http://shop.test/hook";
  draft.order.customer = R"({"city":"Bern"})";
  draft.order.client = R"({"platform_name":"x"})";
  draft.order.extra = R"({"n":[1,null]})";
  const json::object order = Json(Create(std::move(draft)));
  EXPECT_EQ(Text(order, "merchant_order_id"), "A-1 \"quoted\" \xC3\xA9\n");
  EXPECT_EQ(Text(order, "merchant_name"), "Shop");
  EXPECT_EQ(Text(order, "description"), "");
  EXPECT_EQ(Text(order, "expiration_period"), "PT1H");
  EXPECT_EQ(order.at("payment_methods"), json::parse(R"(["credit-card"])"));
  EXPECT_EQ(Text(order, "return_url"), "http://shop.test/back");
  EXPECT_EQ(Text(order, "failure_url"), "http://shop.test/failed");
  EXPECT_EQ(Text(order, "webhook_url"), "http://shop.test/hook");
  EXPECT_EQ(order.at("customer"), json::parse(R"({"city":"Bern"})"));
  EXPECT_EQ(order.at("client"), json::parse(R"({"platform_name":"x"})"));
  EXPECT_EQ(order.at("extra"), json::parse(R"({"n":[1,null]})"));
}

TEST_F(OrderJsonTest, HasWhatTheServiceAdds) {
  const Uuid id = Create("credit-card");
  const json::object order = Json(id);
  EXPECT_EQ(Text(order, "id"), id.ToString());
  EXPECT_EQ(Text(order, "project_id"), demo().id.ToString());
  EXPECT_EQ(Text(order, "merchant_id"), demo().merchant_id.ToString());
  EXPECT_EQ(Text(order, "status"), "new");
  EXPECT_EQ(Text(order, "created"), "2026-11-21T08:00:00.000Z");
  EXPECT_EQ(Text(order, "modified"), "2026-11-21T08:00:00.000Z");
  EXPECT_EQ(order.at("flags"), json::parse(R"(["is-test"])"));
  EXPECT_EQ(order.at("amount"), 1000);
  EXPECT_EQ(order.at("refunded_amount"), 0);
  for (const char* absent :
       {"completed", "reason", "order_url", "customer", "refund_of_order_id"}) {
    EXPECT_FALSE(order.contains(absent)) << absent;
  }
}

TEST_F(OrderJsonTest, OrderWithoutTransactionHasTheHostedPagesAddress) {
  const Uuid id = Create("");
  EXPECT_EQ(Text(Json(id), "order_url"), "http://sandbox.test/pay/" + id.ToString() + "/");
  EXPECT_EQ(Json(id).at("transactions"), json::array());
}

TEST_F(OrderJsonTest, NewTransactionHasWhatCreateAnswers) {
  const Uuid id = CreateWithMode("manual");
  const json::object transaction = TransactionJson(id);
  EXPECT_EQ(Text(transaction, "order_id"), id.ToString());
  EXPECT_EQ(Text(transaction, "status"), "new");
  EXPECT_EQ(Text(transaction, "credit_debit"), "credit");
  EXPECT_EQ(Text(transaction, "currency"), "EUR");
  EXPECT_EQ(transaction.at("amount"), 1000);
  EXPECT_EQ(transaction.at("is_capturable"), false);
  EXPECT_TRUE(transaction.at("payment_method_details").as_object().contains("setup_token"));
  EXPECT_EQ(Text(transaction, "payment_url"),
            "http://sandbox.test/pay/" + id.ToString() + "/" + Text(transaction, "id") + "/");
  // A request field that is not given back (docs/interface.md#7-capture_mode-delayed).
  EXPECT_FALSE(transaction.contains("capture_mode"));
  EXPECT_FALSE(transaction.contains("outcomes"));
}

TEST_F(OrderJsonTest, PaidTransactionTellsItsEventsAndItsOutcome) {
  const Uuid id = Paid();
  const json::object transaction = TransactionJson(id);
  const json::array& events = transaction.at("events").as_array();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].as_object().at("event"), "new");
  EXPECT_EQ(events[1].as_object().at("event"), "accepted");
  EXPECT_EQ(events[2].as_object().at("event"), "completed");
  EXPECT_EQ(events[2].as_object().at("source"), "set_status");
  EXPECT_EQ(events[2].as_object().at("occurred"), "2026-11-21T08:00:00.000Z");
  EXPECT_EQ(events[2].as_object().at("noticed"), "2026-11-21T08:00:00.000Z");
  EXPECT_TRUE(Uuid::Parse(std::string(events[2].as_object().at("id").as_string())));
  const json::object& outcome = transaction.at("outcomes").as_object().at("processing").as_object();
  EXPECT_EQ(outcome.at("status"), "completed");
  EXPECT_EQ(outcome.at("response_code"), "00");
  EXPECT_EQ(outcome.at("response_code_description"), "approved");
  EXPECT_EQ(Text(transaction, "payment_method_brand"), "network-a");
  EXPECT_EQ(Text(Json(id), "completed"), "2026-11-21T08:00:00.000Z");
}

TEST_F(OrderJsonTest, TransactionHasTheOrdersExpirationPeriod) {
  OrderDraft draft = Draft("credit-card");
  draft.order.expiration_period = "PT1H";
  EXPECT_EQ(Text(TransactionJson(Create(std::move(draft))), "expiration_period"), "PT1H");
}

TEST_F(OrderJsonTest, TransactionTellsWhenItChangedLast) {
  const Uuid order = CreateWithMode("manual");
  EXPECT_EQ(Text(TransactionJson(order), "modified"), "2026-11-21T08:00:00.000Z");
  Advance(std::chrono::seconds(1));
  ASSERT_FALSE(PayOnPage(order, kApprovedPan));
  EXPECT_EQ(Text(TransactionJson(order), "modified"), "2026-11-21T08:00:01.000Z");
  Advance(std::chrono::seconds(1));
  ASSERT_TRUE(world_.follow_ups.Capture(order, Last(order).id, 1, std::nullopt).ok());
  EXPECT_EQ(Text(TransactionJson(order), "modified"), "2026-11-21T08:00:02.000Z");
  EXPECT_EQ(Text(TransactionJson(order), "created"), "2026-11-21T08:00:00.000Z");
  Advance(std::chrono::seconds(1));
  ASSERT_TRUE(world_.follow_ups.Void(order, Last(order).id, 1, std::nullopt).ok());
  EXPECT_EQ(Text(TransactionJson(order), "modified"), "2026-11-21T08:00:03.000Z");
}

TEST_F(OrderJsonTest, TransactionHasThePeriodThatIsInForceUnasked) {
  const Uuid order = Create("credit-card");
  EXPECT_EQ(Text(TransactionJson(order), "expiration_period"), "P1D");
  EXPECT_FALSE(Json(order).contains("expiration_period")) << "nobody asked for one";
  const Uuid paid = Paid();
  const auto refund = world_.follow_ups.Refund(paid, 1, std::nullopt);
  ASSERT_TRUE(refund.ok());
  EXPECT_FALSE(TransactionJson((*refund)->id).contains("expiration_period")) << "it is in force";
}

TEST_F(OrderJsonTest, TransactionKnowsItsMethodItsTypeAndWhenItWasMade) {
  OrderDraft draft = Draft("credit-card-oct");
  draft.order.transactions[0].transaction_type = "oct";
  draft.order.transactions[0].debit = true;
  const json::object payout = TransactionJson(Create(std::move(draft)));
  EXPECT_EQ(Text(payout, "payment_method"), "credit-card-oct");
  EXPECT_EQ(Text(payout, "transaction_type"), "oct");
  EXPECT_EQ(Text(payout, "credit_debit"), "debit");
  EXPECT_EQ(Text(payout, "created"), "2026-11-21T08:00:00.000Z");
  EXPECT_FALSE(TransactionJson(Create("credit-card")).contains("transaction_type"));
}

/// Member of the child that names the order, and member of the order that lists the child.
struct RelationCase {
  Relation relation;
  const char* origin_member;
  const char* list_member;  ///< "": only related_orders
  const char* flag;         ///< "": none
};

class RelationJsonTest : public OrderJsonTest, public testing::WithParamInterface<RelationCase> {};

TEST_P(RelationJsonTest, BothOrdersNameEachOther) {
  const RelationCase& c = GetParam();
  const bool of_authorization = c.relation == Relation::kCapture || c.relation == Relation::kVoid;
  const Uuid origin = of_authorization ? Authorized() : Paid();
  const auto make = [&]() -> FollowUps::Made {
    FollowUps& follow_ups = world_.follow_ups;
    switch (c.relation) {
      case Relation::kCapture:
        return follow_ups.Capture(origin, Last(origin).id, {}, {});
      case Relation::kVoid:
        return follow_ups.Void(origin, Last(origin).id, {}, {});
      case Relation::kChargeback:
        return follow_ups.Chargeback(origin, {});
      case Relation::kReversal:
        return follow_ups.Reversal(origin, {});
      default:
        return follow_ups.Refund(origin, {}, {});
    }
  };
  const Uuid made = (*make())->id;
  EXPECT_EQ(Text(Json(made), c.origin_member), origin.ToString());
  EXPECT_EQ(Text(Json(made), "related_order_id"), origin.ToString());
  const json::array wanted = {json::value(made.ToString())};
  EXPECT_EQ(Json(origin).at("related_orders"), wanted);
  if (*c.list_member != '\0') EXPECT_EQ(Json(origin).at(c.list_member), wanted);
  if (*c.flag != '\0') {
    EXPECT_THAT(Flags(Get(origin)), testing::Contains(std::string_view(c.flag)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RelationJsonTest,
    testing::Values(
        RelationCase{Relation::kRefund, "refund_of_order_id", "refund_orders", "has-refunds"},
        RelationCase{Relation::kCapture, "capture_of_order_id", "", "has-captures"},
        RelationCase{Relation::kVoid, "void_of_order_id", "", "has-voids"},
        RelationCase{Relation::kChargeback, "chargeback_of_order_id", "chargeback_orders", ""},
        RelationCase{Relation::kReversal, "reversal_of_order_id", "reversal_orders", ""}));

TEST_F(OrderJsonTest, RefundOrderIsFlaggedAndItsOriginCountsIt) {
  const Uuid origin = Paid();
  const auto made = world_.follow_ups.Refund(origin, 250, "one shirt");
  const json::object refund = Json((*made)->id);
  EXPECT_EQ(refund.at("flags"), json::parse(R"(["is-test","is-refund"])"));
  EXPECT_EQ(Text(refund, "description"), "one shirt");
  const json::object transaction = refund.at("transactions").as_array()[0].as_object();
  EXPECT_EQ(Text(transaction, "credit_debit"), "debit");
  EXPECT_EQ(Text(transaction, "refund_of_transaction_id"), Last(origin).id.ToString());
  EXPECT_EQ(Json(origin).at("refunded_amount"), 250);
}

TEST_F(OrderJsonTest, LinkListsItsOrdersByStatus) {
  PaymentLink draft;
  draft.merchant_order_id = "L-1";
  draft.amount = 700;
  draft.currency = "EUR";
  draft.description = "a lamp";
  const Uuid id = (*world_.links.Create(demo(), draft))->id;
  const auto link = [&] {
    return json::parse(LinkToJson(*world_.links.Find(id), world_.orders, addresses_)).as_object();
  };
  EXPECT_EQ(Text(link(), "status"), "new");
  EXPECT_EQ(Text(link(), "expiration_period"), "P30D");
  EXPECT_EQ(Text(link(), "payment_url"), "http://sandbox.test/pay/link/" + id.ToString() + "/");
  EXPECT_EQ(link().at("orders"), json::object());

  const Uuid failed = (*world_.links.StartAttempt(id, "credit-card"))->id;
  EXPECT_FALSE(PayOnPage(failed, kDeclinedPan));
  EXPECT_EQ(Text(link(), "status"), "all_unsuccessful");
  const Uuid paid = (*world_.links.StartAttempt(id, "credit-card"))->id;
  EXPECT_FALSE(PayOnPage(paid, kApprovedPan));
  EXPECT_EQ(Text(link(), "status"), "completed");
  EXPECT_EQ(Text(link(), "completed_order_id"), paid.ToString());
  json::object wanted;
  wanted["completed"] = json::array{json::value(paid.ToString())};
  wanted["error"] = json::array{json::value(failed.ToString())};
  EXPECT_EQ(link().at("orders"), wanted);
  EXPECT_EQ(Text(Json(paid), "related_payment_link_id"), id.ToString());
}

}  // namespace
}  // namespace tollbridge::sandbox
