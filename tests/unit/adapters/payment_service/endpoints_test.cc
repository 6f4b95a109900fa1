#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/payment_service/client.h"
#include "services/domain/errors.h"
#include "services/domain/refusal.h"
#include "tests/support/async_test.h"
#include "tests/support/fails_with.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

namespace asio = boost::asio;
using Fate = ports::Answer::Fate;
using common::v1::Order;

const std::string kOrder = "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10";
const std::string kTransaction = "6b1f2d3e-8a5c-4d1b-8e64-3a7a7d2a4b21";
const std::string kNewOrder = "7c2a3e4f-9b6d-4e2c-9f75-4b8b8e3b5c32";
const std::string kToken = "8d3b4f5a-0c7e-4f3d-8a86-5c9c9f4c6d43";
const std::string kPath = "/v1/orders/" + kOrder + "/";
const std::string kTransactionPath = kPath + "transactions/" + kTransaction + "/";

/// A JSON object with these members.
std::string Object(const std::string& members) { return "{" + members + "}"; }
std::string Id(const std::string& id) { return R"("id": ")" + id + '"'; }
std::string Member(const std::string& name, const std::string& id) {
  return ", \"" + name + R"(": ")" + id + '"';
}

/// The client before a scripted pipe.
class EndpointsTest : public testing::Test {
 protected:
  EndpointsTest() {
    std::vector<std::unique_ptr<Transport>> links;
    links.push_back(std::make_unique<ScriptedTransport>(
        &seen_, [this](const Exchange&) { return Answered(status_, body_); }));
    client_ = std::make_unique<Client>(
        TransportChain(std::move(links)), [](const domain::Project&) { return "key"; },
        WalletNames{.wallet_a = "real-a"});
  }

  void Answer(int status, std::string body) {
    status_ = status;
    body_ = std::move(body);
  }

  /// A request about the transaction.
  template <typename Request>
  static Request Ask() {
    Request request;
    request.set_project("shop");
    request.set_idempotency_key("key-1");
    request.set_order_id(kOrder);
    if constexpr (requires { request.set_transaction_id(""); }) {
      request.set_transaction_id(kTransaction);
    }
    return request;
  }

  ports::Answer Send(const payments::v1::InitiateTransactionRequest& request) {
    return test::Await(context_, client_->InitiateTransaction(project_, request, call_, guard_));
  }
  ports::Answer Send(const payments::v1::AuthenticateTransactionRequest& request) {
    return test::Await(context_,
                       client_->AuthenticateTransaction(project_, request, call_, guard_));
  }
  ports::Answer Send(const payments::v1::CaptureTransactionRequest& request) {
    return test::Await(context_, client_->CaptureTransaction(project_, request, call_, guard_));
  }
  ports::Answer Send(const payments::v1::VoidTransactionRequest& request) {
    return test::Await(context_, client_->VoidTransaction(project_, request, call_, guard_));
  }
  ports::Answer Send(const payments::v1::CreateRefundRequest& request) {
    return test::Await(context_, client_->CreateRefund(project_, request, call_, guard_));
  }
  absl::StatusOr<common::v1::RefundList> ListRefunds() {
    return test::Await(context_, client_->ListRefunds(project_, kOrder, call_));
  }
  absl::StatusOr<common::v1::OrderSearchResult> Search(const common::v1::OrderSearch& search = {}) {
    return test::Await(context_, client_->SearchOrders(project_, search, call_));
  }

  /// Checks the one exchange of a mutation. An empty body: none, and no Content-Type.
  void ExpectMutation(std::string_view operation, const std::string& target,
                      const std::string& body) {
    ASSERT_EQ(seen_.size(), 1u);
    const Exchange& exchange = seen_[0];
    EXPECT_EQ(exchange.operation, operation);
    EXPECT_EQ(exchange.effect, Effect::kMutation);
    EXPECT_EQ(exchange.project, "shop");
    EXPECT_EQ(exchange.request.method, "POST");
    EXPECT_EQ(exchange.request.target, target);
    EXPECT_EQ(exchange.deadline, call_.deadline);
    EXPECT_EQ(exchange.write_before, guard_.write_before);
    EXPECT_EQ(exchange.write_before_civil, guard_.write_before_civil);
    EXPECT_TRUE(exchange.request.headers.Contains("Authorization"));
    EXPECT_EQ(exchange.request.headers.Contains("Content-Type"), !body.empty());
    if (body.empty()) {
      EXPECT_EQ(exchange.request.body, "");
    } else {
      EXPECT_EQ(boost::json::parse(exchange.request.body), boost::json::parse(body));
    }
  }

  /// Each of the bodies is no answer to the request.
  template <typename Request>
  void ExpectUnknown(const Request& request, const std::vector<std::string>& bodies) {
    for (const std::string& body : bodies) {
      Answer(201, body);
      const ports::Answer answer = Send(request);
      EXPECT_EQ(answer.fate, Fate::kUnknown) << body;
      EXPECT_EQ(answer.refusal.http_status, 201) << body;
      EXPECT_FALSE(answer.cause.empty()) << body;
      EXPECT_EQ(answer.result, nullptr) << body;
    }
  }

  /// A new order is answered, linked by `link` and its transaction by `transaction_link`.
  template <typename Request>
  void ExpectNewOrder(const Request& request, const std::string& link,
                      const std::string& transaction_link) {
    const std::string linked = Id(kNewOrder) + Member(link, kOrder) +
                               Member("related_order_id", kOrder) + R"(, "transactions": [)" +
                               Object(Id(kToken) + Member(transaction_link, kTransaction)) + "]";
    for (const std::string& body : {Object(linked), Object(Id(kNewOrder))}) {
      Answer(201, body);
      const ports::Answer answer = Send(request);
      ASSERT_EQ(answer.fate, Fate::kAnswered) << body << answer.cause;
      EXPECT_EQ(dynamic_cast<const Order&>(*answer.result).id(), kNewOrder);
    }
    ExpectUnknown(request,
                  {"{}", Object(Id(kOrder)), Object(Id(kNewOrder) + Member(link, kNewOrder)),
                   Object(Id(kNewOrder) + Member("related_order_id", kToken)),
                   Object(Id(kNewOrder) + R"(, "error": {"type": "ServerError"})")});
  }

  asio::io_context context_{1};
  domain::Project project_{.name = "shop"};
  ports::Context call_{.deadline = BootTime(std::chrono::hours(1)), .trace = {}};
  ports::SendGuard guard_{.write_before = BootTime(std::chrono::minutes(59)),
                          .write_before_civil = WallTime(std::chrono::hours(7))};
  int status_ = 200;
  std::string body_;
  Seen seen_;
  std::unique_ptr<Client> client_;
};

TEST_F(EndpointsTest, InitiatesATransaction) {
  auto request = Ask<payments::v1::InitiateTransactionRequest>();
  request.set_vault_token(kToken);
  Answer(202, Object(Id(kOrder) + R"(, "status": "processing", "payment_methods": ["real-a"])"));
  const ports::Answer answer = Send(request);
  ASSERT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
  const auto& order = dynamic_cast<const Order&>(*answer.result);
  EXPECT_EQ(order.status(), common::v1::ORDER_STATUS_PROCESSING);
  EXPECT_THAT(order.payment_methods(), testing::ElementsAre("wallet-a-pay"));
  ExpectMutation("initiate_transaction", kTransactionPath + "initiate/",
                 R"({"vault_token": ")" + kToken + R"("})");
}

TEST_F(EndpointsTest, InitiateMustBeAnsweredWithItsOrder) {
  ExpectUnknown(Ask<payments::v1::InitiateTransactionRequest>(),
                {"{}", R"({"status": "processing"})", Object(Id(kNewOrder)), "[]", "", "null"});
}

TEST_F(EndpointsTest, AuthenticatesWithExternalThreeDSecureUnderItsWireNames) {
  auto request = Ask<payments::v1::AuthenticateTransactionRequest>();
  request.set_vault_token(kToken);
  request.set_cvc("123");
  request.set_cavv("AAABBBCCC");
  request.set_three_ds_version("2.2.0");
  request.set_three_ds_method_used("challenge");
  request.set_ds_transaction_id("ds-1");
  Answer(200, Object(Id(kOrder) + R"(, "status": "processing")"));
  const ports::Answer answer = Send(request);
  ASSERT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
  const auto& result = dynamic_cast<const payments::v1::AuthenticateAnswer&>(*answer.result);
  EXPECT_FALSE(result.has_redirect_url()) << "processed directly";
  EXPECT_EQ(result.order().id(), kOrder);
  ExpectMutation("authenticate_transaction", kTransactionPath + "authenticate/",
                 R"({"vault_token": ")" + kToken +
                     R"(", "cvc": "123", "cavv": "AAABBBCCC", "3ds_version": "2.2.0",
                         "3ds_method_used": "challenge", "ds_transaction_id": "ds-1"})");
}

TEST_F(EndpointsTest, AuthenticateAnswersTheOrderAndWhereTheCustomerGoesOn) {
  Answer(200, Object(Id(kOrder) + R"(, "redirect_url": "https://pay.example/3ds",
                                       "transactions": [{"payment_method": "real-a"}])"));
  const ports::Answer answer = Send(Ask<payments::v1::AuthenticateTransactionRequest>());
  ASSERT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
  const auto& result = dynamic_cast<const payments::v1::AuthenticateAnswer&>(*answer.result);
  EXPECT_EQ(result.redirect_url(), "https://pay.example/3ds");
  EXPECT_EQ(result.order().transactions(0).payment_method(), "wallet-a-pay");
}

TEST_F(EndpointsTest, AuthenticateMustBeAnsweredWithItsOrder) {
  ExpectUnknown(Ask<payments::v1::AuthenticateTransactionRequest>(),
                {"{}", R"({"redirect_url": "https://pay.example/3ds"})", Object(Id(kNewOrder)),
                 Object(Id(kOrder) + R"(, "error": {"type": "ServerError"})")});
}

TEST_F(EndpointsTest, CapturesTheWholeWithoutABody) {
  const auto request = Ask<payments::v1::CaptureTransactionRequest>();
  Answer(201, Object(Id(kNewOrder)));
  EXPECT_EQ(Send(request).fate, Fate::kAnswered);
  ExpectMutation("capture_transaction", kTransactionPath + "captures/", "");
}

TEST_F(EndpointsTest, CapturesAPartAtItsOwnPath) {
  auto request = Ask<payments::v1::CaptureTransactionRequest>();
  request.set_amount(300);
  request.set_description("first parcel");
  Answer(201, Object(Id(kNewOrder)));
  EXPECT_EQ(Send(request).fate, Fate::kAnswered);
  ExpectMutation("capture_transaction", kTransactionPath + "captures/amount/",
                 R"({"amount": 300, "description": "first parcel"})");
}

TEST_F(EndpointsTest, CaptureMustBeAnsweredWithANewOrderOfItsTransaction) {
  const auto request = Ask<payments::v1::CaptureTransactionRequest>();
  ExpectNewOrder(request, "capture_of_order_id", "capture_of_transaction_id");
  ExpectUnknown(request,
                {Object(Id(kTransaction) + Member("order_id", kOrder)), Object(Id(kTransaction)),
                 Object(Id(kNewOrder) + Member("order_id", kOrder)),
                 Object(Id(kNewOrder) + R"(, "transactions": [)" +
                        Object(Id(kToken) + Member("capture_of_transaction_id", kToken)) + "]")});
}

TEST_F(EndpointsTest, VoidsTheWholeWithoutABody) {
  const auto request = Ask<payments::v1::VoidTransactionRequest>();
  Answer(201, Object(Id(kNewOrder)));
  EXPECT_EQ(Send(request).fate, Fate::kAnswered);
  ExpectMutation("void_transaction", kTransactionPath + "voids/", "");
}

TEST_F(EndpointsTest, VoidsAPartAtItsOwnPath) {
  auto request = Ask<payments::v1::VoidTransactionRequest>();
  request.set_amount(300);
  Answer(201, Object(Id(kNewOrder)));
  EXPECT_EQ(Send(request).fate, Fate::kAnswered);
  ExpectMutation("void_transaction", kTransactionPath + "voids/amount/", R"({"amount": 300})");
}

TEST_F(EndpointsTest, VoidMustBeAnsweredWithANewOrderOfItsTransaction) {
  const auto request = Ask<payments::v1::VoidTransactionRequest>();
  ExpectNewOrder(request, "void_of_order_id", "void_of_transaction_id");
  ExpectUnknown(request,
                {Object(Id(kNewOrder) + R"(, "transactions": [)" +
                        Object(Id(kToken) + Member("void_of_transaction_id", kToken)) + "]")});
}

TEST_F(EndpointsTest, CreatesARefund) {
  auto request = Ask<payments::v1::CreateRefundRequest>();
  request.set_amount(500);
  request.set_description("damaged [tb:0123456789abcdef]");
  Answer(201, Object(Id(kNewOrder)));
  EXPECT_EQ(Send(request).fate, Fate::kAnswered);
  ExpectMutation("create_refund", kPath + "refunds/",
                 R"({"amount": 500, "description": "damaged [tb:0123456789abcdef]"})");
}

TEST_F(EndpointsTest, RefundMustBeAnsweredWithANewOrderOfItsOrder) {
  ExpectNewOrder(Ask<payments::v1::CreateRefundRequest>(), "refund_of_order_id",
                 "refund_of_transaction_id");
}

TEST_F(EndpointsTest, RefusalOfAFollowUpIsAResult) {
  Answer(409, R"({"error": {"status": 409, "type": "CanNotCancelTransaction", "value": "x"}})");
  const ports::Answer answer = Send(Ask<payments::v1::VoidTransactionRequest>());
  EXPECT_EQ(answer.fate, Fate::kRefused);
  EXPECT_EQ(answer.refusal.type, "CanNotCancelTransaction");
}

TEST_F(EndpointsTest, IdsCannotLeaveTheirPlaceInThePath) {
  auto request = Ask<payments::v1::InitiateTransactionRequest>();
  request.set_order_id("a/b");
  request.set_transaction_id("c?d#e");
  Answer(404, "");
  Send(request);
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].request.target, "/v1/orders/a%2Fb/transactions/c%3Fd%23e/initiate/");
}

TEST_F(EndpointsTest, ListsRefundsFromABareArray) {
  Answer(200, "[" +
                  Object(Id(kNewOrder) + Member("refund_of_order_id", kOrder) +
                         R"(, "amount": 500, "flags": ["is-refund"])") +
                  "," + Object(Id(kToken)) + "]");
  const absl::StatusOr<common::v1::RefundList> refunds = ListRefunds();
  ASSERT_TRUE(refunds.ok()) << refunds.status();
  ASSERT_EQ(refunds->orders_size(), 2);
  EXPECT_EQ(refunds->orders(0).amount(), 500);
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].operation, "list_refunds");
  EXPECT_EQ(seen_[0].effect, Effect::kRead);
  EXPECT_EQ(seen_[0].request.method, "GET");
  EXPECT_EQ(seen_[0].request.target, kPath + "refunds/");

  Answer(200, "[]");
  EXPECT_EQ(ListRefunds()->orders_size(), 0);
}

TEST_F(EndpointsTest, RefundsThatCannotBeUnderstoodAreNotReadAsFewer) {
  for (const std::string& body :
       {Object(Id(kNewOrder)), std::string("[{}]"), std::string("[5]"),
        "[" + Object(Id(kOrder)) + "]",
        "[" + Object(Id(kNewOrder) + Member("refund_of_order_id", kToken)) + "]",
        "[null, " + Object(Id(kNewOrder) + Member("refund_of_order_id", kOrder)) + "]",
        std::string(R"({"error": {"type": "ServerError"}})"), std::string()}) {
    Answer(200, body);
    EXPECT_EQ(domain::ReasonOf(ListRefunds().status()), domain::reason::kUpstreamUnreadable)
        << body;
  }
}

TEST_F(EndpointsTest, RefundsOfAnOrderThatTheServiceDoesNotKnowAreNotFound) {
  Answer(404, R"({"error": {"status": 404, "type": "NotFound", "value": "no such order"}})");
  const absl::StatusOr<common::v1::RefundList> refunds = ListRefunds();
  EXPECT_THAT(refunds, FailsWith(StatusCode::kNotFound, domain::reason::kOrderNotFound));
  EXPECT_TRUE(domain::SaysOrderNotFound(refunds.status()));
}

TEST_F(EndpointsTest, SearchesOrders) {
  common::v1::OrderSearch search;
  search.set_query("merchant_order_id:\"A-1\"");
  search.set_size(50);
  search.set_sort("id asc");
  search.set_search_after("-1");
  Answer(200, R"({"hits": 7, "orders": [)" +
                  Object(Id(kOrder) + R"(, "payment_methods": ["real-a"], "sort": "other")") +
                  R"(], "search_after": "cursor-1"})");
  const absl::StatusOr<common::v1::OrderSearchResult> page = Search(search);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->hits(), 7);
  EXPECT_EQ(page->search_after(), "cursor-1") << "what stands beside the orders comes first";
  ASSERT_EQ(page->orders_size(), 1);
  EXPECT_THAT(page->orders(0).payment_methods(), testing::ElementsAre("wallet-a-pay"));
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].operation, "search_orders");
  EXPECT_EQ(seen_[0].effect, Effect::kRead) << "a POST that changes nothing may be repeated";
  EXPECT_EQ(seen_[0].request.method, "POST");
  EXPECT_EQ(seen_[0].request.target, "/v1/search/orders/");
  EXPECT_EQ(seen_[0].request.headers.Find("Content-Type"), "application/json");
  EXPECT_EQ(boost::json::parse(seen_[0].request.body),
            boost::json::parse(R"({"query": "merchant_order_id:\"A-1\"", "size": 50,
                                   "sort": "id asc", "search_after": "-1"})"));
}

TEST_F(EndpointsTest, TakesTheCursorFromTheLastOrderWhenItIsOnlyThere) {
  Answer(200, R"({"hits": 2, "orders": [)" + Object(Id(kOrder) + R"(, "sort": "a")") + "," +
                  Object(Id(kNewOrder) + R"(, "sort": "b")") + "]}");
  EXPECT_EQ(Search()->search_after(), "b");
  Answer(200, R"({"hits": 2, "orders": [)" + Object(Id(kOrder)) + R"(], "search_after": 17})");
  EXPECT_EQ(Search()->search_after(), "17");
  Answer(200, R"({"hits": 2, "orders": []})");
  EXPECT_FALSE(Search()->has_search_after());
}

TEST_F(EndpointsTest, SearchAnswerThatDoesNotSayWhatThereIsIsNotNone) {
  for (const std::string body :
       {R"({})", R"({"orders": []})", R"({"hits": 1, "orders": 7})",
        R"({"hits": 1, "orders": [{}})", R"([])", "", R"({"error": {"type": "ServerError"}})"}) {
    Answer(200, body);
    EXPECT_EQ(domain::ReasonOf(Search().status()), domain::reason::kUpstreamUnreadable) << body;
  }
  for (const std::string& body :
       {std::string(R"({"hits": 0, "orders": []})"), std::string(R"({"hits": 0})"),
        R"({"hits": 1, "orders": [)" + Object(Id(kOrder) + R"(, "created": "soon")") + "]}"}) {
    Answer(200, body);
    EXPECT_TRUE(Search().ok()) << body;
  }
}

}  // namespace
}  // namespace tollbridge::payment_service
