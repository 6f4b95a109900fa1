// Each function of the client against the sandbox's program: two readings of the interface meet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "services/domain/errors.h"
#include "tests/integration/payment_service/pipe.h"

namespace tollbridge::test {
namespace {

using Fate = ports::Answer::Fate;
using common::v1::Order;
using ports::PaymentService;

class EndpointsTest : public PipeTest {
 protected:
  /// A pre-authorization that can be captured.
  Order Authorized(const std::string& merchant_order_id) {
    const Order order = MakeOrder(merchant_order_id, "manual");
    Pay(order);
    return Read(order.id()).value();
  }

  template <typename Request>
  static Request Part(const Order& order, std::int64_t amount) {
    auto request = About<Request>(order);
    request.set_amount(amount);
    request.set_description("first parcel");
    return request;
  }
};

TEST_F(EndpointsTest, InitiatesOnceAndIsToldSoTheSecondTime) {
  const Order order = MakeOrder("A-1");
  auto request = About<payments::v1::InitiateTransactionRequest>(order);
  request.set_vault_token(StoreCard(order));
  const ports::Answer first = Send(&PaymentService::InitiateTransaction, request);
  ASSERT_EQ(first.fate, Fate::kAnswered) << first.cause;
  EXPECT_EQ(dynamic_cast<const Order&>(*first.result).id(), order.id());
  const ports::Answer second = Send(&PaymentService::InitiateTransaction, request);
  EXPECT_EQ(second.fate, Fate::kRefused);
  EXPECT_EQ(second.refusal.type, "TransactionAlreadyStarted");
}

TEST_F(EndpointsTest, AuthenticatesPlainAndWithExternalThreeDSecure) {
  const Order plain = MakeOrder("A-1");
  auto request = About<payments::v1::AuthenticateTransactionRequest>(plain);
  request.set_vault_token(StoreCard(plain));
  request.set_cvc("123");
  const ports::Answer first = Send(&PaymentService::AuthenticateTransaction, request);
  ASSERT_EQ(first.fate, Fate::kAnswered) << first.cause;
  const auto& told = dynamic_cast<const payments::v1::AuthenticateAnswer&>(*first.result);
  EXPECT_FALSE(told.redirect_url().empty());
  EXPECT_EQ(told.order().id(), plain.id());

  const Order external = MakeOrder("A-2");
  request = About<payments::v1::AuthenticateTransactionRequest>(external);
  request.set_vault_token(StoreCard(external));
  request.set_cavv("AAABBB");
  request.set_three_ds_version("2.2.0");
  request.set_three_ds_method_used("challenge");
  request.set_ds_transaction_id("ds-1");
  const ports::Answer second = Send(&PaymentService::AuthenticateTransaction, request);
  ASSERT_EQ(second.fate, Fate::kAnswered) << second.cause;
  EXPECT_FALSE(
      dynamic_cast<const payments::v1::AuthenticateAnswer&>(*second.result).has_redirect_url());
}

TEST_F(EndpointsTest, CapturesTheWholeOnce) {
  const Order order = Authorized("A-1");
  const auto request = About<payments::v1::CaptureTransactionRequest>(order);
  const ports::Answer first = Send(&PaymentService::CaptureTransaction, request);
  ASSERT_EQ(first.fate, Fate::kAnswered) << first.cause;
  EXPECT_EQ(dynamic_cast<const Order&>(*first.result).capture_of_order_id(), order.id());
  EXPECT_EQ(Send(&PaymentService::CaptureTransaction, request).fate, Fate::kRefused);
  EXPECT_EQ(Effects("capture"), 1);
}

TEST_F(EndpointsTest, CapturesAndVoidsInPart) {
  const Order order = Authorized("A-1");
  const ports::Answer captured = Send(&PaymentService::CaptureTransaction,
                                      Part<payments::v1::CaptureTransactionRequest>(order, 300));
  ASSERT_EQ(captured.fate, Fate::kAnswered) << captured.cause;
  const auto& capture = dynamic_cast<const Order&>(*captured.result);
  EXPECT_EQ(capture.amount(), 300);
  EXPECT_EQ(capture.description(), "first parcel");
  const ports::Answer voided = Send(&PaymentService::VoidTransaction,
                                    Part<payments::v1::VoidTransactionRequest>(order, 200));
  ASSERT_EQ(voided.fate, Fate::kAnswered) << voided.cause;
  EXPECT_EQ(dynamic_cast<const Order&>(*voided.result).void_of_order_id(), order.id());
}

TEST_F(EndpointsTest, VoidsTheWhole) {
  const Order order = Authorized("A-1");
  const ports::Answer voided =
      Send(&PaymentService::VoidTransaction, About<payments::v1::VoidTransactionRequest>(order));
  ASSERT_EQ(voided.fate, Fate::kAnswered) << voided.cause;
  EXPECT_EQ(Effects("void"), 1);
}

TEST_F(EndpointsTest, RefundsAndListsWhatWasRefunded) {
  const Order order = MakeOrder("A-1");
  Pay(order);
  payments::v1::CreateRefundRequest request;
  request.set_order_id(order.id());
  request.set_amount(500);
  request.set_description("damaged [tb:0123456789abcdef]");
  const ports::Answer refunded = Send(&PaymentService::CreateRefund, request);
  ASSERT_EQ(refunded.fate, Fate::kAnswered) << refunded.cause;
  const auto& refund = dynamic_cast<const Order&>(*refunded.result);
  const ports::Context context = Context();
  const auto list = Await(client_->ListRefunds(project_, order.id(), context));
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->orders_size(), 1);
  EXPECT_EQ(list->orders(0).id(), refund.id());
  EXPECT_EQ(list->orders(0).description(), "damaged [tb:0123456789abcdef]");
  request.set_amount(1'000);
  EXPECT_EQ(Send(&PaymentService::CreateRefund, request).refusal.type, "RefundError");
}

TEST_F(EndpointsTest, RefundsOfAnOrderThatIsNotThereAreNotFound) {
  const ports::Context context = Context();
  const auto list =
      Await(client_->ListRefunds(project_, "99999999-9999-4999-8999-999999999999", context));
  EXPECT_EQ(domain::ReasonOf(list.status()), domain::reason::kOrderNotFound);
}

TEST_F(EndpointsTest, PagesThroughASearchByItsCursor) {
  std::set<std::string> made;
  for (int i = 0; i < 5; ++i) made.insert(MakeOrder("batch-1").id());
  MakeOrder("batch-2");
  common::v1::OrderSearch search;
  search.set_query("merchant_order_id:\"batch-1\"");
  search.set_size(2);
  search.set_sort("id asc");
  search.set_search_after("-1");
  std::set<std::string> found;
  for (int page = 0; page < 4; ++page) {
    const ports::Context context = Context();
    const auto result = Await(client_->SearchOrders(project_, search, context));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->hits(), 5);
    for (const Order& order : result->orders()) found.insert(order.id());
    if (result->orders().empty()) break;
    search.set_search_after(result->search_after());
  }
  EXPECT_EQ(found, made);
}

}  // namespace
}  // namespace tollbridge::test
