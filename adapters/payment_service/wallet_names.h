#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WALLET_NAMES_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WALLET_NAMES_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <string>
#include <string_view>

namespace tollbridge::common::v1 {
class Order;
}
namespace tollbridge::payments::v1 {
class CreateOrderRequest;
}

namespace tollbridge::payment_service {

/// What the payment service really calls wallets A and B, in paths and in payment_method
/// (docs/interface.md#1-wallet-names). Everywhere else in Tollbridge they have the interface's
/// names.
struct WalletNames {
  std::string wallet_a = "wallet-a-pay";
  std::string wallet_b = "wallet-b-pay";

  /// Whether a request names a wallet.
  static bool Concern(const payments::v1::CreateOrderRequest& request);
  /// Puts the service's names into a request.
  void ToService(payments::v1::CreateOrderRequest* request) const;
  /// Puts the interface's names into an order that was read.
  void FromService(common::v1::Order* order) const;
  /// The interface's name of a payment method that the service named so.
  std::string_view FromService(std::string_view method) const;
  /// Does the same with a list of payment methods.
  void ToService(google::protobuf::RepeatedPtrField<std::string>* methods) const;
  void FromService(google::protobuf::RepeatedPtrField<std::string>* methods) const;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WALLET_NAMES_H_
