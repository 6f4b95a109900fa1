// Searches, reports and watching, over TLS; and who is not spoken to.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "tests/e2e/support/exports.h"
#include "tests/e2e/support/flows.h"
#include "tests/support/test_certificates.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::test {
namespace {

using search::v1::SearchOrdersRequest;
using search::v1::SearchOrdersResponse;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ReadingFlowTest : public FlowTest {
 protected:
  /// Messages of a stream, which must end well.
  template <typename Response, typename Request>
  static std::vector<Response> ReadAll(const std::string& method, const Request& request) {
    const auto stream = stack().grpc().OpenStream(method, request.SerializeAsString());
    std::vector<Response> messages;
    while (const auto bytes = stream->Read()) {
      EXPECT_TRUE(messages.emplace_back().ParseFromString(*bytes));
    }
    EXPECT_EQ(stream->Finish().code_name(), "OK");
    return messages;
  }
};

TEST_F(ReadingFlowTest, ASearchGivesEachOrderOnceByPagesAsAStreamAndAsAReport) {
  constexpr int kOrders = 250;
  Seed(stack(), kOrders);
  SearchOrdersRequest request;
  request.set_page_size(100);
  std::set<std::string> paged;
  for (int pages = 0; pages < 3; ++pages) {
    const auto page = Must<SearchOrdersResponse>(request);
    EXPECT_EQ(page.total_hits(), kOrders);
    for (const auto& order : page.orders()) paged.insert(order.id());
    EXPECT_EQ(page.has_next_page_token(), pages < 2);
    request.set_page_token(page.next_page_token());
  }
  EXPECT_THAT(paged, SizeIs(kOrders));

  std::set<std::string> streamed;
  for (const auto& each : ReadAll<search::v1::StreamOrdersResponse>(
           "tollbridge.search.v1.Search.StreamOrders", search::v1::StreamOrdersRequest())) {
    EXPECT_TRUE(streamed.insert(each.order().id()).second);
  }
  EXPECT_EQ(streamed, paged);

  const Export exported = ExportAll(stack());
  EXPECT_TRUE(exported.end.ok()) << exported.end.message;
  EXPECT_EQ(exported.summary.orders(), kOrders);
  EXPECT_EQ(exported.summary.bytes(), exported.bytes);
}

TEST_F(ReadingFlowTest, ASearchFindsByStatusAndReferenceAndRefusesWhatItCannotRead) {
  auto wanted = NewOrder("");
  wanted.set_merchant_order_id("basket-of-reading");
  const auto order = Create(wanted);
  SearchOrdersRequest request;
  auto& filter = *request.mutable_query()->mutable_filter();
  filter.set_merchant_order_id("basket-of-reading");
  filter.set_status(common::v1::ORDER_STATUS_NEW);
  const auto found = Must<SearchOrdersResponse>(request);
  ASSERT_EQ(found.orders_size(), 1);
  EXPECT_EQ(found.orders(0).id(), order.id());
  filter.set_status(common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_EQ(Must<SearchOrdersResponse>(request).orders_size(), 0);
  request.mutable_query()->set_raw("status:[");
  EXPECT_EQ(RefusalOf(Send(request)), kInvalid);
  request.set_page_size(0);
  EXPECT_EQ(RefusalOf(Send(request)), "INVALID_ARGUMENT INVALID_REQUEST page_size");
}

TEST_F(ReadingFlowTest, AWatcherSeesTheOrderToItsEnd) {
  const auto order = Create(NewOrder(""));
  payments::v1::WatchOrderRequest request;
  request.set_order_id(order.id());
  const auto stream = stack().grpc().OpenStream("tollbridge.payments.v1.Payments.WatchOrder",
                                                request.SerializeAsString());
  payments::v1::WatchOrderResponse last;
  std::optional<std::string> bytes = stream->Read();
  ASSERT_TRUE(bytes.has_value());
  PayOnHostedPage(stack(), order);
  for (; bytes; bytes = stream->Read()) ASSERT_TRUE(last.ParseFromString(*bytes));
  EXPECT_TRUE(last.final());
  EXPECT_EQ(StateOf(last.order()), "COMPLETED COMPLETED 00");
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(ReadingFlowTest, AnOrderThatIsNotThereIsNotFoundAndCurrenciesAreListed) {
  payments::v1::GetOrderRequest request;
  request.set_order_id("0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f");
  EXPECT_EQ(RefusalOf(Send(request)), "NOT_FOUND ORDER_NOT_FOUND NotFound");
  request.set_order_id("order 7");
  EXPECT_EQ(RefusalOf(Send(request)), "INVALID_ARGUMENT INVALID_REQUEST order_id");
  const auto currencies =
      Must<payments::v1::ListCurrenciesResponse>(payments::v1::ListCurrenciesRequest());
  EXPECT_THAT(currencies.currencies(), testing::Contains("EUR"));
}

TEST_F(ReadingFlowTest, NobodyIsServedWithoutTlsOrWithoutTheRightCertificate) {
  const auto refused = [](const std::optional<RpcTls>& tls) {
    GrpcClient client(stack().grpc_address(), tls);
    return RefusalOf(client.Call(kCreateOrder, OrderRequest("stranger")));
  };
  const std::size_t before = stack().SandboxOrders().size();
  EXPECT_EQ(refused(std::nullopt), "UNAVAILABLE ");
  RpcTls without = *stack().caller_tls();
  without.private_key.clear();
  without.certificate_chain.clear();
  EXPECT_EQ(refused(without), "UNAVAILABLE ");
  EXPECT_THAT(stack().SandboxOrders(), SizeIs(before));
}

// The gateway talks to no payment service whose certificate it cannot verify.
class WrongAuthorityFlowTest : public testing::Test {
 protected:
  const TestCertificates others_{"IP:127.0.0.1"};
  // The sweep meets the same, and must not open the breaker before the caller is told why.
  Stack stack_{{.settings = {{"payment_service",
                              {{"ca_file", others_.ca_file()}, {"breaker_failures", "100"}}}},
                .tls = true}};
};

TEST_F(WrongAuthorityFlowTest, ThePaymentServiceIsSentNothingAndTheCallerIsToldSo) {
  const RpcReply created = CreateOrder(stack_, OrderRequest("wrong-authority"));
  EXPECT_EQ(RefusalOf(created), "UNAVAILABLE NOT_SENT");
  EXPECT_EQ(created.status.metadata.at("retry"), "SAFE_SAME_KEY");
  // What is wrong is for the log, not for callers.
  EXPECT_THAT(created.status.message, testing::AllOf(HasSubstr("nothing was sent"),
                                                     testing::Not(HasSubstr("certificate"))));
  EXPECT_TRUE(Eventually(
      [&] { return stack_.gateway().standard_output().find("certificate") != std::string::npos; }));
  const RpcReply read = GetOrder(stack_, "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f");
  EXPECT_EQ(RefusalOf(read), "UNAVAILABLE UPSTREAM_UNAVAILABLE");
  EXPECT_THAT(stack_.SandboxOrders(), IsEmpty());
  EXPECT_EQ(stack_.Metric("tollbridge_outbound_exchanges_total{operation=\"create_order\","
                          "outcome=\"answered\",project=\"demo\"}"),
            0);
}

}  // namespace
}  // namespace tollbridge::test
