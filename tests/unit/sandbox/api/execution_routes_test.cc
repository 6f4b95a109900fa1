#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/sandbox/api/order_routes_fixture.h"

// Starting a payment: POST .../initiate/ and POST .../authenticate/.
namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kExternal =
    R"(, "cavv": "AAAB", "3ds_version": "2.2.0", "3ds_method_used": "challenge",
       "ds_transaction_id": "D-1")";

class InitiateTest : public OrderRoutesTest {};
class AuthenticateTest : public OrderRoutesTest {
 protected:
  boost::json::object Authenticated(const Made& made, const std::string& body) {
    const http::Response response = Post(At(made, "authenticate"), body);
    EXPECT_EQ(response.status, 200) << response.body;
    return Object(response);
  }

  /// A payout that waits for its card.
  Made Payout(std::string_view more = "") {
    const boost::json::object order = Created(
        R"({"currency": "EUR", "amount": 700, "customer": {"country": "DE"})" + std::string(more) +
        R"(, "transactions": [{"payment_method": "credit-card-oct"}]})");
    return {Text(order.at("id")), Text(order.at("transactions").at(0).at("id"))};
  }
};

TEST_F(InitiateTest, IsAcceptedAndCompletesLater) {
  const Made made = CardOrder();
  const std::string token = Card(kApprovedPan);
  const http::Response response = Post(At(made, "initiate"), TokenBody(token));
  EXPECT_EQ(response.status, 202) << response.body;
  const boost::json::object order = Object(response);
  EXPECT_EQ(Text(order.at("id")), made.order);
  EXPECT_EQ(order.at("status"), "processing");
  EXPECT_FALSE(order.contains("redirect_url"));
  const boost::json::object& transaction = order.at("transactions").at(0).as_object();
  EXPECT_EQ(transaction.at("status"), "accepted");
  EXPECT_EQ(Text(transaction.at("payment_method_details").at("vault_token")), token);
  Advance(std::chrono::seconds(1));
  EXPECT_EQ(TransactionOf(made.order).at("status"), "completed");
  EXPECT_EQ(world_.simulation.ledger.entries().size(), 1u);
}

TEST_F(InitiateTest, AnswerHasWhatTheIssuerAndTheNetworkGave) {
  const Made made = CardOrder("", R"(, "payment_method_details": {"recurring_type": "recurring",
                                       "first_network_transaction_id": "N-1"})");
  const http::Response response = Post(At(made, "initiate"), TokenBody(Card(kApprovedPan)));
  ASSERT_EQ(response.status, 202) << response.body;
  const boost::json::object order = Object(response);
  const boost::json::object& details =
      order.at("transactions").at(0).at("payment_method_details").as_object();
  EXPECT_EQ(details.at("approval_code").as_string().size(), 6u);
  EXPECT_EQ(details.at("authorization_iso_response_code"), "00");
  EXPECT_EQ(details.at("first_network_transaction_id"), "N-1");
  EXPECT_EQ(details.at("network_transaction_id").as_string().size(), 15u);
  EXPECT_EQ(details.at("recurring_type"), "recurring");
  EXPECT_EQ(details.at("schedule_type"), "unscheduled");
  EXPECT_EQ(details.at("card_expiry"), "122030");
  EXPECT_EQ(details.at("cardholder_name"), "A B");
}

TEST_F(InitiateTest, ScheduleTypeOfTheRequestIsKept) {
  const Made made = CardOrder("", R"(, "payment_method_details": {"recurring_type": "recurring",
                                       "schedule_type": "scheduled"})");
  ASSERT_EQ(Post(At(made, "initiate"), TokenBody(Card(kApprovedPan))).status, 202);
  EXPECT_EQ(TransactionOf(made.order).at("payment_method_details").at("schedule_type"),
            "scheduled");
}

TEST_F(InitiateTest, FirstPaymentOfASeriesIsItsOwnFirstNetworkTransaction) {
  const Made made = CardOrder("", R"(, "payment_method_details": {"recurring_type": "recurring"})");
  ASSERT_EQ(Post(At(made, "initiate"), TokenBody(Card(kApprovedPan))).status, 202);
  const boost::json::object transaction = TransactionOf(made.order);
  const boost::json::object& details = transaction.at("payment_method_details").as_object();
  EXPECT_EQ(details.at("first_network_transaction_id"), details.at("network_transaction_id"));
}

TEST_F(InitiateTest, SecondOneIsRefusedWith409) {
  const Made made = CardOrder();
  const std::string body = TokenBody(Card(kApprovedPan));
  ASSERT_EQ(Post(At(made, "initiate"), body).status, 202);
  ExpectError(Post(At(made, "initiate"), body), 409, "TransactionAlreadyStarted");
  ExpectError(Post(At(made, "authenticate"), body), 409, "TransactionAlreadyStarted");
  Advance(std::chrono::hours(2));
  EXPECT_EQ(world_.simulation.ledger.entries().size(), 1u);
}

TEST_F(InitiateTest, DeclineIsAResultAndNoError) {
  const Made made = CardOrder();
  const http::Response response = Post(At(made, "initiate"), TokenBody(Card(kDeclinedPan)));
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(Object(response).at("status"), "error");
  EXPECT_EQ(TransactionOf(made.order).at("status"), "declined");
}

TEST_F(InitiateTest, LostAnswerIs502AndThePaymentGoesOn) {
  const Made made = CardOrder();
  ExpectError(Post(At(made, "initiate"), TokenBody(Card(kAnswerLostPan))), 502,
              "FailedToFetchTransactionInformation");
  EXPECT_EQ(TransactionOf(made.order).at("status"), "accepted");
  Advance(std::chrono::seconds(kSlowIssuerSeconds));
  EXPECT_EQ(TransactionOf(made.order).at("status"), "completed");
}

TEST_F(InitiateTest, BodyIsReadStrictly) {
  const Made made = CardOrder();
  const std::string token = Card(kApprovedPan);
  const struct {
    std::string body;
    int status;
    std::string_view value;
  } rows[] = {
      {"", 400, "not JSON"},
      {"{", 400, "not JSON"},
      {std::string(100'000, '['), 400, "nested"},
      {"[]", 422, "must be an object"},
      {"{}", 422, "vault_token is required"},
      {R"({"vault_token": null})", 422, "vault_token is required"},
      {R"({"vault_token": 1})", 422, "vault_token must be a string"},
      {R"({"vault_token": "x"})", 422, "vault_token must be a uuid"},
      {TokenBody(std::string(kUnknownId)), 422, "vault_token names no stored card"},
      {TokenBody(token, R"(, "cvc": "987")"), 422, "cvc is not a field"},
  };
  for (const auto& [body, status, value] : rows) {
    SCOPED_TRACE(body.substr(0, 100));
    ExpectError(Post(At(made, "initiate"), body), status, "ValidationError", value);
  }
  EXPECT_EQ(TransactionOf(made.order).at("status"), "new") << "nothing refused was started";
}

TEST_F(InitiateTest, PlacesOfOthersAndOfNobodyDoNotExist) {
  const Made own = CardOrder();
  const std::string body = TokenBody(Card(kApprovedPan));
  for (const std::string_view step : {"initiate", "authenticate"}) {
    for (const std::string& target : ForeignPlaces(own, step)) {
      SCOPED_TRACE(target);
      ExpectError(Post(target, body), 404, "NotFound");
      ExpectError(Post(target, "{"), 404, "NotFound");
    }
  }
  EXPECT_TRUE(world_.simulation.ledger.entries().empty());
}

TEST_F(AuthenticateTest, ApprovedCardLeadsToTheResultPage) {
  const Made made = CardOrder();
  const boost::json::object order =
      Authenticated(made, TokenBody(Card(kApprovedPan), R"(, "cvc": "987")"));
  EXPECT_EQ(Text(order.at("id")), made.order);
  EXPECT_EQ(Text(order.at("redirect_url")), "http://sandbox.test/pay/" + made.order + "/result/");
  EXPECT_EQ(order.at("transactions").at(0).at("status"), "completed");
  EXPECT_EQ(order.at("status"), "processing") << "own checkout";
  EXPECT_THAT(boost::json::serialize(Get(made.order)), Not(HasSubstr("cvc")));
}

TEST_F(AuthenticateTest, AnswerIsTheOrderWithOneMoreMember) {
  const Made made = CardOrder();
  boost::json::object order = Authenticated(made, TokenBody(Card(kApprovedPan)));
  order.erase("redirect_url");
  EXPECT_EQ(order, Get(made.order));
}

TEST_F(AuthenticateTest, ApprovedCardLeadsToTheReturnUrl) {
  const Made made = CardOrder(
      R"(, "return_url": "https://shop.example/back?a=%22", "failure_url": "https://shop.example/no")");
  EXPECT_EQ(Authenticated(made, TokenBody(Card(kApprovedPan))).at("redirect_url"),
            "https://shop.example/back?a=%22");
}

TEST_F(AuthenticateTest, DeclinedCardLeadsToTheFailureUrl) {
  const Made made = CardOrder(
      R"(, "return_url": "https://shop.example/back", "failure_url": "https://shop.example/no")");
  const boost::json::object order = Authenticated(made, TokenBody(Card(kDeclinedPan)));
  EXPECT_EQ(order.at("status"), "error");
  EXPECT_EQ(order.at("redirect_url"), "https://shop.example/no");
  const Made without = CardOrder(R"(, "return_url": "https://shop.example/back")");
  EXPECT_EQ(Authenticated(without, TokenBody(Card(kDeclinedPan))).at("redirect_url"),
            "https://shop.example/back");
}

TEST_F(AuthenticateTest, ChallengedCardLeadsToTheChallengePage) {
  const Made made = CardOrder(R"(, "return_url": "https://shop.example/back")");
  const boost::json::object order = Authenticated(made, TokenBody(Card(kChallengePan)));
  EXPECT_EQ(order.at("transactions").at(0).at("status"), "pending");
  EXPECT_EQ(Text(order.at("redirect_url")),
            "http://sandbox.test/pay/" + made.order + "/" + made.transaction + "/challenge/");
  ExpectError(Post(At(made, "authenticate"), TokenBody(Card(kApprovedPan))), 409,
              "TransactionAlreadyStarted");
}

TEST_F(AuthenticateTest, ExternalValuesNeedNoChallengeAndNoRedirect) {
  const Made made = CardOrder(R"(, "return_url": "https://shop.example/back")");
  const boost::json::object order = Authenticated(made, TokenBody(Card(kChallengePan), kExternal));
  EXPECT_FALSE(order.contains("redirect_url"));
  const boost::json::object& transaction = order.at("transactions").at(0).as_object();
  EXPECT_EQ(transaction.at("status"), "completed");
  EXPECT_EQ(transaction.at("payment_method_details").at("external_authentication_details"),
            boost::json::parse(R"({"authenticationValue": "AAAB", "dsTransID": "D-1",
                                   "methodUsed": "challenge", "protocolVersion": "2.2.0"})"));
}

TEST_F(AuthenticateTest, ExternalValuesComeTogetherOrNotAtAll) {
  const Made made = CardOrder();
  const std::string token = Card(kApprovedPan);
  for (const std::string_view missing :
       {"cavv", "3ds_version", "3ds_method_used", "ds_transaction_id"}) {
    boost::json::object body = boost::json::parse(TokenBody(token, kExternal)).as_object();
    body.erase(missing);
    ExpectError(Post(At(made, "authenticate"), boost::json::serialize(body)), 422,
                "ValidationError", std::string(missing) + " is required");
    body[missing] = nullptr;
    ExpectError(Post(At(made, "authenticate"), boost::json::serialize(body)), 422,
                "ValidationError", std::string(missing) + " is required");
    body[missing] = "";
    ExpectError(Post(At(made, "authenticate"), boost::json::serialize(body)), 422,
                "ValidationError", std::string(missing) + " must not be empty");
    body[missing] = 2;
    ExpectError(Post(At(made, "authenticate"), boost::json::serialize(body)), 422,
                "ValidationError", std::string(missing) + " must be a string");
  }
  EXPECT_EQ(TransactionOf(made.order).at("status"), "new");
}

TEST_F(AuthenticateTest, BodyIsReadStrictly) {
  const Made made = CardOrder();
  const std::string token = Card(kApprovedPan);
  const struct {
    std::string body;
    int status;
    std::string_view value;
  } rows[] = {
      {"", 400, "not JSON"},
      {"null", 422, "must be an object"},
      {"{}", 422, "vault_token is required"},
      {R"({"vault_token": "x"})", 422, "vault_token must be a uuid"},
      {R"({"vault_token": {}})", 422, "vault_token must be a string"},
      {TokenBody(std::string(kUnknownId)), 422, "vault_token names no stored card"},
      {TokenBody(token, R"(, "cvc": 987)"), 422, "cvc must be a string"},
      {TokenBody(token, R"(, "cvc": "98")"), 422, "cvc must have 3 to 4 digits"},
      {TokenBody(token, R"(, "cvc": "98765")"), 422, "cvc must have 3 to 4 digits"},
      {TokenBody(token, R"(, "pan": "4111111111111111")"), 422, "pan is not a field"},
  };
  for (const auto& [body, status, value] : rows) {
    SCOPED_TRACE(body);
    ExpectError(Post(At(made, "authenticate"), body), status, "ValidationError", value);
  }
  EXPECT_EQ(TransactionOf(made.order).at("status"), "new");
}

TEST_F(AuthenticateTest, AnotherProjectsCardIsNoCard) {
  const Made made = CardOrder("", "", kShopKey);
  ExpectError(Post(At(made, "authenticate"), TokenBody(Card(kApprovedPan)), kShopKey), 422,
              "ValidationError", "vault_token");
}

TEST_F(AuthenticateTest, PayoutRunsWithoutTheCustomer) {
  const Made made = Payout();
  const boost::json::object order = Authenticated(made, TokenBody(Card(kApprovedPan)));
  EXPECT_EQ(Text(order.at("redirect_url")), "http://sandbox.test/pay/" + made.order + "/result/");
  EXPECT_EQ(order.at("transactions").at(0).at("status"), "accepted");
  Advance(std::chrono::seconds(1));
  EXPECT_EQ(Get(made.order).at("status"), "completed");
  const Made with_url = Payout(R"(, "return_url": "https://shop.example/back")");
  EXPECT_EQ(Authenticated(with_url, TokenBody(Card(kApprovedPan))).at("redirect_url"),
            "https://shop.example/back");
}

}  // namespace
}  // namespace tollbridge::sandbox
