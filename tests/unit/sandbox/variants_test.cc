// What other services of this kind do and the interface does not show: each of AllVariants, turned
// on. That it is off unless asked for, the tests of the rest show.
#include "sandbox/core/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/read_file.h"
#include "tests/unit/sandbox/support.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class VariantTest : public SandboxTest {
 protected:
  explicit VariantTest(bool Variants::* on) : SandboxTest(With(on)) {}

  static AppOptions With(bool Variants::* on) {
    AppOptions options = StandingClock();
    options.settings.variants.*on = true;
    return options;
  }

  static std::string Text(const json::value& value) { return std::string(value.as_string()); }
  static const json::value& Transaction(const json::object& order) {
    return order.at("transactions").at(0);
  }
  static std::string TransactionPath(const json::object& order) {
    return OrderPath(order) + "transactions/" + Text(Transaction(order).at("id")) + "/";
  }

  /// An order with one card transaction; `more` goes into the transaction.
  json::object CardOrder(std::string_view more = "", std::string_view of_order = "") {
    return Created(R"({"currency": "EUR", "amount": 1250)" + std::string(of_order) +
                   R"(, "transactions": [{"payment_method": "credit-card")" + std::string(more) +
                   "}]}");
  }
  json::object Authorized(std::string_view mode = "manual", std::string_view of_order = "") {
    json::object order = CardOrder(R"(, "capture_mode": ")" + std::string(mode) + "\"", of_order);
    EXPECT_EQ(Pay(order, "approve").status, 200);
    return order;
  }
  http::Response Post(const std::string& path, std::string_view body = "") {
    return Ask("POST", path, kDemoKey, body);
  }
  http::Response Refund(const json::object& order, int amount) {
    return Post(OrderPath(order) + "refunds/", R"({"amount": )" + std::to_string(amount) + "}");
  }
  void Advance(std::string_view by) {
    EXPECT_EQ(Operate("clock", R"({"advance": ")" + std::string(by) + "\"}").status, 200);
  }
  std::vector<std::string> Effects() {
    std::vector<std::string> effects;
    for (const json::value& entry : Ledger()) {
      effects.push_back(Text(entry.at("effect")) + " " +
                        std::to_string(entry.at("amount").as_int64()));
    }
    return effects;
  }
};

class DeclineEndsOrderTest : public VariantTest {
 protected:
  DeclineEndsOrderTest() : VariantTest(&Variants::decline_ends_order) {}

  /// Pays a further attempt at the order with a card on its page.
  std::string TryWith(const json::object& order, std::string_view pan) {
    const http::Response chosen =
        Ask("POST", "/pay/" + Text(order.at("id")) + "/", "", "method=credit-card");
    EXPECT_EQ(chosen.status, 303) << chosen.body;
    const std::string page(chosen.headers.Find("Location").value_or(""));
    const std::string path = page.substr(page.find("/pay/"));
    const http::Response paid =
        Ask("POST", path, "", "pan=" + std::string(pan) + "&expiry=12%2F30&cvc=123&name=A+B");
    EXPECT_EQ(paid.status, 303) << paid.body;
    return std::string(paid.headers.Find("Location").value_or(""));
  }
};

TEST_F(DeclineEndsOrderTest, WhereTheCustomerPicksToo) {
  const json::object order = Created();
  EXPECT_THAT(TryWith(order, kDeclinedPan), testing::EndsWith("/result/"));
  const json::object read = Get(order);
  EXPECT_EQ(read.at("status"), "error");
  EXPECT_EQ(read.at("reason"), "declined: do not honor");
  EXPECT_EQ(Post("/pay/" + Text(order.at("id")) + "/").status, 303) << "nothing can be chosen";
}

TEST_F(DeclineEndsOrderTest, OnceNoOtherAttemptIsUnderWay) {
  const json::object order = Created();
  TryWith(order, kLatePan);
  TryWith(order, kDeclinedPan);
  EXPECT_EQ(Get(order).at("status"), "processing");
  Advance("PT30S");
  EXPECT_EQ(Get(order).at("status"), "completed");
}

TEST_F(DeclineEndsOrderTest, WhatWaitsForTheCustomerEndsWithIt) {
  const json::object order = Created();
  TryWith(order, kChallengePan);
  TryWith(order, kDeclinedPan);
  const json::object read = Get(order);
  EXPECT_EQ(read.at("status"), "error");
  EXPECT_EQ(read.at("transactions").at(0).at("status"), "cancelled");
}

class UnknownFieldsTest : public VariantTest {
 protected:
  UnknownFieldsTest() : VariantTest(&Variants::unknown_fields) {}
};

TEST_F(UnknownFieldsTest, AreTakenAndGivenBackWhereTheyStood) {
  const json::object order = Created(
      R"({"currency": "EUR", "amount": 1250, "shop": {"lines": [1, null]}, "customer":
          {"first_name": "A", "gender": "none"}, "transactions": [{"payment_method": "credit-card",
          "issuer": "X", "payment_method_details": {"issuer_id": "Y"}}]})");
  EXPECT_EQ(order.at("shop"), json::parse(R"({"lines": [1, null]})"));
  EXPECT_EQ(order.at("customer").at("gender"), "none");
  EXPECT_EQ(Transaction(order).at("issuer"), "X");
  EXPECT_EQ(Transaction(order).at("payment_method_details").at("issuer_id"), "Y");
  EXPECT_EQ(Get(order), order);
  const http::Response link =
      Post("/v1/paymentlinks/",
           R"({"merchant_order_id": "L", "amount": 1, "currency": "EUR", "colour": "red"})");
  EXPECT_EQ(Object(link).at("colour"), "red");
  EXPECT_EQ(Pay(order, "approve").status, 200);
  const http::Response refund =
      Post(OrderPath(order) + "refunds/", R"({"amount": 1, "ticket": 7})");
  EXPECT_EQ(Get(Object(refund)).at("ticket"), 7);
}

TEST_F(UnknownFieldsTest, NeverStandForWhatTheServiceAdds) {
  const json::object order = Created(
      R"({"currency": "EUR", "amount": 1250, "id": "mine", "status": "completed", "flags": "none",
          "transactions": [{"payment_method": "credit-card", "status": "completed", "amount": 1,
          "payment_method_details": {"setup_token": "mine", "approval_code": "mine"}}]})");
  const std::string text = Ask("GET", OrderPath(order), kDemoKey).body;
  EXPECT_THAT(text, Not(HasSubstr("mine")));
  EXPECT_EQ(order.at("status"), "new");
  EXPECT_EQ(Transaction(order).at("status"), "new");
  std::size_t statuses = 0;
  for (std::size_t at = text.find("\"status\":"); at != std::string::npos;
       at = text.find("\"status\":", at + 1)) {
    ++statuses;
  }
  EXPECT_EQ(statuses, 2U) << text;
}

TEST_F(UnknownFieldsTest, AreBoundedAsExtraIs) {
  for (const std::string& field :
       {std::string(R"("a": [1e400])"), R"("a": ")" + std::string(4097, 'x') + "\"",
        std::string(R"("customer": {"a": [1e400]})")}) {
    const http::Response refused = Create(R"({"currency": "EUR", "amount": 1, )" + field + "}");
    ExpectError(refused, 422, "ValidationError");
    EXPECT_THAT(refused.body, HasSubstr("must hold"));
  }
}

class CurrenciesPerMethodTest : public VariantTest {
 protected:
  CurrenciesPerMethodTest() : VariantTest(&Variants::currencies_per_method) {
    Project& demo = app_.world().simulation.settings.projects.front();
    demo.currencies = {"EUR", "SEK"};
    demo.method_currencies["wallet-a-pay"] = {"SEK"};
  }
};

TEST_F(CurrenciesPerMethodTest, AreListed) {
  const http::Response listed =
      Ask("GET", "/v1/merchants/self/projects/self/currencies/", kDemoKey);
  const json::object methods = Object(listed).at("payment_methods").as_object();
  EXPECT_EQ(methods.size(), 4U);
  EXPECT_EQ(methods.at("credit-card"), json::parse(R"({"currencies": ["EUR", "SEK"]})"));
  EXPECT_EQ(methods.at("wallet-a-pay"), json::parse(R"({"currencies": ["SEK"]})"));
}

TEST_F(CurrenciesPerMethodTest, AreThoseThatAMethodTakes) {
  const auto create = [this](const std::string& currency) {
    return Create(R"({"amount": 1, "currency": ")" + currency +
                  R"(", "transactions": [{"payment_method": "wallet-a-pay"}]})");
  };
  EXPECT_EQ(create("SEK").status, 201);
  ExpectError(create("EUR"), 422, "ValidationError");
  const auto page = [this](std::string_view currency) {
    const json::object order =
        Created(R"({"amount": 1, "currency": ")" + std::string(currency) + "\"}");
    return Ask("GET", "/pay/" + Text(order.at("id")) + "/", "").body;
  };
  EXPECT_THAT(page("SEK"), HasSubstr("wallet-a-pay"));
  EXPECT_THAT(page("EUR"), Not(HasSubstr("wallet-a-pay")));
  EXPECT_THAT(page("EUR"), HasSubstr("credit-card"));
}

class RefundAuthorizationsTest : public VariantTest {
 protected:
  RefundAuthorizationsTest() : VariantTest(&Variants::refund_authorizations) {}
};

TEST_F(RefundAuthorizationsTest, CapturedOneIsRefundedByItsOwnId) {
  const json::object order = Authorized();
  ExpectError(Refund(order, 1), 422, "RefundError");
  const json::object capture =
      Object(Post(TransactionPath(order) + "captures/amount/", R"({"amount": 900})"));
  const json::object refund = Object(Refund(order, 500));
  EXPECT_EQ(refund.at("refund_of_order_id"), order.at("id"));
  EXPECT_EQ(Get(order).at("refunded_amount"), 500);
  ASSERT_EQ(Get(order).at("refund_orders").as_array().size(), 1U);
  EXPECT_EQ(Get(order).at("refund_orders").at(0), refund.at("id"));
  // By either id, together up to what was captured.
  ExpectError(Refund(capture, 401), 422, "RefundError");
  EXPECT_EQ(Refund(capture, 300).status, 201);
  ExpectError(Refund(order, 101), 422, "RefundError");
  EXPECT_EQ(Refund(order, 100).status, 201);
  EXPECT_THAT(Effects(), ElementsAre("authorize 1250", "capture 900", "refund 500", "refund 300",
                                     "refund 100"));
}

class UpdateOrdersTest : public VariantTest {
 protected:
  UpdateOrdersTest() : VariantTest(&Variants::update_orders) {}

  http::Response Put(const json::object& order, std::string_view body,
                     std::string_view key = kDemoKey) {
    return Ask("PUT", OrderPath(order), key, body);
  }
};

TEST_F(UpdateOrdersTest, FieldsThatAreSentTakeThePlaceOfWhatIsThere) {
  const json::object order =
      CardOrder("", R"(, "merchant_order_id": "A-1", "description": "Tea", "extra": {"a": 1})");
  Advance("PT1S");
  const http::Response changed =
      Put(order, R"({"merchant_order_id": "A-2", "extra": {"b": 2}, "description": null})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  const json::object read = Get(order);
  EXPECT_EQ(Object(changed), read);
  EXPECT_EQ(read.at("merchant_order_id"), "A-2");
  EXPECT_EQ(read.at("extra"), json::parse(R"({"b": 2})"));
  EXPECT_EQ(read.at("description"), "Tea");
  EXPECT_EQ(read.at("modified"), "2026-11-21T08:00:01.000Z");
}

TEST_F(UpdateOrdersTest, OrderMayBeSentAsItWasRead) {
  json::object order = CardOrder("", R"(, "expiration_period": "PT1H")");
  order["description"] = "Coffee";
  EXPECT_EQ(Put(order, json::serialize(order)).status, 200);
  EXPECT_EQ(Get(order).at("description"), "Coffee");
  EXPECT_EQ(Get(order).at("transactions"), order.at("transactions"));
}

TEST_F(UpdateOrdersTest, WhatIsPaidCannotBeChanged) {
  const json::object order = CardOrder();
  for (const std::string_view body :
       {R"({"amount": 1})", R"({"currency": "SEK"})", R"({"expiration_period": "PT1H"})",
        R"({"payment_methods": ["wallet-a-pay"]})", R"({"colour": "red"})",
        R"({"webhook_url": "shop"})", R"({"customer": {"country": "Norway"}})"}) {
    SCOPED_TRACE(body);
    ExpectError(Put(order, body), 422, "ValidationError");
  }
  EXPECT_EQ(Get(order), order) << "nothing of what was refused is kept";
  ExpectError(Put(order, "{}", kShopKey), 404, "NotFound");
  ExpectError(Put(order, "{}", kLimitedKey), 403, "PermissionDenied");
}

class PendingRefundsTest : public VariantTest {
 protected:
  PendingRefundsTest() : VariantTest(&Variants::pending_refunds) {
    order_ = CardOrder();
    EXPECT_EQ(Pay(order_, "approve").status, 200);
  }

  json::object Begun() {
    const http::Response made = Refund(order_, 1000);
    EXPECT_EQ(made.status, 201) << made.body;
    return Object(made);
  }

  json::object order_;
};

TEST_F(PendingRefundsTest, CompleteLater) {
  const json::object refund = Begun();
  EXPECT_EQ(refund.at("status"), "processing");
  EXPECT_EQ(Transaction(refund).at("status"), "pending");
  EXPECT_THAT(Effects(), ElementsAre("charge 1250"));
  ExpectError(Refund(order_, 251), 422, "RefundError");
  Advance("PT1S");
  EXPECT_EQ(Get(refund).at("status"), "completed");
  EXPECT_EQ(Transaction(Get(refund)).at("status"), "completed");
  EXPECT_THAT(Effects(), ElementsAre("charge 1250", "refund 1000"));
  EXPECT_EQ(Ledger().at(1).at("operation"), "create_refund");
}

TEST_F(PendingRefundsTest, OperatorDeclinesOrApprovesOneOnce) {
  const json::object declined = Begun();
  EXPECT_EQ(Pay(declined, "decline").status, 200);
  EXPECT_EQ(Get(declined).at("status"), "error");
  EXPECT_EQ(Get(order_).at("refunded_amount"), 0);
  const json::object approved = Begun();
  EXPECT_EQ(Pay(approved, "approve").status, 200);
  EXPECT_EQ(Get(approved).at("status"), "completed");
  Advance("PT1S");
  EXPECT_EQ(Get(declined).at("status"), "error");
  EXPECT_THAT(Effects(), ElementsAre("charge 1250", "refund 1000"));
}

TEST_F(PendingRefundsTest, AreNothingThatACustomerPaysOrEnds) {
  const json::object refund = Begun();
  EXPECT_EQ(Pay(refund, "expire").status, 409);
  const std::string page = "/pay/" + Text(refund.at("id")) + "/";
  const std::string challenge = page + Text(Transaction(refund).at("id")) + "/challenge/";
  EXPECT_EQ(Ask("GET", page, "").status, 303);
  EXPECT_EQ(Ask("POST", page, "", "action=cancel").status, 303);
  EXPECT_EQ(Ask("GET", challenge, "").status, 303);
  EXPECT_EQ(Ask("POST", challenge, "", "outcome=pass").status, 303);
  EXPECT_EQ(Transaction(Get(refund)).at("status"), "pending");
}

class CaptureAtExpiryTest : public VariantTest {
 protected:
  CaptureAtExpiryTest() : VariantTest(&Variants::capture_at_expiry) {}
};

TEST_F(CaptureAtExpiryTest, DelayedOneIsCapturedWhenItsPeriodEnds) {
  const json::object delayed = Authorized("delayed", R"(, "expiration_period": "PT2H")");
  const json::object unasked = Authorized("delayed");
  Authorized("manual", R"(, "expiration_period": "PT2H")");
  EXPECT_EQ(Ledger().size(), 3U);
  Advance("PT119M");
  EXPECT_EQ(Ledger().size(), 3U);
  Advance("PT1M");
  ASSERT_EQ(Ledger().size(), 4U);
  EXPECT_EQ(Ledger().at(3).at("effect"), "capture");
  EXPECT_EQ(Ledger().at(3).at("order_id"), delayed.at("id"));
  Advance("PT22H");
  ASSERT_EQ(Ledger().size(), 5U) << "after a day where no period was asked for, and once each";
  EXPECT_EQ(Ledger().at(4).at("order_id"), unasked.at("id"));
}

class EmptyCapturesTest : public VariantTest {
 protected:
  EmptyCapturesTest() : VariantTest(&Variants::empty_captures) {}
};

TEST_F(EmptyCapturesTest, AnswerHasNoBodyAndTheCaptureIsThere) {
  const json::object whole = Authorized();
  const json::object part = Authorized();
  for (const http::Response& response :
       {Post(TransactionPath(whole) + "captures/"),
        Post(TransactionPath(part) + "captures/amount/", R"({"amount": 400})")}) {
    EXPECT_EQ(response.status, 204);
    EXPECT_EQ(response.body, "");
  }
  EXPECT_EQ(Get(whole).at("related_orders").as_array().size(), 1U);
  ExpectError(Post(TransactionPath(whole) + "captures/"), 409, "TransactionAlreadyStarted");
  EXPECT_EQ(Object(Post(TransactionPath(part) + "voids/")).at("amount"), 850) << "voids have one";
}

class ErrorsWithoutTypeTest : public VariantTest {
 protected:
  ErrorsWithoutTypeTest() : VariantTest(&Variants::errors_without_type) {}
};

TEST_F(ErrorsWithoutTypeTest, StatusAndValueAreLeft) {
  EXPECT_EQ(Operate("faults", R"({"rules": [{"on": {"operation": "get_order"},
                                             "fault": {"kind": "status", "status": 503}}]})")
                .status,
            200);
  for (const http::Response& response :
       {Create("{}"), Create("{"), Create(kPlainOrder, "no-key"), Ask("GET", "/v1/x/", kDemoKey),
        Ask("GET", "/v1/orders/" + std::string(kUnknownId) + "/", kDemoKey)}) {
    SCOPED_TRACE(response.body);
    const json::object error = Object(response).at("error").as_object();
    EXPECT_FALSE(error.contains("type"));
    EXPECT_EQ(error.at("status"), response.status);
    EXPECT_FALSE(error.at("value").as_string().empty());
  }
  ExpectError(Operate("clock", "{}"), 422, "ValidationError");
}

class TransactionWebhooksTest : public VariantTest {
 protected:
  TransactionWebhooksTest() : VariantTest(&Variants::transaction_webhooks) {
    EXPECT_EQ(Operate("faults", R"({"rules": [{"on": {"operation": "webhook"},
                                               "fault": {"kind": "lose"}}]})")
                  .status,
              200);
  }
};

TEST_F(TransactionWebhooksTest, GoOutForEachStatusOfATransaction) {
  const json::object order = CardOrder("", R"(, "webhook_url": "http://shop.test/hook")");
  EXPECT_EQ(Pay(order, "approve").status, 200);
  std::vector<std::string> events;
  const json::value log = json::parse(Ask("GET", "/_sandbox/deliveries", "").body);
  for (const json::value& row : log.as_array()) events.push_back(Text(row.at("event")));
  EXPECT_THAT(events, ElementsAre("transaction_status_changed", "status_changed",
                                  "transaction_status_changed", "status_changed"));
}

TEST(VariantsGuideTest, HasARowForEachOfThem) {
  const std::string guide = test::ReadFile(TOLLBRIDGE_SOURCE_DIR "/docs/guides/sandbox.md");
  for (const Variant& variant : AllVariants()) {
    EXPECT_THAT(guide, HasSubstr("| `--" + std::string(variant.name) + "` | "));
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
