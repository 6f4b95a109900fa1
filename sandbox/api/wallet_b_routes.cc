#include "sandbox/api/wallet_b_routes.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sandbox/api/wallet_b_message.h"
#include "sandbox/api/wallet_b_request.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/error_response.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kMethod = "wallet-b-pay";

/// Whether the call may store a card; gives the project that it belongs to.
Result<Uuid> CheckTokenRequest(const World& world, const WalletBTokenRequest& request, bool test) {
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

Result<http::Response> ExchangeToken(World* world, const Call& call, bool test) {
  SB_ASSIGN_OR_RETURN(const WalletBTokenRequest request,
                      ReadWalletBTokenRequest(call.request->body));
  SB_ASSIGN_OR_RETURN(const Uuid project, CheckTokenRequest(*world, request, test));
  SB_ASSIGN_OR_RETURN(const WalletBCard card, ReadWalletBMessage(request.message));
  const std::string expiry = card.Expiry();
  const Result<VaultCard> stored = world->vault.Store(
      project, request.setup_token, {.pan = card.pan, .expiry = expiry, .cardholder_name = ""});
  if (!stored.ok()) {
    return Invalid("walletPayMessage.signedMessage: " + stored.error().value);
  }
  json::object out;
  out["vaultToken"] = stored->token.ToString();
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

Result<http::Response> Execute(World* world, const Addresses& addresses, const Call& call) {
  const std::optional<Uuid> order_id = Uuid::Parse(call.parameters[0]);
  const std::optional<Uuid> transaction_id = Uuid::Parse(call.parameters[1]);
  if (!order_id || !transaction_id) return NotFound();
  const Order* order = world->orders.Find(*order_id);
  if (order == nullptr || order->FindTransaction(*transaction_id) == nullptr) {
    return NotFound();
  }
  SB_ASSIGN_OR_RETURN(const WalletBPayment payment, ReadWalletBPayment(call.request->body));
  SB_RETURN_IF_ERROR(world->payments.ExecuteWalletB(*order_id, *transaction_id, payment.vault_token,
                                                    payment.with_cryptogram));
  const Transaction* transaction = order->FindTransaction(*transaction_id);
  return JsonResponse(200, json::serialize(ToJson(*order, *transaction, addresses)));
}

Route TokenRoute(World* world, std::string_view pattern, bool test) {
  return {.operation = "exchange_wallet_b_token",
          .method = "POST",
          .pattern = pattern,
          .access = Access::kAnyone,
          .changes = true,
          .handle = [world, test](const Call& call) {
            return ToResponse(ExchangeToken(world, call, test));
          }};
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
             return ToResponse(Execute(world, *addresses, call));
           }}};
}

}  // namespace tollbridge::sandbox
