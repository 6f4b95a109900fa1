// The card vault and the token service of wallet B.

#include <memory>
#include <utility>

#include "adapters/payment_service/client.h"
#include "adapters/payment_service/codec.h"
#include "base/core/uuid.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::payment_service {
namespace {

namespace asio = boost::asio;

std::string_view CardMismatch(const google::protobuf::Message& message) {
  const auto& card = static_cast<const vault::v1::StoredCard&>(message);
  return Uuid::Parse(card.vault_token()) ? "" : "a stored card without a vault token";
}

std::string_view TokenMismatch(const google::protobuf::Message& message) {
  const auto& token = static_cast<const vault::v1::WalletBToken&>(message);
  return Uuid::Parse(token.vault_token()) ? "" : "an exchanged token without a vault token";
}

}  // namespace

asio::awaitable<ports::Answer> Client::StoreCard(const domain::Project& project,
                                                 const vault::v1::StoreCardRequest& request,
                                                 const ports::Context& context,
                                                 const ports::SendGuard& guard) {
  return SendForMessage(
      NewMutation("store_card", {.target = "/v1/cards/", .origin = Origin::kVault}, request,
                  ToWire(request), project, context, guard),
      std::make_shared<vault::v1::StoredCard>(), &CardMismatch);
}

asio::awaitable<ports::Answer> Client::ExchangeWalletBToken(
    const domain::Project& project, const vault::v1::ExchangeWalletBTokenRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  return SendForMessage(NewMutation("exchange_wallet_b_token",
                                    {.target = project.test ? "/test/tokens/" : "/tokens/",
                                     .origin = Origin::kWalletTokens,
                                     .authenticated = false},
                                    request, ToWire(request), project, context, guard),
                        std::make_shared<vault::v1::WalletBToken>(), &TokenMismatch);
}

}  // namespace tollbridge::payment_service
