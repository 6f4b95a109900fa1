#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/services/sandbox/support.h"

namespace tollbridge::sandbox {
namespace {

using testing::IsEmpty;
using testing::StartsWith;

using ServiceApiTest = SandboxTest;

std::string Text(const boost::json::value& value) { return std::string(value.as_string()); }

TEST_F(ServiceApiTest, CreatedOrderIsTheOneThatIsReadBack) {
  const boost::json::object created =
      Created(R"({"currency": "EUR", "amount": 1250, "merchant_order_id": "A-1",
                  "description": "Tea", "extra": {"a": [1, null, "b"]},
                  "customer": {"email_address": "someone@shop.example"}})");
  EXPECT_EQ(created.at("status"), "new");
  EXPECT_EQ(created.at("amount"), 1250);
  EXPECT_EQ(created.at("currency"), "EUR");
  EXPECT_EQ(created.at("merchant_order_id"), "A-1");
  EXPECT_EQ(created.at("extra"), boost::json::parse(R"({"a": [1, null, "b"]})"));
  EXPECT_EQ(created.at("project_id"), "11111111-1111-4111-8111-111111111111");
  EXPECT_EQ(created.at("flags"), boost::json::parse(R"(["is-test"])"));
  EXPECT_EQ(Text(created.at("order_url")),
            "http://sandbox.test/pay/" + Text(created.at("id")) + "/");
  EXPECT_THAT(created.at("transactions").as_array(), IsEmpty());
  EXPECT_EQ(Get(created.at("id")), created);
}

TEST_F(ServiceApiTest, OrderWithATransactionHasAPaymentUrlAndASetupToken) {
  const boost::json::object created =
      Created(R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "credit-card",
                  "capture_mode": "manual", "payment_method_details": {"one_click_type": "first"}}]})");
  EXPECT_FALSE(created.contains("order_url")) << "the method is chosen already";
  ASSERT_EQ(created.at("transactions").as_array().size(), 1u);
  const boost::json::object& transaction = created.at("transactions").as_array()[0].as_object();
  EXPECT_EQ(transaction.at("status"), "new");
  EXPECT_EQ(transaction.at("payment_method"), "credit-card");
  EXPECT_THAT(Text(transaction.at("payment_url")),
              StartsWith("http://sandbox.test/pay/" + Text(created.at("id")) + "/"));
  EXPECT_TRUE(transaction.at("payment_method_details").as_object().contains("setup_token"));
}

TEST_F(ServiceApiTest, SecurityCodeIsNeitherKeptNorGivenBack) {
  const boost::json::object created =
      Created(R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "credit-card",
                  "payment_method_details": {"one_click_type": "one-click", "cvc": "987"}}]})");
  EXPECT_EQ(boost::json::serialize(created).find("cvc"), std::string::npos);
  EXPECT_EQ(boost::json::serialize(Get(created.at("id"))).find("cvc"), std::string::npos);
}

TEST_F(ServiceApiTest, RequestIsReadStrictly) {
  const struct {
    std::string body;
    int status;
    std::string type;
  } rows[] = {
      {"", 400, "ValidationError"},
      {"{", 400, "ValidationError"},
      {"{\"currency\": \"\xff\"}", 400, "ValidationError"},
      {std::string(100, '['), 400, "ValidationError"},
      {"[]", 422, "ValidationError"},
      {"null", 422, "ValidationError"},
      {"{}", 422, "ValidationError"},
      {R"({"currency": "EUR"})", 422, "ValidationError"},
      {R"({"amount": 1})", 422, "ValidationError"},
      {R"({"currency": "eur", "amount": 1})", 422, "ValidationError"},
      {R"({"currency": "EURO", "amount": 1})", 422, "ValidationError"},
      {R"({"currency": 978, "amount": 1})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": -1})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": "1"})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1.5})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 18446744073709551615})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": null})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "amuont": 2})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "idempotency_key": "k"})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "status": "completed"})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "return_url": null})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "extra": []})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "customer": "x"})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "transactions": {}})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "transactions": ["x"]})", 422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "a"},
          {"payment_method": "b"}]})",
       422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "transactions": [{}]})", 422,
       "MissingInformationToCreateTransaction"},
      {R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "credit-card",
          "capture_mode": "later"}]})",
       422, "ValidationError"},
      {R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "credit-card",
          "amount": 1}]})",
       422, "ValidationError"},
  };
  for (const auto& [body, status, type] : rows) {
    SCOPED_TRACE(body);
    ExpectError(Create(body), status, type);
  }
  EXPECT_EQ(Ask("GET", "/_sandbox/orders", "").body, "[]") << "nothing refused is kept";
}

TEST_F(ServiceApiTest, RefusalNamesTheField) {
  const http::Response response =
      Create(R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_methd": "x"}]})");
  EXPECT_THAT(response.body, testing::HasSubstr("transactions[0].payment_methd"));
}

TEST_F(ServiceApiTest, AmountsAtTheBoundsAreTaken) {
  EXPECT_EQ(Create(R"({"currency": "EUR", "amount": 0})").status, 201);
  EXPECT_EQ(Create(R"({"currency": "EUR", "amount": 9223372036854775807})").status, 201);
}

TEST_F(ServiceApiTest, WithoutAValidKeyNobodyIsLetIn) {
  const boost::json::object created = Created();
  const std::string target = "/v1/orders/" + Text(created.at("id")) + "/";
  http::Request request;
  request.target = target;
  // A password, no colon, no base64, another scheme, a wrong key.
  for (const std::string& header :
       {std::string(), "Basic " + Base64Encode("sandbox-demo-key:password"),
        "Basic " + Base64Encode("sandbox-demo-key"), std::string("Basic ?"),
        "Bearer " + Base64Encode("sandbox-demo-key:"), "Basic " + Base64Encode("wrong:"),
        "Basic " + Base64Encode(":")}) {
    SCOPED_TRACE(header);
    request.headers = {};
    if (!header.empty()) request.headers.Set("Authorization", header);
    const http::Response response = app_.Handle(request, {.peer = peer_});
    ExpectError(response, 401, "AuthenticationError");
    EXPECT_TRUE(response.headers.Contains("WWW-Authenticate"));
  }
}

TEST_F(ServiceApiTest, KeyThatMayOnlyReadIsForbiddenToCreate) {
  ExpectError(Create(R"({"currency": "EUR", "amount": 1})", kLimitedKey), 403, "PermissionDenied");
  EXPECT_EQ(Ask("GET", "/_sandbox/orders", "").body, "[]");
  ExpectError(Ask("GET", "/v1/orders/11111111-1111-4111-8111-111111111111/", kLimitedKey), 404,
              "NotFound");
}

TEST_F(ServiceApiTest, AnotherProjectsOrderDoesNotExist) {
  const boost::json::object created = Created();
  const std::string target = "/v1/orders/" + Text(created.at("id")) + "/";
  EXPECT_EQ(Ask("GET", target, kDemoKey).status, 200);
  ExpectError(Ask("GET", target, kShopKey), 404, "NotFound");
}

TEST_F(ServiceApiTest, UnknownResourcesDoNotExist) {
  for (const std::string target : {"/v1/orders/no-uuid/", "/v1/nothing/", "/v1/", "/v2/orders/",
                                   "/", "/v1/orders/11111111-1111-4111-8111-111111111111/x/"}) {
    SCOPED_TRACE(target);
    ExpectError(Ask("GET", target, kDemoKey), 404, "NotFound");
  }
}

TEST_F(ServiceApiTest, WrongMethodsAreToldTheRightOnes) {
  for (const std::string method : {"GET", "PUT", "DELETE", "PATCH"}) {
    SCOPED_TRACE(method);
    const http::Response response = Ask(method, "/v1/orders/", kDemoKey);
    ExpectError(response, 405, "MethodNotAllowed");
    EXPECT_EQ(response.headers.Find("Allow"), "POST");
  }
  const boost::json::object created = Created();
  const http::Response response =
      Ask("POST", "/v1/orders/" + Text(created.at("id")) + "/", kDemoKey, "{}");
  ExpectError(response, 405, "MethodNotAllowed");
  EXPECT_EQ(response.headers.Find("Allow"), "GET, HEAD");
}

TEST_F(ServiceApiTest, UnreadablePathIsAnError) {
  ExpectError(Ask("GET", "/v1/orders/%zz/", kDemoKey), 400, "ValidationError");
}

TEST_F(ServiceApiTest, TrailingSlashMayBeMissing) {
  EXPECT_EQ(Ask("POST", "/v1/orders", kDemoKey, R"({"currency": "EUR", "amount": 1})").status, 201);
  const boost::json::object created = Created();
  EXPECT_EQ(Ask("GET", "/v1/orders/" + Text(created.at("id")), kDemoKey).status, 200);
}

TEST_F(ServiceApiTest, PaidOrderTellsHowItEnded) {
  const boost::json::object created = Created();
  ASSERT_EQ(Pay(created.at("id"), "approve").status, 200);
  const boost::json::object order = Get(created.at("id"));
  EXPECT_EQ(order.at("status"), "completed");
  EXPECT_TRUE(order.contains("completed"));
  const boost::json::object& transaction = order.at("transactions").as_array()[0].as_object();
  EXPECT_EQ(transaction.at("status"), "completed");
  EXPECT_EQ(transaction.at("credit_debit"), "credit");
  EXPECT_EQ(transaction.at("amount"), 1250);
  EXPECT_EQ(transaction.at("events").as_array().size(), 3u);
  EXPECT_EQ(transaction.at("outcomes").at("processing").at("status"), "completed");
}

using AdminApiTest = SandboxTest;

TEST_F(AdminApiTest, AnswersLoopbackOnly) {
  for (const std::string peer : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1"}) {
    peer_ = peer;
    EXPECT_EQ(Ask("GET", "/_sandbox/ledger", "").status, 200) << peer;
  }
  for (const std::string peer : {"10.0.0.1:1", "[fe80::1]:1", "128.0.0.1:1"}) {
    peer_ = peer;
    ExpectError(Ask("GET", "/_sandbox/ledger", ""), 403, "PermissionDenied");
  }
}

TEST_F(AdminApiTest, PaysDeclinesAndExpires) {
  EXPECT_EQ(Pay(Created().at("id"), "approve").status, 200);
  EXPECT_EQ(Pay(Created().at("id"), "decline").status, 200);
  EXPECT_EQ(Pay(Created().at("id"), "expire").status, 200);
  const boost::json::array orders =
      boost::json::parse(Ask("GET", "/_sandbox/orders", "").body).as_array();
  ASSERT_EQ(orders.size(), 3u);
  EXPECT_EQ(orders[0].at("status"), "completed");
  EXPECT_EQ(orders[1].at("status"), "processing");
  EXPECT_EQ(orders[2].at("status"), "expired");
  ASSERT_EQ(Ledger().size(), 1u);
  EXPECT_EQ(Ledger()[0].at("caused_by"), "admin");
}

TEST_F(AdminApiTest, RefusesWhatItDoesNotKnow) {
  const boost::json::object created = Created();
  ExpectError(Pay(created.at("id"), "explode"), 422, "ValidationError");
  const std::string target = "/_sandbox/orders/" + Text(created.at("id")) + "/pay";
  for (const std::string body : {"", "{", "[]", "{}", R"({"outcome": 1})"}) {
    SCOPED_TRACE(body);
    ExpectError(Ask("POST", target, "", body), 422, "ValidationError");
  }
  ExpectError(Ask("POST", "/_sandbox/orders/no-uuid/pay", "", "{}"), 404, "NotFound");
  ExpectError(Ask("GET", "/_sandbox/nothing", ""), 404, "NotFound");
  EXPECT_EQ(Get(created.at("id")).at("status"), "new");
}

TEST_F(AdminApiTest, ResetForgetsEverything) {
  ASSERT_EQ(Pay(Created().at("id"), "approve").status, 200);
  EXPECT_EQ(Ask("POST", "/_sandbox/reset", "").status, 200);
  for (const std::string what : {"orders", "ledger", "deliveries"}) {
    EXPECT_EQ(Ask("GET", "/_sandbox/" + what, "").body, "[]");
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
