#include <string>
#include <utility>

#include "tests/chaos/driver/kinds.h"
#include "tests/chaos/events_driver/doors.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::pipeline {
namespace {

namespace v1 = payments::v1;

constexpr std::string_view kExpiry = "122030";

void Fill(common::v1::Customer* customer) {
  customer->set_first_name("Ada");
  customer->set_last_name("Example");
  customer->set_address_type("billing");
  customer->set_address("Main Street 1");
  customer->set_postal_code("94016");
  customer->set_city("Somewhere");
  customer->set_country("US");
  customer->set_state("CA");
}

Made Read(const chaos::Answer& answer) {
  Made made{.ending = Ending::kDone, .id = answer.result, .vault_token = answer.vault_token};
  if (!answer.order) return made;
  made.url = answer.order->order_url();
  if (answer.order->transactions_size() == 0) return made;
  const common::v1::Transaction& transaction = answer.order->transactions(0);
  made.transaction = transaction.id();
  if (made.url.empty()) made.url = transaction.payment_url();
  made.setup_token = transaction.payment_method_details().setup_token();
  return made;
}

/// Whether the same call with the same key may bring more.
bool MayRepeat(const test::RpcReply& reply, const chaos::Answer& answer) {
  if (answer.pending == "NEEDS_REVIEW") return false;
  if (!answer.pending.empty() || reply.status.reason.empty()) return true;
  const auto retry = reply.status.metadata.find("retry");
  return retry != reply.status.metadata.end() && retry->second == "SAFE_SAME_KEY";
}

}  // namespace

template <typename Request>
Made GatewayDoor::Send(std::string_view rpc, const std::string& key, Request request) {
  const chaos::MutationKind& kind = chaos::KindOf(rpc);
  request.set_idempotency_key(key);
  const test::RpcReply reply = cluster_.Call(kind.method, request.SerializeAsString());
  const chaos::Answer answer = reply.status.ok() ? kind.read(reply.bytes) : chaos::Answer{};
  if (answer.done) return Read(answer);
  return {.ending = MayRepeat(reply, answer) ? Ending::kAgain : Ending::kRefused};
}

template <typename Request>
Made GatewayDoor::About(std::string_view rpc, const std::string& key, const Made& order,
                        Request request) {
  request.set_order_id(order.id);
  request.set_transaction_id(order.transaction);
  return Send(rpc, key, std::move(request));
}

Made GatewayDoor::Create(const std::string& key, const NewOrder& wanted) {
  v1::CreateOrderRequest request;
  request.set_merchant_order_id(key);
  request.set_amount(wanted.amount);
  request.set_currency(wanted.currency);
  if (!wanted.expiration.empty()) request.set_expiration_period(wanted.expiration);
  if (!wanted.method.empty()) {
    v1::NewTransaction& transaction = *request.add_transactions();
    transaction.set_payment_method(wanted.method);
    if (wanted.capture_later) transaction.set_capture_mode("manual");
    if (wanted.account_funding) {
      Fill(request.mutable_customer());
      auto& details = *transaction.mutable_payment_method_details();
      details.set_receiver_account_number("DE00123456780000000000");
      details.set_receiver_account_number_type("card-account");
    }
  }
  return Send("CreateOrder", key, std::move(request));
}

Made GatewayDoor::StoreCard(const std::string& key, const Made& order, std::string_view pan) {
  vault::v1::StoreCardRequest request;
  request.set_pan(std::string(pan));
  request.set_expiry(std::string(kExpiry));
  request.set_name("A Cardholder");
  request.set_setup_token(order.setup_token);
  return Send("StoreCard", key, std::move(request));
}

Made GatewayDoor::Initiate(const std::string& key, const Made& order,
                           const std::string& vault_token) {
  v1::InitiateTransactionRequest request;
  request.set_vault_token(vault_token);
  return About("InitiateTransaction", key, order, std::move(request));
}

Made GatewayDoor::Authenticate(const std::string& key, const Made& order,
                               const std::string& vault_token) {
  v1::AuthenticateTransactionRequest request;
  request.set_vault_token(vault_token);
  return About("AuthenticateTransaction", key, order, std::move(request));
}

Made GatewayDoor::Capture(const std::string& key, const Made& order) {
  return About("CaptureTransaction", key, order, v1::CaptureTransactionRequest());
}

Made GatewayDoor::Void(const std::string& key, const Made& order) {
  return About("VoidTransaction", key, order, v1::VoidTransactionRequest());
}

Made GatewayDoor::Refund(const std::string& key, const std::string& order, std::int64_t amount) {
  v1::CreateRefundRequest request;
  request.set_order_id(order);
  request.set_amount(amount);
  return Send("CreateRefund", key, std::move(request));
}

Made GatewayDoor::PayOut(const std::string& key, std::int64_t amount, std::string_view pan) {
  payouts::v1::CreatePayoutRequest request;
  request.set_merchant_order_id(key);
  request.set_amount(amount);
  request.set_currency("EUR");
  Fill(request.mutable_customer());
  request.mutable_card()->set_pan(std::string(pan));
  request.mutable_card()->set_expiry(std::string(kExpiry));
  request.mutable_card()->set_name("A Cardholder");
  return Send("CreatePayout", key, std::move(request));
}

Made GatewayDoor::MakeLink(const std::string& key, std::int64_t amount) {
  v1::CreatePaymentLinkRequest request;
  request.set_amount(amount);
  request.set_currency("EUR");
  request.set_merchant_order_id(key);
  return Send("CreatePaymentLink", key, std::move(request));
}

}  // namespace tollbridge::pipeline
