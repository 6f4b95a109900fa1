#include "services/payments/get_order.h"

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "services/domain/errors.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_payment_service.h"

namespace tollbridge::payments {
namespace {

class GetOrderTest : public ::testing::Test {
 protected:
  GetOrderTest() {
    v1::CreateOrderRequest request;
    request.set_amount(500);
    request.set_webhook_url("https://hooks.example/token");
    (*request.mutable_extra()->mutable_fields())["tollbridge_operation"].set_string_value("mark");
    order_ = service_.MakeOrder(request);
    service_.PutOrder(order_);
  }

  absl::StatusOr<v1::GetOrderResponse> Get(const std::string& id) {
    v1::GetOrderRequest request;
    request.set_order_id(id);
    return test::Await(context_, GetOrder(service_, project_, request, {}));
  }

  boost::asio::io_context context_;
  test::FakePaymentService service_;
  domain::Project project_{.name = "shop"};
  common::v1::Order order_;
};

TEST_F(GetOrderTest, ShowsTheOrderAsCallersSeeIt) {
  const auto response = Get(order_.id());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->order().id(), order_.id());
  EXPECT_EQ(response->order().amount(), 500);
  EXPECT_FALSE(response->order().has_extra()) << "it held the mark alone";
  EXPECT_EQ(response->order().webhook_url(), "https://hooks.example/***");
}

TEST_F(GetOrderTest, SaysWhatTheServiceSays) {
  EXPECT_EQ(domain::ReasonOf(Get("unknown").status()), domain::reason::kOrderNotFound);
  service_.FailReads(absl::UnavailableError("down"));
  EXPECT_EQ(Get(order_.id()).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tollbridge::payments
