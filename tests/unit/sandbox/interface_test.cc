// What only the whole stand-in shows of the interface: that each change of status is notified, and
// that each status of docs/interface.md#errors can be had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "tests/unit/sandbox/support.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kApprovedPan = "4111111111111111";
constexpr std::string_view kDeclinedPan = "4000000000000002";

/// Webhooks are lost on the way, each with its line in the log: no socket is needed.
class NotificationsTest : public SandboxTest {
 protected:
  NotificationsTest() {
    EXPECT_EQ(Operate("faults", R"({"rules": [{"on": {"operation": "webhook"},
                                               "fault": {"kind": "lose"}}]})")
                  .status,
              200);
  }

  static std::string Text(const json::value& value) { return std::string(value.as_string()); }

  json::object CardOrder(std::string_view transaction_more = "") {
    return Created(R"({"currency": "EUR", "amount": 1250, "webhook_url": "http://shop.test/hook",
                       "transactions": [{"payment_method": "credit-card")" +
                   std::string(transaction_more) + "}]}");
  }
  /// Of the order's one transaction.
  std::string PagePath(const json::object& order) {
    return "/pay/" + Text(order.at("id")) + "/" + TransactionId(order) + "/";
  }
  static std::string TransactionId(const json::object& order) {
    return Text(order.at("transactions").at(0).at("id"));
  }
  http::Response PayOnPage(const json::object& order, std::string_view pan) {
    return Ask("POST", PagePath(order), "",
               "pan=" + std::string(pan) + "&expiry=12%2F30&cvc=123&name=A+B");
  }
  /// How often the order's changes were notified so far.
  std::size_t Notified(const json::value& order_id) {
    std::size_t count = 0;
    const json::value log = json::parse(Ask("GET", "/_sandbox/deliveries", "").body);
    for (const json::value& row : log.as_array()) {
      if (row.at("order_id") == order_id) ++count;
    }
    return count;
  }
};

TEST_F(NotificationsTest, CreatingAnOrderChangesNoStatus) {
  EXPECT_EQ(Notified(CardOrder().at("id")), 0U);
}

TEST_F(NotificationsTest, DeclinedCardLeavesTheOrderInErrorWithItsReasonAndIsNotified) {
  const json::object order = CardOrder();
  EXPECT_EQ(PayOnPage(order, kDeclinedPan).status, 303);
  const json::object read = Get(order);
  EXPECT_EQ(read.at("status"), "error");
  EXPECT_EQ(read.at("reason"), "declined: do not honor");
  EXPECT_EQ(Notified(order.at("id")), 2U) << "processing, and error";
  EXPECT_TRUE(Ledger().empty());
}

TEST_F(NotificationsTest, PaidOrderIsNotifiedOfEachOfItsChanges) {
  const json::object order = CardOrder();
  EXPECT_EQ(PayOnPage(order, kApprovedPan).status, 303);
  EXPECT_EQ(Get(order).at("status"), "completed");
  EXPECT_EQ(Notified(order.at("id")), 2U) << "processing, and completed";
}

TEST_F(NotificationsTest, OwnCheckoutIsNotifiedOnceMoreWhenItsHoldEnds) {
  const json::object order = CardOrder();
  const std::string token =
      Text(order.at("transactions").at(0).at("payment_method_details").at("setup_token"));
  const json::object card = Object(
      Ask("POST", "/vault/v1/cards/", kDemoKey,
          R"({"pan": "4111111111111111", "expiry": "122030", "setup_token": ")" + token + "\"}"));
  const std::string path =
      OrderPath(order) + "transactions/" + TransactionId(order) + "/authenticate/";
  EXPECT_EQ(
      Ask("POST", path, kDemoKey, R"({"vault_token": ")" + Text(card.at("vault_token")) + "\"}")
          .status,
      200);
  EXPECT_EQ(Notified(order.at("id")), 1U) << "processing";
  EXPECT_EQ(Operate("clock", R"({"advance": "PT60M"})").status, 200);
  EXPECT_EQ(Get(order).at("status"), "completed");
  EXPECT_EQ(Notified(order.at("id")), 2U);
}

TEST_F(NotificationsTest, CancelledAndExpiredAreNotified) {
  const json::object cancelled = CardOrder();
  EXPECT_EQ(Ask("POST", "/pay/" + Text(cancelled.at("id")) + "/", "", "action=cancel").status, 303);
  const json::object expired = CardOrder();
  EXPECT_EQ(Operate("clock", R"({"advance": "PT24H"})").status, 200);
  EXPECT_EQ(Get(expired).at("status"), "expired");
  EXPECT_EQ(Notified(expired.at("id")), 1U);
  EXPECT_EQ(Get(cancelled).at("status"), "cancelled");
  EXPECT_EQ(Notified(cancelled.at("id")), 1U);
}

TEST_F(NotificationsTest, CapturesGoToTheUrlOfTheirOrder) {
  const json::object order = CardOrder(R"(, "capture_mode": "manual")");
  PayOnPage(order, kApprovedPan);
  const http::Response captured = Ask(
      "POST", OrderPath(order) + "transactions/" + TransactionId(order) + "/captures/", kDemoKey);
  ASSERT_EQ(captured.status, 201) << captured.body;
  EXPECT_EQ(Notified(Object(captured).at("id")), 2U);
}

TEST_F(NotificationsTest, OrdersOfAPaymentLinkGoToTheUrlOfTheLink) {
  const json::object link =
      Object(Ask("POST", "/v1/paymentlinks/", kDemoKey,
                 R"({"merchant_order_id": "L-1", "amount": 700, "currency": "EUR",
          "webhook_url": "http://shop.test/link"})"));
  EXPECT_EQ(Ask("POST", "/pay/link/" + Text(link.at("id")) + "/", "", "method=credit-card").status,
            303);
  const json::object read =
      Object(Ask("GET", "/v1/paymentlinks/" + Text(link.at("id")) + "/", kDemoKey));
  const json::object order = Get({{"id", read.at("orders").at("new").at(0)}});
  EXPECT_EQ(order.at("webhook_url"), "http://shop.test/link");
  PayOnPage(order, kApprovedPan);
  EXPECT_EQ(Notified(order.at("id")), 2U);
}

class StatusesTest : public SandboxTest, public testing::WithParamInterface<int> {};

TEST_P(StatusesTest, ErrorStatusOfTheDocumentCanBeHadWithItsErrorObject) {
  const std::string status = std::to_string(GetParam());
  ASSERT_EQ(
      Operate("faults", R"({"rules": [{"fault": {"kind": "status", "status": )" + status + "}}]}")
          .status,
      200);
  const http::Response response = Create();
  EXPECT_EQ(response.status, GetParam());
  EXPECT_EQ(response.headers.Find("Content-Type"), "application/json");
  const json::object error = Object(response).at("error").as_object();
  EXPECT_EQ(error.at("status"), GetParam());
  EXPECT_FALSE(error.at("type").as_string().empty());
  EXPECT_FALSE(error.at("value").as_string().empty());
  EXPECT_TRUE(app_.world().orders.by_id().empty()) << "not accepted, so not stored";
}

INSTANTIATE_TEST_SUITE_P(SectionErrors, StatusesTest,
                         testing::Values(400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504));

class NoContentTest : public SandboxTest {};

TEST_F(NoContentTest, SuccessWithoutABodyCanBeHad) {
  ASSERT_EQ(
      Operate("faults", R"({"rules": [{"fault": {"kind": "status", "status": 204}}]})").status,
      200);
  const http::Response response = Create();
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
}

}  // namespace
}  // namespace tollbridge::sandbox
