// What a tenant sends: one request for each RPC at least, under keys and references that every
// tenant uses.

#include <stdexcept>
#include <string>
#include <utility>

#include "tests/e2e/support/payments.h"
#include "tests/e2e/tenant.h"
#include "tests/support/process.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/search/v1/search.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {
namespace {

// The messages are the subject.
using namespace payments::v1;  // NOLINT(google-build-using-namespace)
using namespace vault::v1;     // NOLINT(google-build-using-namespace)

template <typename Message>
Request Shared(Message message) {
  return std::make_shared<const Message>(std::move(message));
}

/// A request about the order's one transaction.
template <typename Message>
Message About(const common::v1::Order& order, const std::string& key,
              const std::string& vault_token = "") {
  Message request;
  request.set_idempotency_key(key);
  request.set_order_id(order.id());
  if constexpr (requires { request.set_transaction_id(""); }) {
    request.set_transaction_id(order.transactions(0).id());
  }
  if constexpr (requires { request.set_vault_token(""); }) request.set_vault_token(vault_token);
  return request;
}

CreateOrderRequest NewOrder(const std::string& key, const std::string& method, bool manual) {
  CreateOrderRequest request = OrderRequest(key);
  request.set_merchant_order_id("basket-" + key);
  request.add_transactions()->set_payment_method(method);
  if (manual) request.mutable_transactions(0)->set_capture_mode("manual");
  return request;
}

StoreCardRequest CardFor(const std::string& key, const common::v1::Order& order) {
  StoreCardRequest request;
  request.set_idempotency_key(key);
  request.set_pan(std::string(kApprovedPan));
  request.set_expiry("122030");
  request.set_setup_token(order.transactions(0).payment_method_details().setup_token());
  return request;
}

ExchangeWalletBTokenRequest WalletFor(const Stack& stack, const std::string& key,
                                      const common::v1::Order& order) {
  ExchangeWalletBTokenRequest request;
  request.set_idempotency_key(key);
  request.set_wallet_pay_message(WalletBMessage(stack, "CRYPTOGRAM_3DS"));
  request.set_setup_token(order.transactions(0).payment_method_details().setup_token());
  request.set_transaction_id(order.transactions(0).id());
  return request;
}

CreatePaymentLinkRequest LinkFor(const std::string& key) {
  CreatePaymentLinkRequest request;
  request.set_idempotency_key(key);
  request.set_merchant_order_id("basket-" + key);
  request.set_amount(1250);
  request.set_currency("EUR");
  return request;
}

payouts::v1::CreatePayoutRequest PayoutFor(const std::string& key) {
  payouts::v1::CreatePayoutRequest request;
  request.set_idempotency_key(key);
  request.set_merchant_order_id("basket-" + key);
  request.set_amount(1250);
  request.set_currency("EUR");
  request.mutable_customer()->set_first_name("A");
  request.mutable_customer()->set_last_name("Cardholder");
  request.mutable_customer()->set_country("DE");
  request.mutable_card()->set_pan(std::string(kApprovedPan));
  request.mutable_card()->set_expiry("122030");
  request.mutable_card()->set_name("A Cardholder");
  return request;
}

CreateWalletASessionRequest SessionRequest() {
  CreateWalletASessionRequest request;
  request.set_validation_url("https://wallet.test/session");
  request.set_display_name("A Shop");
  request.set_initiative_context("shop.test");
  return request;
}

/// The orders under a reference, of which each project has one.
template <typename Message>
Message ByReference(const std::string& reference) {
  Message request;
  request.mutable_query()->mutable_filter()->set_merchant_order_id(reference);
  return request;
}

}  // namespace

common::v1::Order Tenant::Order(const std::string& name, const std::string& method, bool manual) {
  return Must<CreateOrderResponse>(NewOrder(name + "-order", method, manual)).order();
}

std::string Tenant::Store(const std::string& name, const common::v1::Order& order) {
  return Must<StoreCardResponse>(CardFor(name + "-card", order)).card().vault_token();
}

common::v1::Order Tenant::Paid(const std::string& name, bool manual) {
  const common::v1::Order order = Order(name, "credit-card", manual);
  Must<AuthenticateTransactionResponse>(
      About<AuthenticateTransactionRequest>(order, name + "-pay", Store(name, order)));
  return order;
}

Request Tenant::ReadyOnNew(Kind kind, const std::string& name, const std::string& key) {
  const bool wallet = kind == Kind::kExecuteWalletB || kind == Kind::kExchangeWalletB;
  const common::v1::Order order = Order(name, wallet ? "wallet-b-pay" : "credit-card");
  if (kind == Kind::kStoreCard) return Shared(CardFor(key, order));
  if (kind == Kind::kExchangeWalletB) return Shared(WalletFor(stack_, key, order));
  const std::string token = Store(name, order);
  if (kind == Kind::kInitiate) {
    return Shared(About<InitiateTransactionRequest>(order, key, token));
  }
  if (kind == Kind::kAuthenticate) {
    return Shared(About<AuthenticateTransactionRequest>(order, key, token));
  }
  return Shared(About<ExecuteWalletBPaymentRequest>(order, key, token));
}

Request Tenant::ReadyOnPaid(Kind kind, const std::string& name, const std::string& key) {
  const common::v1::Order order = Paid(name, kind != Kind::kRefund);
  if (kind == Kind::kCapture) return Shared(About<CaptureTransactionRequest>(order, key));
  if (kind == Kind::kVoid) return Shared(About<VoidTransactionRequest>(order, key));
  auto refund = About<CreateRefundRequest>(order, key);
  refund.set_amount(250);
  return Shared(std::move(refund));
}

Request Tenant::Ready(Kind kind, const std::string& name) {
  const std::string key = name + "-" + RpcOf(kind);
  switch (kind) {
    case Kind::kCreate:
      return Shared(NewOrder(key, "credit-card", false));
    case Kind::kCreatePaymentLink:
      return Shared(LinkFor(key));
    case Kind::kPayoutByCard:
      return Shared(PayoutFor(key));
    case Kind::kPayoutByToken: {
      payouts::v1::CreatePayoutRequest request = PayoutFor(key + "-by-token");
      request.set_vault_token(Store(key, Order(key, "credit-card")));
      return Shared(std::move(request));
    }
    case Kind::kCapture:
    case Kind::kVoid:
    case Kind::kRefund:
      return ReadyOnPaid(kind, key, key);
    case Kind::kInitiate:
    case Kind::kAuthenticate:
    case Kind::kExecuteWalletB:
    case Kind::kStoreCard:
    case Kind::kExchangeWalletB:
      return ReadyOnNew(kind, key, key);
  }
  throw std::logic_error("no such kind");
}

void Tenant::Keep(const google::protobuf::Message& request) {
  exchanges_.push_back({.method = &MethodOf(request),
                        .request = With(request, {{"project", project()}}),
                        .reply = Send(request)});
}

template <typename Message>
void Tenant::KeepAbout(const std::string& order_id) {
  Message request;
  request.set_order_id(order_id);
  Keep(request);
}

void Tenant::KeepOperation(const std::string& key) {
  operations::v1::GetOperationRequest by_key;
  by_key.set_idempotency_key(key);
  Keep(by_key);
  operations::v1::GetOperationRequest by_id;
  by_id.set_operation_id(OperationId(key));
  Keep(by_id);
  // It is closed already.
  operations::v1::ResolveOperationRequest resolve;
  resolve.set_operation_id(OperationId(key));
  resolve.set_resolution(operations::v1::RESOLUTION_NOT_EXECUTED);
  resolve.set_note("a test");
  Keep(resolve);
  // Nobody asked.
  operations::v1::ConfirmOperationRequest confirm;
  confirm.set_operation_id(OperationId(key));
  confirm.set_approval_id(OperationId(key));
  Keep(confirm);
}

void Tenant::CallAndRead(Kind kind) {
  const Request request = Ready(kind, "every");
  Keep(*request);
  const RpcReply reply = exchanges_.back().reply;
  KeepOperation(TextOf(*request, "idempotency_key"));
  const std::string order = TextOf(*request, "order_id");
  if (!order.empty()) {
    KeepAbout<GetOrderRequest>(order);
    KeepAbout<WatchOrderRequest>(order);
    KeepAbout<ListRefundsRequest>(order);
    KeepAbout<operations::v1::ListOperationsRequest>(order);
  }
  if (kind == Kind::kPayoutByCard) {
    KeepAbout<payouts::v1::GetPayoutRequest>(
        reply.As<payouts::v1::CreatePayoutResponse>().order().id());
  }
  if (kind == Kind::kCreatePaymentLink) {
    GetPaymentLinkRequest link;
    link.set_payment_link_id(reply.As<CreatePaymentLinkResponse>().payment_link().id());
    Keep(link);
  }
}

void Tenant::CallEveryRpc() {
  for (const Kind kind :
       {Kind::kCreate, Kind::kInitiate, Kind::kAuthenticate, Kind::kCapture, Kind::kVoid,
        Kind::kRefund, Kind::kExecuteWalletB, Kind::kStoreCard, Kind::kExchangeWalletB,
        Kind::kCreatePaymentLink, Kind::kPayoutByCard, Kind::kPayoutByToken}) {
    CallAndRead(kind);
  }
  Keep(SessionRequest());
  Keep(ListCurrenciesRequest());
  Keep(operations::v1::ListOperationsRequest());
  const std::string reference = "basket-every-CreateOrder";
  Keep(ByReference<search::v1::SearchOrdersRequest>(reference));
  Keep(ByReference<search::v1::StreamOrdersRequest>(reference));
  Keep(ByReference<search::v1::ExportOrdersRequest>(reference));
}

}  // namespace tollbridge::test
