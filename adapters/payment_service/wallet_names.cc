#include "adapters/payment_service/wallet_names.h"

#include <algorithm>
#include <string_view>

#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

constexpr std::string_view kWalletA = "wallet-a-pay";
constexpr std::string_view kWalletB = "wallet-b-pay";

bool IsOurs(std::string_view method) { return method == kWalletA || method == kWalletB; }

void Rename(const WalletNames& names, std::string* method) {
  if (*method == kWalletA) {
    *method = names.wallet_a;
  } else if (*method == kWalletB) {
    *method = names.wallet_b;
  }
}

void RenameBack(const WalletNames& names, std::string* method) {
  const std::string_view name = names.FromService(*method);
  if (name != *method) *method = name;
}

}  // namespace

void WalletNames::ToService(google::protobuf::RepeatedPtrField<std::string>* methods) const {
  for (std::string& method : *methods) Rename(*this, &method);
}

std::string_view WalletNames::FromService(std::string_view method) const {
  if (method == wallet_a) return kWalletA;
  if (method == wallet_b) return kWalletB;
  return method;
}

void WalletNames::FromService(google::protobuf::RepeatedPtrField<std::string>* methods) const {
  for (std::string& method : *methods) RenameBack(*this, &method);
}

bool WalletNames::Concern(const payments::v1::CreateOrderRequest& request) {
  return std::ranges::any_of(request.payment_methods(), IsOurs) ||
         std::ranges::any_of(request.transactions(), [](const auto& transaction) {
           return IsOurs(transaction.payment_method());
         });
}

void WalletNames::ToService(payments::v1::CreateOrderRequest* request) const {
  ToService(request->mutable_payment_methods());
  for (auto& transaction : *request->mutable_transactions()) {
    if (transaction.has_payment_method()) Rename(*this, transaction.mutable_payment_method());
  }
}

void WalletNames::FromService(common::v1::Order* order) const {
  FromService(order->mutable_payment_methods());
  for (auto& transaction : *order->mutable_transactions()) {
    if (transaction.has_payment_method()) RenameBack(*this, transaction.mutable_payment_method());
  }
}

}  // namespace tollbridge::payment_service
