#include "adapters/payment_service/wallet_names.h"

#include <string_view>

#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

constexpr std::string_view kWalletA = "wallet-a-pay";
constexpr std::string_view kWalletB = "wallet-b-pay";

}  // namespace

void WalletNames::ToService(payments::v1::CreateOrderRequest* request) const {
  const auto name = [this](std::string* method) {
    if (*method == kWalletA) {
      *method = wallet_a;
    } else if (*method == kWalletB) {
      *method = wallet_b;
    }
  };
  for (auto& method : *request->mutable_payment_methods()) name(&method);
  for (auto& transaction : *request->mutable_transactions()) {
    if (transaction.has_payment_method()) name(transaction.mutable_payment_method());
  }
}

void WalletNames::FromService(common::v1::Order* order) const {
  const auto name = [this](std::string* method) {
    if (*method == wallet_a) {
      *method = kWalletA;
    } else if (*method == wallet_b) {
      *method = kWalletB;
    }
  };
  for (auto& method : *order->mutable_payment_methods()) name(&method);
  for (auto& transaction : *order->mutable_transactions()) {
    if (transaction.has_payment_method()) name(transaction.mutable_payment_method());
  }
}

}  // namespace tollbridge::payment_service
