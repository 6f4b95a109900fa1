#include "sandbox/api/order_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <chrono>
#include <string>
#include <string_view>

#include "tests/unit/sandbox/api/order_routes_fixture.h"

namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kPlain = R"({"currency": "EUR", "amount": 1250})";

class OrdersTest : public OrderRoutesTest {
 protected:
  /// GET of a target while reads lag.
  http::Response GetLagging(const std::string& path, Millis lag) {
    http::Request request;
    request.target = path;
    const auto target = http::ParseTarget(path);
    const Match match = router_.Find("GET", target->segments);
    const Call call{.request = &request,
                    .target = &*target,
                    .parameters = match.parameters,
                    .project = &demo(),
                    .read_lag = lag};
    return match.route->handle(call);
  }
};

TEST_F(OrdersTest, RoutesAreThoseOfTheDocument) {
  const struct {
    std::string_view operation;
    std::string_view method;
    std::string_view pattern;
  } expected[] = {
      {"create_order", "POST", "/v1/orders/"},
      {"get_order", "GET", "/v1/orders/{}/"},
      {"initiate", "POST", "/v1/orders/{}/transactions/{}/initiate/"},
      {"authenticate", "POST", "/v1/orders/{}/transactions/{}/authenticate/"},
      {"capture", "POST", "/v1/orders/{}/transactions/{}/captures/"},
      {"void", "POST", "/v1/orders/{}/transactions/{}/voids/"},
      {"partial_capture", "POST", "/v1/orders/{}/transactions/{}/captures/amount/"},
      {"partial_void", "POST", "/v1/orders/{}/transactions/{}/voids/amount/"},
      {"list_refunds", "GET", "/v1/orders/{}/refunds/"},
      {"create_refund", "POST", "/v1/orders/{}/refunds/"},
      {"list_currencies", "GET", "/v1/merchants/self/projects/self/currencies/"},
  };
  ASSERT_EQ(router_.routes().size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const Route& route = router_.routes()[i];
    SCOPED_TRACE(route.operation);
    EXPECT_EQ(route.operation, expected[i].operation);
    EXPECT_EQ(route.method, expected[i].method);
    EXPECT_EQ(route.pattern, expected[i].pattern);
    EXPECT_EQ(route.access, Access::kMerchant);
    EXPECT_EQ(route.changes, route.method == "POST");
  }
}

TEST_F(OrdersTest, CreatedOrderIsTheOneThatIsReadBack) {
  const boost::json::object created =
      Created(R"({"currency": "EUR", "amount": 1250, "merchant_order_id": "A-1",
                  "description": "Tea", "extra": {"a": [1, null, "b"]},
                  "customer": {"email_address": "someone@shop.example"}})");
  EXPECT_EQ(created.at("status"), "new");
  EXPECT_EQ(created.at("amount"), 1250);
  EXPECT_EQ(created.at("currency"), "EUR");
  EXPECT_EQ(created.at("merchant_order_id"), "A-1");
  EXPECT_EQ(created.at("extra"), boost::json::parse(R"({"a": [1, null, "b"]})"));
  EXPECT_EQ(created.at("customer").at("email_address"), "someone@shop.example");
  EXPECT_EQ(created.at("project_id"), "11111111-1111-4111-8111-111111111111");
  EXPECT_EQ(Text(created.at("order_url")),
            "http://sandbox.test/pay/" + Text(created.at("id")) + "/");
  EXPECT_THAT(created.at("transactions").as_array(), IsEmpty());
  EXPECT_EQ(Get(Text(created.at("id"))), created);
}

TEST_F(OrdersTest, EachRequestFieldOfTheDocumentIsGivenBack) {
  const boost::json::object request =
      boost::json::parse(R"({"merchant_order_id": "A-1", "merchant_name": "Shop",
        "description": "Tea", "currency": "USD", "amount": 1250, "expiration_period": "PT1H",
        "payment_methods": ["credit-card", "wallet-b-pay"],
        "return_url": "https://shop.example/back", "failure_url": "https://shop.example/failed",
        "webhook_url": "https://shop.example/hook",
        "customer": {"merchant_customer_id": "C-1", "email_address": "someone@shop.example",
          "first_name": "A", "last_name": "B", "address_type": "billing", "address": "Street 1",
          "postal_code": "94016", "city": "Town", "country": "US", "state": "CA",
          "locale": "en-US", "phone_numbers": ["+1 5550100"], "ip_address": "192.0.2.1"},
        "client": {"user_agent": "x/1", "platform_name": "p", "platform_version": "2",
          "plugin_name": "q", "plugin_version": "3"},
        "extra": {"a": [1, null, "b"]}})")
          .as_object();
  const boost::json::object order = Get(Text(Created(boost::json::serialize(request)).at("id")));
  for (const auto& [name, value] : request) EXPECT_EQ(order.at(name), value) << name;
}

TEST_F(OrdersTest, OnlyOrdersOfATestProjectAreFlaggedAsTest) {
  EXPECT_EQ(Created(kPlain).at("flags"), boost::json::parse(R"(["is-test"])"));
  EXPECT_EQ(Created(kPlain, kShopKey).at("flags"), boost::json::array());
}

TEST_F(OrdersTest, OneClickOrderShowsItsCardAndSendsTheCustomerToItsPaymentUrl) {
  const std::string token = Card(kApprovedPan);
  const boost::json::object created =
      Created(R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "credit-card",
                  "payment_method_details": {"one_click_type": "one-click", "cvc": "987",
                  "vault_token": ")" +
              token + R"("}}]})");
  const boost::json::object& transaction = created.at("transactions").at(0).as_object();
  EXPECT_EQ(
      Text(transaction.at("payment_url")),
      "http://sandbox.test/pay/" + Text(created.at("id")) + "/" + Text(transaction.at("id")) + "/");
  const boost::json::object& details = transaction.at("payment_method_details").as_object();
  EXPECT_EQ(details.at("one_click_type"), "one-click");
  EXPECT_EQ(Text(details.at("vault_token")), token);
  EXPECT_EQ(details.at("truncated_pan"), "411111******1111");
  EXPECT_FALSE(details.contains("setup_token")) << "there is no card to store";
}

TEST_F(OrdersTest, OrderWithATransactionHasAPaymentUrlAndASetupToken) {
  const boost::json::object created =
      Created(R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "credit-card",
                  "capture_mode": "manual", "payment_method_details": {"one_click_type": "first"}}]})");
  EXPECT_FALSE(created.contains("order_url")) << "the method is chosen already";
  ASSERT_EQ(created.at("transactions").as_array().size(), 1u);
  const boost::json::object& transaction = created.at("transactions").at(0).as_object();
  EXPECT_EQ(transaction.at("status"), "new");
  EXPECT_EQ(transaction.at("payment_method"), "credit-card");
  EXPECT_EQ(
      Text(transaction.at("payment_url")),
      "http://sandbox.test/pay/" + Text(created.at("id")) + "/" + Text(transaction.at("id")) + "/");
  EXPECT_TRUE(Uuid::Parse(Text(transaction.at("payment_method_details").at("setup_token"))));
}

TEST_F(OrdersTest, WhatIsRefusedIsNotKept) {
  ExpectError(Create("{"), 400, "ValidationError", "not JSON");
  ExpectError(Create("{}"), 422, "ValidationError", "currency is required");
  ExpectError(Create(R"({"currency": "EUR", "amount": 1, "transactions": [{}]})"), 422,
              "MissingInformationToCreateTransaction", "transactions[0].payment_method");
  ExpectError(Create(R"({"currency": "QQQ", "amount": 1})"), 422, "ValidationError", "currency");
  ExpectError(Create(R"({"currency": "EUR", "amount": 1,
                         "transactions": [{"payment_method": "cash"}]})"),
              422, "ValidationError", "transactions[0].payment_method");
  EXPECT_TRUE(world_.orders.by_id().empty());
}

TEST_F(OrdersTest, SecurityCodeIsNeitherKeptNorGivenBack) {
  const http::Response created =
      Create(R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "credit-card",
                 "payment_method_details": {"one_click_type": "one-click", "cvc": "987",
                 "vault_token": ")" +
             Card(kApprovedPan) + R"("}}]})");
  ASSERT_EQ(created.status, 201) << created.body;
  EXPECT_THAT(created.body, Not(HasSubstr("cvc")));
  const http::Response read = Ask("GET", "/v1/orders/" + Text(Object(created).at("id")) + "/");
  EXPECT_THAT(read.body, Not(HasSubstr("cvc")));
}

TEST_F(OrdersTest, ReceiverThatIsACardIsGivenBackMasked) {
  const http::Response created = Create(
      R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "credit-card",
          "payment_method_details": {"receiver_account_number": "4242424242424242",
          "receiver_account_number_type": "card-account"}}],
          "customer": {"first_name": "A", "last_name": "B", "address_type": "billing",
          "address": "Street 1", "postal_code": "1", "city": "Town", "country": "DE"}})");
  ASSERT_EQ(created.status, 201) << created.body;
  EXPECT_THAT(created.body, HasSubstr("\"************4242\""));
  EXPECT_THAT(created.body, HasSubstr("\"transaction_type\":\"aft\""));
  EXPECT_THAT(created.body, Not(HasSubstr("424242424")));
}

TEST_F(OrdersTest, PayoutThatNamesAStoredCardRunsAtOnce) {
  const boost::json::object created = Created(
      R"({"currency": "EUR", "amount": 700, "customer": {"country": "DE"}, "transactions":
          [{"payment_method": "credit-card-oct", "payment_method_details": {"vault_token": ")" +
      Card(kApprovedPan) + R"("}}]})");
  const boost::json::object& transaction = created.at("transactions").at(0).as_object();
  EXPECT_EQ(created.at("status"), "processing");
  EXPECT_EQ(transaction.at("credit_debit"), "debit");
  EXPECT_EQ(transaction.at("transaction_type"), "oct");
  Advance(std::chrono::seconds(1));
  EXPECT_EQ(Get(Text(created.at("id"))).at("status"), "completed");
  ASSERT_EQ(world_.simulation.ledger.entries().size(), 1u);
  EXPECT_EQ(world_.simulation.ledger.entries()[0].effect, Effect::kPayout);
}

TEST_F(OrdersTest, OrdersOfOthersAndOfNobodyDoNotExist) {
  const std::string id = Text(Created(kPlain).at("id"));
  for (const std::string_view tail : {"", "refunds/"}) {
    EXPECT_EQ(Ask("GET", "/v1/orders/" + id + "/" + std::string(tail)).status, 200);
    ExpectError(Ask("GET", "/v1/orders/" + id + "/" + std::string(tail), kShopKey), 404,
                "NotFound");
    for (const std::string_view other : {kNoUuid, kUnknownId, std::string_view("%00")}) {
      ExpectError(Ask("GET", "/v1/orders/" + std::string(other) + "/" + std::string(tail)), 404,
                  "NotFound");
    }
  }
}

TEST_F(OrdersTest, TrailingSlashMayBeMissing) {
  const http::Response created = Post("/v1/orders", kPlain);
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(Ask("GET", "/v1/orders/" + Text(Object(created).at("id"))).status, 200);
}

TEST_F(OrdersTest, LaggingReadShowsTheOrderAsItWas) {
  world_.orders.KeepHistory(std::chrono::minutes(10));
  const Made made = CardOrder();
  const std::string path = At(made);
  ExpectError(GetLagging(path, std::chrono::seconds(10)), 404, "NotFound");
  Advance(std::chrono::seconds(60));
  ASSERT_TRUE(world_.payments
                  .PayWithCard(*Uuid::Parse(made.order), *Uuid::Parse(made.transaction),
                               {.pan = kApprovedPan, .expiry = "122030", .cardholder_name = "A B"})
                  .ok());
  Advance(std::chrono::seconds(5));
  EXPECT_EQ(Object(GetLagging(path, std::chrono::seconds(10))).at("status"), "new");
  EXPECT_EQ(Object(GetLagging(path, Millis{0})).at("status"), "completed");
  ExpectError(GetLagging(path, std::chrono::seconds(66)), 404, "NotFound");
  Advance(std::chrono::seconds(5));
  EXPECT_EQ(Object(GetLagging(path, std::chrono::seconds(10))).at("status"), "completed");
}

TEST_F(OrdersTest, LaggingListDoesNotYetShowTheRefund) {
  world_.orders.KeepHistory(std::chrono::minutes(10));
  const Made made = Paid();
  Advance(std::chrono::seconds(60));
  ASSERT_EQ(Post(At(made) + "refunds/", R"({"amount": 1})").status, 201);
  EXPECT_EQ(GetLagging(At(made) + "refunds/", std::chrono::seconds(10)).body, "[]");
  EXPECT_NE(GetLagging(At(made) + "refunds/", Millis{0}).body, "[]");
}

TEST_F(OrdersTest, CurrenciesAreTheProjects) {
  const http::Response response = Ask("GET", "/v1/merchants/self/projects/self/currencies/");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.Find("Content-Type"), "application/json");
  const boost::json::array listed = boost::json::parse(response.body).as_array();
  EXPECT_EQ(listed, boost::json::array(demo().currencies.begin(), demo().currencies.end()));
  EXPECT_FALSE(listed.empty());
}

}  // namespace
}  // namespace tollbridge::sandbox
