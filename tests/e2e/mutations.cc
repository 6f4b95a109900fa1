#include "tests/e2e/mutations.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <stdexcept>
#include <utility>

#include "services/base/encoding.h"
#include "services/base/uuid.h"
#include "services/domain/mark.h"
#include "tests/support/http_call.h"
#include "tests/support/process.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;
using namespace payments::v1;  // NOLINT(google-build-using-namespace): the messages are the subject

constexpr std::string_view kService = "tollbridge.payments.v1.Payments.";
constexpr std::string_view kProjectId = "11111111-1111-4111-8111-111111111111";
constexpr std::string_view kPan = "4111111111111111";

/// The order in a response, whatever the RPC calls it.
template <typename Response>
const common::v1::Order& OrderIn(const Response& response) {
  if constexpr (requires { response.capture_order(); }) {
    return response.capture_order();
  } else if constexpr (requires { response.void_order(); }) {
    return response.void_order();
  } else if constexpr (requires { response.refund_order(); }) {
    return response.refund_order();
  } else {
    return response.order();
  }
}

template <typename Response>
void ReadInto(Told& told) {
  Response response;
  if (!response.ParseFromString(told.bytes)) throw std::runtime_error("an unreadable answer");
  if (response.has_pending()) {
    told.pending = response.pending();
  } else {
    told.order = OrderIn(response);
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
  }
}

std::string StoreCard(const Stack& stack, const std::string& setup_token) {
  const std::string body = json::serialize(json::object{{"pan", std::string(kPan)},
                                                        {"expiry", "122030"},
                                                        {"name", "A Cardholder"},
                                                        {"setup_token", setup_token}});
  const http::Response answer =
      HttpCall("POST", stack.sandbox_url() + "/vault/v1/cards/", body,
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

Mutation CreateWith(const std::string& key, bool with_card, bool manual) {
  CreateOrderRequest request;
  request.set_idempotency_key(key);
  request.set_amount(1250);
  request.set_currency("EUR");
  if (with_card) request.add_transactions()->set_payment_method("credit-card");
  if (manual) request.mutable_transactions(0)->set_capture_mode("manual");
  return {.kind = Kind::kCreate, .key = key, .request = request.SerializeAsString()};
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
      return effect == "charge" || effect == "authorize";
    case Kind::kCapture:
      return effect == "capture";
    case Kind::kVoid:
      return effect == "void";
    case Kind::kRefund:
      return effect == "refund";
    case Kind::kCreate:
      break;
  }
  return false;
}

}  // namespace

std::string RpcOf(Kind kind) {
  constexpr std::array<const char*, 6> kNames = {
      "CreateOrder",        "InitiateTransaction", "AuthenticateTransaction",
      "CaptureTransaction", "VoidTransaction",     "CreateRefund"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string RouteOf(Kind kind) {
  constexpr std::array<const char*, 6> kNames = {"create_order", "initiate", "authenticate",
                                                 "capture",      "void",     "create_refund"};
  return kNames[static_cast<std::size_t>(kind)];
}

void PrintTo(Kind kind, std::ostream* out) { *out << RpcOf(kind); }

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
  const std::string key = name + "-" + RouteOf(kind);
  if (kind == Kind::kCreate) return CreateWith(key, false, false);
  const bool manual = kind == Kind::kCapture || kind == Kind::kVoid;
  const common::v1::Order order = MustHave(
      CallUntilDefinite(stack.grpc(), CreateWith("order-for-" + key, true, manual)), "create");
  const std::string token =
      StoreCard(stack, order.transactions(0).payment_method_details().setup_token());
  if (kind == Kind::kInitiate) {
    InitiateTransactionRequest request;
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
  }
  if (!set) throw std::runtime_error("no request of its kind");
  return other;
}

bool Told::retry_is_safe() const {
  const auto retry = status.metadata.find("retry");
  return retry != status.metadata.end() && retry->second == "SAFE_SAME_KEY";
}

bool Told::definite() const {
  if (order) return true;
  if (pending) return pending->state() == operations::v1::OPERATION_STATE_NEEDS_REVIEW;
  return !status.reason.empty() && !retry_is_safe();
}

std::string Told::text() const {
  if (order) return "order " + order->id();
  if (pending) return "pending: " + pending->ShortDebugString();
  return status.code_name() + " " + status.reason + ": " + status.message;
}

Told CallOnce(GrpcClient& client, const Mutation& mutation, std::chrono::milliseconds deadline) {
  RpcReply reply = client.CallBytes(std::string(kService) + RpcOf(mutation.kind), mutation.request,
                                    {.deadline = deadline});
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

namespace {

/// Whether the payment has been accepted and is not in the ledger yet: it is completed a second
/// later.
bool IsAccepted(const Stack& stack, const Mutation& mutation) {
  const json::array orders = stack.SandboxOrders();
  return std::ranges::any_of(orders, [&](const json::value& order) {
    return std::string_view(order.at("id").as_string()) == mutation.order &&
           order.at("transactions").at(0).at("status") == "accepted";
  });
}

}  // namespace

std::size_t Effects(const Stack& stack, const Mutation& mutation) {
  if (mutation.kind == Kind::kInitiate) {
    Eventually([&] { return !IsAccepted(stack, mutation); });
  }
  if (mutation.kind == Kind::kCreate) {
    const json::array orders = stack.SandboxOrders();
    return static_cast<std::size_t>(std::ranges::count_if(orders, [&](const json::value& order) {
      const json::value* extra = order.as_object().if_contains("extra");
      const json::value* mark =
          extra != nullptr ? extra->as_object().if_contains(domain::kMarkField) : nullptr;
      return mark != nullptr &&
             std::string_view(mark->as_string()).starts_with(OperationIdOf(mutation));
    }));
  }
  const json::array ledger = stack.SandboxLedger();
  return static_cast<std::size_t>(std::ranges::count_if(ledger, [&](const json::value& entry) {
    return std::string_view(entry.at("order_id").as_string()) == mutation.order &&
           IsEffectOf(mutation.kind, std::string_view(entry.at("effect").as_string()));
  }));
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
