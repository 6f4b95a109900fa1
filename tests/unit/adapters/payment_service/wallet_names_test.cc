#include "adapters/payment_service/wallet_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

using testing::ElementsAre;

const WalletNames kNames{.wallet_a = "real-a", .wallet_b = "real-b"};

TEST(WalletNamesTest, PutsTheServicesNamesIntoARequest) {
  payments::v1::CreateOrderRequest request;
  for (const char* method : {"credit-card", "wallet-a-pay", "wallet-b-pay", "wallet-a-payment"}) {
    request.add_payment_methods(method);
  }
  request.add_transactions()->set_payment_method("wallet-b-pay");
  kNames.ToService(&request);
  EXPECT_THAT(request.payment_methods(),
              ElementsAre("credit-card", "real-a", "real-b", "wallet-a-payment"));
  EXPECT_EQ(request.transactions(0).payment_method(), "real-b");
}

TEST(WalletNamesTest, PutsTheDocumentsNamesIntoAnOrder) {
  common::v1::Order order;
  for (const char* method : {"credit-card", "real-a", "real-b"}) order.add_payment_methods(method);
  order.add_transactions()->set_payment_method("real-a");
  kNames.FromService(&order);
  EXPECT_THAT(order.payment_methods(), ElementsAre("credit-card", "wallet-a-pay", "wallet-b-pay"));
  EXPECT_EQ(order.transactions(0).payment_method(), "wallet-a-pay");
}

TEST(WalletNamesTest, WalletsWhoseNamesAreSwappedStayApart) {
  const WalletNames swapped{.wallet_a = "wallet-b-pay", .wallet_b = "wallet-a-pay"};
  payments::v1::CreateOrderRequest request;
  request.add_payment_methods("wallet-a-pay");
  request.add_payment_methods("wallet-b-pay");
  swapped.ToService(&request);
  EXPECT_THAT(request.payment_methods(), ElementsAre("wallet-b-pay", "wallet-a-pay"));
}

TEST(WalletNamesTest, AbsentMethodStaysAbsent) {
  payments::v1::CreateOrderRequest request;
  request.add_transactions();
  kNames.ToService(&request);
  EXPECT_FALSE(request.transactions(0).has_payment_method());
  common::v1::Order order;
  order.add_transactions();
  kNames.FromService(&order);
  EXPECT_FALSE(order.transactions(0).has_payment_method());
}

}  // namespace
}  // namespace tollbridge::payment_service
