#include "tests/e2e/support/mutations.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <stdexcept>
#include <utility>

#include "base/core/encoding.h"
#include "base/core/uuid.h"
#include "services/domain/mark.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/process.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;
// The messages are the subject.
using namespace payments::v1;  // NOLINT(google-build-using-namespace)
using namespace vault::v1;     // NOLINT(google-build-using-namespace)

bool IsPayout(Kind kind) { return kind == Kind::kPayoutByCard || kind == Kind::kPayoutByToken; }

/// With the dot behind it.
std::string ServiceOf(Kind kind) {
  if (kind == Kind::kStoreCard || kind == Kind::kExchangeWalletB) {
    return "tollbridge.vault.v1.Vault.";
  }
  return IsPayout(kind) ? "tollbridge.payouts.v1.Payouts." : "tollbridge.payments.v1.Payments.";
}

/// Of an operation's id, with which its mark begins.
constexpr std::size_t kIdSize = 36;
constexpr std::string_view kProjectId = "11111111-1111-4111-8111-111111111111";

/// The order in a response, whatever the RPC calls it.
const common::v1::Order& OrderIn(const CaptureTransactionResponse& response) {
  return response.capture_order();
}
const common::v1::Order& OrderIn(const VoidTransactionResponse& response) {
  return response.void_order();
}
const common::v1::Order& OrderIn(const CreateRefundResponse& response) {
  return response.refund_order();
}
template <typename Response>
  requires requires(const Response& response) { response.order(); }
const common::v1::Order& OrderIn(const Response& response) {
  return response.order();
}

template <typename Response>
void ReadInto(Told& told) {
  Response response;
  if (!response.ParseFromString(told.bytes)) throw std::runtime_error("an unreadable answer");
  if (response.has_pending()) {
    told.pending = response.pending();
  } else {
    told.result = true;
    if constexpr (requires { OrderIn(response); }) told.order = OrderIn(response);
    told.knowledge = response.knowledge();
  }
}

void ReadAnswer(Kind kind, Told& told) {
  switch (kind) {
    case Kind::kCreate:
      return ReadInto<CreateOrderResponse>(told);
    case Kind::kInitiate:
      return ReadInto<InitiateTransactionResponse>(told);
    case Kind::kAuthenticate:
      return ReadInto<AuthenticateTransactionResponse>(told);
    case Kind::kCapture:
      return ReadInto<CaptureTransactionResponse>(told);
    case Kind::kVoid:
      return ReadInto<VoidTransactionResponse>(told);
    case Kind::kRefund:
      return ReadInto<CreateRefundResponse>(told);
    case Kind::kPayoutByCard:
    case Kind::kPayoutByToken:
      return ReadInto<payouts::v1::CreatePayoutResponse>(told);
    case Kind::kExecuteWalletB:
      return ReadInto<ExecuteWalletBPaymentResponse>(told);
    case Kind::kStoreCard:
      return ReadInto<StoreCardResponse>(told);
    case Kind::kExchangeWalletB:
      return ReadInto<ExchangeWalletBTokenResponse>(told);
    case Kind::kCreatePaymentLink:
      return ReadInto<CreatePaymentLinkResponse>(told);
  }
}

std::string StoreCard(const Stack& stack, const std::string& setup_token) {
  const std::string body = json::serialize(json::object{{"pan", std::string(kApprovedPan)},
                                                        {"expiry", "122030"},
                                                        {"name", "A Cardholder"},
                                                        {"setup_token", setup_token}});
  const http::Response answer =
      stack.Http("POST", stack.sandbox_url() + "/vault/v1/cards/", body,
                 {{"Authorization", "Basic " + Base64Encode("sandbox-demo-key:")},
                  {"Content-Type", "application/json"}});
  if (answer.status != 201) throw std::runtime_error("the vault: " + answer.body);
  return std::string(json::parse(answer.body).at("vault_token").as_string());
}

common::v1::Order MustHave(const Told& told, std::string_view what) {
  if (!told.order) throw std::runtime_error(std::string(what) + ": " + told.text());
  return *told.order;
}

template <typename Request>
Mutation About(Kind kind, const std::string& key, const common::v1::Order& order, Request request) {
  Mutation mutation{.kind = kind, .key = key, .order = order.id()};
  request.set_idempotency_key(key);
  request.set_order_id(order.id());
  if constexpr (requires { request.set_transaction_id(""); }) {
    mutation.transaction = order.transactions(0).id();
    request.set_transaction_id(mutation.transaction);
  }
  mutation.request = request.SerializeAsString();
  return mutation;
}

Mutation CreateWith(const std::string& key, const std::string& method, bool manual) {
  CreateOrderRequest request;
  request.set_idempotency_key(key);
  request.set_amount(1250);
  request.set_currency("EUR");
  if (!method.empty()) request.add_transactions()->set_payment_method(method);
  if (manual) request.mutable_transactions(0)->set_capture_mode("manual");
  return {.kind = Kind::kCreate, .key = key, .request = request.SerializeAsString()};
}

Mutation PayoutTo(Kind kind, const std::string& key, const std::string& vault_token) {
  payouts::v1::CreatePayoutRequest request;
  request.set_idempotency_key(key);
  request.set_amount(1250);
  request.set_currency("EUR");
  request.mutable_customer()->set_first_name("A");
  request.mutable_customer()->set_last_name("Cardholder");
  request.mutable_customer()->set_country("DE");
  if (vault_token.empty()) {
    request.mutable_card()->set_pan(std::string(kApprovedPan));
    request.mutable_card()->set_expiry("122030");
    request.mutable_card()->set_name("A Cardholder");
  } else {
    request.set_vault_token(vault_token);
  }
  return {.kind = kind, .key = key, .request = request.SerializeAsString()};
}

Mutation CreateLink(const std::string& key) {
  CreatePaymentLinkRequest request;
  request.set_idempotency_key(key);
  request.set_merchant_order_id(key);
  request.set_amount(1250);
  request.set_currency("EUR");
  return {.kind = Kind::kCreatePaymentLink, .key = key, .request = request.SerializeAsString()};
}

/// A mutation that spends the setup token of an order's transaction.
Mutation SpendToken(const Stack& stack, Kind kind, const std::string& key,
                    const common::v1::Order& order) {
  const common::v1::Transaction& transaction = order.transactions(0);
  const std::string& token = transaction.payment_method_details().setup_token();
  Mutation mutation{.kind = kind, .key = key, .order = order.id(), .transaction = transaction.id()};
  if (kind == Kind::kStoreCard) {
    StoreCardRequest request;
    request.set_idempotency_key(key);
    request.set_pan(std::string(kApprovedPan));
    request.set_expiry("122030");
    request.set_setup_token(token);
    mutation.request = request.SerializeAsString();
    return mutation;
  }
  ExchangeWalletBTokenRequest request;
  request.set_idempotency_key(key);
  request.set_wallet_pay_message(WalletBMessage(stack, "CRYPTOGRAM_3DS"));
  request.set_setup_token(token);
  request.set_transaction_id(transaction.id());
  mutation.request = request.SerializeAsString();
  return mutation;
}

template <typename Request>
bool SetKey(const std::string& key, std::string* bytes) {
  Request request;
  if (!request.ParseFromString(*bytes)) return false;
  request.set_idempotency_key(key);
  *bytes = request.SerializeAsString();
  return true;
}

bool IsEffectOf(Kind kind, std::string_view effect) {
  switch (kind) {
    case Kind::kInitiate:
    case Kind::kAuthenticate:
    case Kind::kExecuteWalletB:
      return effect == "charge" || effect == "authorize";
    case Kind::kCapture:
      return effect == "capture";
    case Kind::kVoid:
      return effect == "void";
    case Kind::kRefund:
      return effect == "refund";
    case Kind::kPayoutByCard:
    case Kind::kPayoutByToken:
      return effect == "payout";
    case Kind::kCreate:
    case Kind::kStoreCard:
    case Kind::kExchangeWalletB:
    case Kind::kCreatePaymentLink:
      break;
  }
  return false;
}

}  // namespace

std::string RpcOf(Kind kind) {
  constexpr std::array<const char*, 12> kNames = {
      "CreateOrder",        "InitiateTransaction",  "AuthenticateTransaction",
      "CaptureTransaction", "VoidTransaction",      "CreateRefund",
      "CreatePayout",       "CreatePayout",         "ExecuteWalletBPayment",
      "StoreCard",          "ExchangeWalletBToken", "CreatePaymentLink"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string RouteOf(Kind kind) {
  constexpr std::array<const char*, 12> kNames = {"create_order",
                                                  "initiate",
                                                  "authenticate",
                                                  "capture",
                                                  "void",
                                                  "create_refund",
                                                  "authenticate",
                                                  "authenticate",
                                                  "execute_wallet_b",
                                                  "store_card",
                                                  "exchange_wallet_b_token",
                                                  "create_payment_link"};
  return kNames[static_cast<std::size_t>(kind)];
}

void PrintTo(Kind kind, std::ostream* out) {
  *out << RpcOf(kind);
  if (kind == Kind::kPayoutByToken) *out << " by vault_token";
}

StackSettings ShortIntervals() {
  return {{"operations",
           {{"send_window", "400ms"},
            {"attempt_deadline", "600ms"},
            {"lease_margin", "500ms"},
            {"lease", "1600ms"},
            {"late_execution_bound", "500ms"},
            {"search_index_lag", "200ms"},
            {"absence_reads", "2"},
            {"absence_read_interval", "100ms"},
            {"look_backoff", "[\"100ms\", \"200ms\", \"500ms\"]"},
            {"look_again", "[\"3s\", \"6s\"]"},
            {"look_timeout", "500ms"},
            {"resolver_lease", "2s"},
            {"pending_retry_after", "100ms"},
            {"store_timeout", "500ms"}}},
          {"redis", {{"memory_lost_doubt", "1m"}, {"failover_doubt", "1m"}}}};
}

std::vector<std::string> ImmediateSandbox() { return {"--own-checkout-hold", "PT0S"}; }

Mutation Prepare(Stack& stack, Kind kind, const std::string& name) {
  if (kind == Kind::kPayoutByCard) return PayoutTo(kind, name + "-payout-by-card", "");
  const std::string key =
      name + "-" + (kind == Kind::kPayoutByToken ? "payout-by-token" : RouteOf(kind));
  if (kind == Kind::kCreate) return CreateWith(key, "", false);
  if (kind == Kind::kCreatePaymentLink) return CreateLink(key);
  const bool manual = kind == Kind::kCapture || kind == Kind::kVoid;
  const bool wallet_b = kind == Kind::kExecuteWalletB || kind == Kind::kExchangeWalletB;
  const std::string method = wallet_b ? "wallet-b-pay" : "credit-card";
  const common::v1::Order order = MustHave(
      CallUntilDefinite(stack.grpc(), CreateWith("order-for-" + key, method, manual)), "create");
  if (kind == Kind::kStoreCard || kind == Kind::kExchangeWalletB) {
    return SpendToken(stack, kind, key, order);
  }
  const std::string token =
      StoreCard(stack, order.transactions(0).payment_method_details().setup_token());
  if (kind == Kind::kPayoutByToken) return PayoutTo(kind, key, token);
  if (kind == Kind::kInitiate) {
    InitiateTransactionRequest request;
    request.set_vault_token(token);
    return About(kind, key, order, std::move(request));
  }
  if (kind == Kind::kExecuteWalletB) {
    ExecuteWalletBPaymentRequest request;
    request.set_vault_token(token);
    return About(kind, key, order, std::move(request));
  }
  AuthenticateTransactionRequest pay;
  pay.set_vault_token(token);
  if (kind == Kind::kAuthenticate) return About(kind, key, order, std::move(pay));
  MustHave(CallUntilDefinite(stack.grpc(),
                             About(Kind::kAuthenticate, "pay-for-" + key, order, std::move(pay))),
           "authenticate");
  if (kind == Kind::kCapture) return About(kind, key, order, CaptureTransactionRequest());
  if (kind == Kind::kVoid) return About(kind, key, order, VoidTransactionRequest());
  CreateRefundRequest refund;
  refund.set_amount(250);
  return About(kind, key, order, std::move(refund));
}

Mutation WithKey(const Mutation& mutation, const std::string& key) {
  Mutation other = mutation;
  other.key = key;
  bool set = false;
  switch (mutation.kind) {
    case Kind::kCreate:
      set = SetKey<CreateOrderRequest>(key, &other.request);
      break;
    case Kind::kInitiate:
      set = SetKey<InitiateTransactionRequest>(key, &other.request);
      break;
    case Kind::kAuthenticate:
      set = SetKey<AuthenticateTransactionRequest>(key, &other.request);
      break;
    case Kind::kCapture:
      set = SetKey<CaptureTransactionRequest>(key, &other.request);
      break;
    case Kind::kVoid:
      set = SetKey<VoidTransactionRequest>(key, &other.request);
      break;
    case Kind::kRefund:
      set = SetKey<CreateRefundRequest>(key, &other.request);
      break;
    case Kind::kPayoutByCard:
    case Kind::kPayoutByToken:
      set = SetKey<payouts::v1::CreatePayoutRequest>(key, &other.request);
      break;
    case Kind::kExecuteWalletB:
      set = SetKey<ExecuteWalletBPaymentRequest>(key, &other.request);
      break;
    case Kind::kStoreCard:
      set = SetKey<StoreCardRequest>(key, &other.request);
      break;
    case Kind::kExchangeWalletB:
      set = SetKey<ExchangeWalletBTokenRequest>(key, &other.request);
      break;
    case Kind::kCreatePaymentLink:
      set = SetKey<CreatePaymentLinkRequest>(key, &other.request);
      break;
  }
  if (!set) throw std::runtime_error("no request of its kind");
  return other;
}

bool Told::retry_is_safe() const {
  const auto retry = status.metadata.find("retry");
  return retry != status.metadata.end() && retry->second == "SAFE_SAME_KEY";
}

bool Told::definite() const {
  if (result) return true;
  if (pending) return pending->state() == operations::v1::OPERATION_STATE_NEEDS_REVIEW;
  return !status.reason.empty() && !retry_is_safe();
}

std::string Told::text() const {
  if (order) return "order " + order->id();
  if (result) return "a result";
  if (pending) return "pending: " + pending->ShortDebugString();
  return status.code_name() + " " + status.reason + ": " + status.message;
}

Told CallOnce(GrpcClient& client, const Mutation& mutation, std::chrono::milliseconds deadline) {
  RpcReply reply = client.CallBytes(ServiceOf(mutation.kind) + RpcOf(mutation.kind),
                                    mutation.request, {.deadline = deadline});
  Told told;
  told.status = std::move(reply.status);
  told.bytes = std::move(reply.bytes);
  if (told.status.ok()) ReadAnswer(mutation.kind, told);
  return told;
}

Told CallUntilDefinite(GrpcClient& client, const Mutation& mutation,
                       std::chrono::milliseconds limit) {
  Told told;
  Eventually(
      [&] {
        told = CallOnce(client, mutation);
        return told.definite();
      },
      limit);
  return told;
}

SandboxEffects::SandboxEffects(const Stack& stack) {
  for (const json::value& order : stack.SandboxOrders()) {
    std::string id(order.at("id").as_string());
    if (const json::array* transactions = order.at("transactions").if_array();
        transactions != nullptr && !transactions->empty() &&
        transactions->front().at("status") == "accepted") {
      accepted_.insert(id);
    }
    const json::value* extra = order.as_object().if_contains("extra");
    const json::value* mark =
        extra != nullptr ? extra->as_object().if_contains(domain::kMarkField) : nullptr;
    if (mark == nullptr) continue;
    marked_[std::string(std::string_view(mark->as_string()).substr(0, kIdSize))].push_back(
        std::move(id));
  }
  for (const json::value& entry : stack.SandboxLedger()) {
    effects_[std::string(entry.at("order_id").as_string())].emplace_back(
        entry.at("effect").as_string());
  }
}

std::vector<std::string> SandboxEffects::OrdersOf(const Mutation& mutation) const {
  if (mutation.kind != Kind::kCreate && !IsPayout(mutation.kind)) return {mutation.order};
  const auto found = marked_.find(OperationIdOf(mutation));
  return found == marked_.end() ? std::vector<std::string>{} : found->second;
}

std::size_t SandboxEffects::Of(const Mutation& mutation) const {
  const std::vector<std::string> orders = OrdersOf(mutation);
  if (mutation.kind == Kind::kCreate) return orders.size();
  std::ptrdiff_t count = 0;
  for (const std::string& order : orders) {
    const auto found = effects_.find(order);
    if (found == effects_.end()) continue;
    count += std::ranges::count_if(found->second, [&](const std::string& effect) {
      return IsEffectOf(mutation.kind, effect);
    });
  }
  return static_cast<std::size_t>(count);
}

bool SandboxEffects::IsAccepted(const Mutation& mutation) const {
  return std::ranges::any_of(OrdersOf(mutation),
                             [&](const std::string& order) { return accepted_.contains(order); });
}

std::size_t Effects(const Stack& stack, const Mutation& mutation) {
  SandboxEffects effects(stack);
  if (mutation.kind == Kind::kInitiate || IsPayout(mutation.kind)) {
    Eventually([&] {
      if (!effects.IsAccepted(mutation)) return true;
      effects = SandboxEffects(stack);
      return false;
    });
  }
  return effects.Of(mutation);
}

std::string OperationIdOf(const Mutation& mutation) {
  return Uuid::V5(Uuid::Parse(kProjectId).value_or(Uuid{}), mutation.key).ToString();
}

std::optional<operations::v1::Operation> ReadOperation(GrpcClient& client,
                                                       const Mutation& mutation) {
  operations::v1::GetOperationRequest request;
  request.set_operation_id(OperationIdOf(mutation));
  const RpcReply reply = client.Call("tollbridge.operations.v1.Operations.GetOperation", request);
  operations::v1::GetOperationResponse response;
  if (!reply.status.ok() || !response.ParseFromString(reply.bytes)) return std::nullopt;
  return response.operation();
}

std::string FirstCallMeets(Kind kind, const std::string& fault) {
  return R"({"rules":[{"on":{"operation":")" + RouteOf(kind) + R"(","nth":1},"fault":)" + fault +
         "}]}";
}

}  // namespace tollbridge::test
