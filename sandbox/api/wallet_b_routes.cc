#include "sandbox/api/wallet_b_routes.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sandbox/api/wallet_b_message.h"
#include "sandbox/api/wallet_b_request.h"
#include "sandbox/wire/error_response.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kMethod = "wallet-b-pay";

/// Whether the call may store a card; gives the project that it belongs to.
std::variant<Uuid, ApiError> CheckTokenRequest(const World& world,
                                               const WalletBTokenRequest& request, bool test) {
  const CardVault::SetupToken* token = world.vault.FindGood(request.setup_token);
  if (token == nullptr) {
    return Invalid("setupToken is not known, was used, or is older than 300 seconds");
  }
  if (token->transaction != request.transaction) {
    return Invalid("setupToken was not issued for transactionId");
  }
  const Project* project = world.FindProject(token->project);
  if (project != nullptr && project->test != test) {
    return Invalid(test ? "only test projects use test/tokens/: this one uses tokens/"
                        : "test projects use test/tokens/");
  }
  const Order* order = world.orders.Find(token->order);
  const Transaction* transaction =
      order == nullptr ? nullptr : order->FindTransaction(token->transaction);
  if (transaction == nullptr || transaction->payment_method != kMethod) {
    return Invalid("transactionId does not name a transaction of " + std::string(kMethod));
  }
  return token->project;
}

http::Response ExchangeToken(World* world, const Call& call, bool test) {
  const auto read = ReadWalletBTokenRequest(call.request->body);
  if (const ApiError* error = std::get_if<ApiError>(&read)) return ToResponse(*error);
  const WalletBTokenRequest& request = std::get<WalletBTokenRequest>(read);
  const std::variant<Uuid, ApiError> project = CheckTokenRequest(*world, request, test);
  if (const ApiError* error = std::get_if<ApiError>(&project)) return ToResponse(*error);
  const std::variant<WalletBCard, ApiError> message = ReadWalletBMessage(request.message);
  if (const ApiError* error = std::get_if<ApiError>(&message)) return ToResponse(*error);
  const WalletBCard& card = std::get<WalletBCard>(message);
  const std::string expiry = card.Expiry();
  const std::variant<VaultCard, ApiError> stored =
      world->vault.Store(std::get<Uuid>(project), request.setup_token,
                         {.pan = card.pan, .expiry = expiry, .cardholder_name = ""});
  if (const ApiError* error = std::get_if<ApiError>(&stored)) {
    return ToResponse(Invalid("walletPayMessage.signedMessage: " + error->value));
  }
  json::object out;
  out["vaultToken"] = std::get<VaultCard>(stored).token.ToString();
  out["cryptogram"] = card.cryptogram;
  out["eciIndicator"] = card.eci_indicator;
  return JsonResponse(201, json::serialize(out));
}

json::object ToJson(const Order& order, const Transaction& transaction,
                    const Addresses& addresses) {
  const bool fine = transaction.status == TransactionStatus::kPending ||
                    transaction.status == TransactionStatus::kAccepted ||
                    transaction.status == TransactionStatus::kCompleted;
  json::object out;
  out["is_successful"] = fine;
  out["redirect_url"] = addresses.AfterExecution(order, transaction);
  out["reason"] = fine ? std::string_view("none") : std::string_view(order.reason);
  return out;
}

http::Response Execute(World* world, const Addresses& addresses, const Call& call) {
  const std::optional<Uuid> order_id = Uuid::Parse(call.parameters[0]);
  const std::optional<Uuid> transaction_id = Uuid::Parse(call.parameters[1]);
  if (!order_id || !transaction_id) return ToResponse(NotFound());
  const Order* order = world->orders.Find(*order_id);
  if (order == nullptr || order->FindTransaction(*transaction_id) == nullptr) {
    return ToResponse(NotFound());
  }
  const std::variant<WalletBPayment, ApiError> read = ReadWalletBPayment(call.request->body);
  if (const ApiError* error = std::get_if<ApiError>(&read)) return ToResponse(*error);
  const WalletBPayment& payment = std::get<WalletBPayment>(read);
  if (auto error = world->payments.ExecuteWalletB(*order_id, *transaction_id, payment.vault_token,
                                                  payment.with_cryptogram)) {
    return ToResponse(*error);
  }
  const Transaction* transaction = order->FindTransaction(*transaction_id);
  return JsonResponse(200, json::serialize(ToJson(*order, *transaction, addresses)));
}

Route TokenRoute(World* world, std::string_view pattern, bool test) {
  return {.operation = "exchange_wallet_b_token",
          .method = "POST",
          .pattern = pattern,
          .access = Access::kAnyone,
          .changes = true,
          .handle = [world, test](const Call& call) { return ExchangeToken(world, call, test); }};
}

}  // namespace

std::vector<Route> WalletBRoutes(World* world, const Addresses* addresses) {
  return {TokenRoute(world, "/wallet-b/tokens/", false),
          TokenRoute(world, "/wallet-b/test/tokens/", true),
          {.operation = "execute_wallet_b",
           .method = "POST",
           .pattern = "/pay/{}/select-payment-method/wallet-b-pay/{}/",
           .access = Access::kAnyone,
           .changes = true,
           .handle = [world, addresses](const Call& call) {
             return Execute(world, *addresses, call);
           }}};
}

}  // namespace tollbridge::sandbox
