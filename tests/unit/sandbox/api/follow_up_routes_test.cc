#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/sandbox/api/order_routes_fixture.h"

// What is made from orders: captures, voids, refunds, whole and in part.
namespace tollbridge::sandbox {
namespace {

class FollowUpRoutesTest : public OrderRoutesTest {
 protected:
  /// Bodies that no reader of {amount, description?} may take.
  void ExpectAmountIsReadStrictly(const std::string& target) {
    const struct {
      std::string body;
      int status;
      std::string_view value;
    } rows[] = {
        {"", 400, "not JSON"},
        {"{", 400, "not JSON"},
        {std::string(100'000, '{'), 400, "not JSON"},
        {"[]", 422, "must be an object"},
        {"{}", 422, "amount is required"},
        {R"({"amount": null})", 422, "amount is required"},
        {R"({"amount": 0})", 422, "amount must be an integer from 1"},
        {R"({"amount": -1})", 422, "amount must be an integer from 1"},
        {R"({"amount": "1"})", 422, "amount must be an integer"},
        {R"({"amount": 1.5})", 422, "amount must be an integer"},
        {R"({"amount": 9007199254740992})", 422, "amount must be an integer from 1"},
        {R"({"amount": 1, "description": 1})", 422, "description must be a string"},
        {R"({"amount": 1, "currency": "EUR"})", 422, "currency is not a field"},
    };
    const std::size_t effects = world_.simulation.ledger.entries().size();
    for (const auto& [body, status, value] : rows) {
      SCOPED_TRACE(body.substr(0, 100));
      ExpectError(Post(target, body), status, "ValidationError", value);
    }
    EXPECT_EQ(world_.simulation.ledger.entries().size(), effects)
        << "nothing refused has an effect";
  }

  boost::json::object MadeOrder(const http::Response& response) {
    EXPECT_EQ(response.status, 201) << response.body;
    return Object(response);
  }
};

TEST_F(FollowUpRoutesTest, CaptureOfAnAuthorizationMakesACaptureOrder) {
  const Made made = Authorized();
  const boost::json::object capture = MadeOrder(Post(At(made, "captures")));
  EXPECT_EQ(Text(capture.at("capture_of_order_id")), made.order);
  EXPECT_EQ(capture.at("amount"), 1250);
  EXPECT_EQ(capture.at("status"), "completed");
  EXPECT_EQ(Text(capture.at("transactions").at(0).at("capture_of_transaction_id")),
            made.transaction);
  EXPECT_EQ(Get(Text(capture.at("id"))), capture);
  EXPECT_EQ(TransactionOf(made.order).at("is_capturable"), false);
  EXPECT_EQ(world_.simulation.ledger.entries().back().effect, Effect::kCapture);
}

TEST_F(FollowUpRoutesTest, SecondCaptureIsRefusedWith409) {
  const Made made = Authorized();
  ASSERT_EQ(Post(At(made, "captures")).status, 201);
  ExpectError(Post(At(made, "captures")), 409, "TransactionAlreadyStarted", "captured");
  ExpectError(Post(At(made, "voids")), 409, "CanNotCancelTransaction");
}

TEST_F(FollowUpRoutesTest, WhatWasNotAuthorizedCannotBeCapturedOrVoided) {
  const Made paid = Paid();
  ExpectError(Post(At(paid, "captures")), 422, "ValidationError", "pre-authorization");
  ExpectError(Post(At(paid, "voids")), 409, "CanNotCancelTransaction");
  const Made open = CardOrder("", R"(, "capture_mode": "manual")");
  ExpectError(Post(At(open, "captures")), 409, "CanNotCancelTransaction", "it is new");
  ExpectError(Post(At(open, "voids")), 409, "CanNotCancelTransaction");
}

TEST_F(FollowUpRoutesTest, VoidReleasesTheAuthorization) {
  const Made made = Authorized();
  const boost::json::object voided = MadeOrder(Post(At(made, "voids")));
  EXPECT_EQ(Text(voided.at("void_of_order_id")), made.order);
  EXPECT_EQ(voided.at("amount"), 1250);
  EXPECT_EQ(Text(voided.at("transactions").at(0).at("void_of_transaction_id")), made.transaction);
  ExpectError(Post(At(made, "voids")), 409, "CanNotCancelTransaction");
  EXPECT_EQ(Post(At(made, "captures")).status, 409);
}

TEST_F(FollowUpRoutesTest, CapturesAndVoidsTakeNoBody) {
  for (const std::string_view step : {"captures", "voids"}) {
    for (const std::string_view body : {"", "{}", "[]", "null"}) {
      SCOPED_TRACE(body);
      EXPECT_EQ(Post(At(Authorized(), step), body).status, 201);
    }
    const Made made = Authorized();
    for (const std::string_view body :
         {R"({"amount": 1})", "[1]", "0", "false", "\"\"", R"({"a": null})"}) {
      SCOPED_TRACE(body);
      ExpectError(Post(At(made, step), body), 422, "ValidationError", "body must be empty");
    }
    for (const std::string& body :
         {std::string("{"), std::string("x"), std::string(100'000, '[')}) {
      ExpectError(Post(At(made, step), body), 400, "ValidationError");
    }
    EXPECT_EQ(TransactionOf(made.order).at("is_capturable"), true);
  }
}

TEST_F(FollowUpRoutesTest, PartsAreCapturedAndVoidedUpToTheWhole) {
  const Made made = Authorized();
  ExpectError(Post(At(made, "captures/amount"), R"({"amount": 1251})"), 422, "ValidationError",
              "amount is more");
  const boost::json::object part = MadeOrder(
      Post(At(made, "captures/amount"), R"({"amount": 1000, "description": "first parcel"})"));
  EXPECT_EQ(part.at("amount"), 1000);
  EXPECT_EQ(part.at("description"), "first parcel");
  EXPECT_EQ(Text(part.at("capture_of_order_id")), made.order);
  ExpectError(Post(At(made, "voids/amount"), R"({"amount": 251})"), 422, "ValidationError",
              "amount is more");
  const boost::json::object released =
      MadeOrder(Post(At(made, "voids/amount"), R"({"amount": 200, "description": null})"));
  EXPECT_EQ(released.at("amount"), 200);
  EXPECT_EQ(Text(released.at("void_of_order_id")), made.order);
  EXPECT_EQ(TransactionOf(made.order).at("is_capturable"), false);
  ExpectError(Post(At(made, "captures/amount"), R"({"amount": 1})"), 409,
              "TransactionAlreadyStarted");
}

TEST_F(FollowUpRoutesTest, AmountsArePositiveIntegers) {
  const Made authorized = Authorized();
  ExpectAmountIsReadStrictly(At(authorized, "captures/amount"));
  ExpectAmountIsReadStrictly(At(authorized, "voids/amount"));
  ExpectAmountIsReadStrictly(At(Paid()) + "refunds/");
}

TEST_F(FollowUpRoutesTest, PlacesOfOthersAndOfNobodyDoNotExist) {
  const Made own = Authorized();
  for (const std::string_view step : {"captures", "voids"}) {
    for (const std::string& target : ForeignPlaces(own, step)) {
      SCOPED_TRACE(target);
      ExpectError(Post(target), 404, "NotFound");
      ExpectError(Post(target + "amount/", R"({"amount": 1})"), 404, "NotFound");
    }
    ExpectError(Post(At(own, step), "", kShopKey), 404, "NotFound");
  }
  const Made paid = Paid();
  ExpectError(Post(At(paid) + "refunds/", R"({"amount": 1})", kShopKey), 404, "NotFound");
  for (const std::string_view other : {kNoUuid, kUnknownId}) {
    ExpectError(Post("/v1/orders/" + std::string(other) + "/refunds/", R"({"amount": 1})"), 404,
                "NotFound");
  }
}

TEST_F(FollowUpRoutesTest, RefundsAreListedOldestFirst) {
  const Made made = Paid();
  EXPECT_EQ(Ask("GET", At(made) + "refunds/").body, "[]");
  const boost::json::object first =
      MadeOrder(Post(At(made) + "refunds/", R"({"amount": 250, "description": "broken cup"})"));
  EXPECT_EQ(Text(first.at("refund_of_order_id")), made.order);
  EXPECT_EQ(first.at("amount"), 250);
  EXPECT_EQ(first.at("description"), "broken cup");
  EXPECT_EQ(first.at("flags"), boost::json::parse(R"(["is-test", "is-refund"])"));
  EXPECT_EQ(first.at("transactions").at(0).at("credit_debit"), "debit");
  const boost::json::object second = MadeOrder(Post(At(made) + "refunds/", R"({"amount": 1000})"));
  const http::Response listed = Ask("GET", At(made) + "refunds/");
  EXPECT_EQ(listed.status, 200);
  EXPECT_EQ(listed.headers.Find("Content-Type"), "application/json");
  EXPECT_EQ(boost::json::parse(listed.body), boost::json::value({first, second}));
  EXPECT_EQ(Get(made.order).at("refunded_amount"), 1250);
}

TEST_F(FollowUpRoutesTest, EachRefundOfTheListHasTheFieldsOfTheDocument) {
  const boost::json::object order = Created(
      R"({"currency": "EUR", "amount": 1250, "merchant_order_id": "A-1", "description": "Tea",
          "transactions": [{"payment_method": "wallet-a-pay"}]})");
  const std::string id = Text(order.at("id"));
  ASSERT_TRUE(world_.payments
                  .PayWithWallet(*Uuid::Parse(id),
                                 *Uuid::Parse(Text(order.at("transactions").at(0).at("id"))), true)
                  .ok());
  ASSERT_EQ(Post("/v1/orders/" + id + "/refunds/", R"({"amount": 250})").status, 201);
  const http::Response listed = Ask("GET", "/v1/orders/" + id + "/refunds/");
  const boost::json::object refund = boost::json::parse(listed.body).as_array().at(0).as_object();
  EXPECT_TRUE(Uuid::Parse(Text(refund.at("id"))));
  EXPECT_NE(Text(refund.at("id")), id);
  EXPECT_EQ(refund.at("amount"), 250);
  EXPECT_EQ(refund.at("currency"), "EUR");
  EXPECT_EQ(Text(refund.at("created")), kStart);
  EXPECT_EQ(Text(refund.at("completed")), kStart);
  EXPECT_EQ(refund.at("description"), "Tea") << "the order's, where none was given";
  EXPECT_EQ(refund.at("flags"), boost::json::parse(R"(["is-test", "is-refund"])"));
  EXPECT_EQ(refund.at("merchant_order_id"), "A-1");
  EXPECT_EQ(Text(refund.at("refund_of_order_id")), id);
  EXPECT_EQ(refund.at("status"), "completed");
}

TEST_F(FollowUpRoutesTest, ListOfRefundsHoldsNothingElse) {
  const Made made = Authorized();
  ASSERT_EQ(Post(At(made, "captures")).status, 201);
  EXPECT_EQ(Ask("GET", At(made) + "refunds/").body, "[]");
}

TEST_F(FollowUpRoutesTest, RefundPastWhatIsLeftIsARefundError) {
  const Made made = Paid();
  ExpectError(Post(At(made) + "refunds/", R"({"amount": 1251})"), 422, "RefundError");
  ASSERT_EQ(Post(At(made) + "refunds/", R"({"amount": 1250})").status, 201);
  ExpectError(Post(At(made) + "refunds/", R"({"amount": 1})"), 422, "RefundError");
  ExpectError(Post(At(CardOrder()) + "refunds/", R"({"amount": 1})"), 422, "RefundError");
}

}  // namespace
}  // namespace tollbridge::sandbox
