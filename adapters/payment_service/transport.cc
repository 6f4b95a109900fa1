#include "adapters/payment_service/transport.h"

#include <cstddef>
#include <utility>

namespace tollbridge::payment_service {

ExchangeResult HoldBack(HeldBackBy by, std::chrono::nanoseconds retry_after) {
  ExchangeResult result;
  result.fate = http::Fate::kNotSent;
  // Rounded up: whoever comes back after it is not turned away again for a fraction.
  result.held_back = {.by = by,
                      .retry_after = std::chrono::ceil<std::chrono::milliseconds>(retry_after)};
  switch (by) {
    case HeldBackBy::kBreaker:
      result.error = absl::UnavailableError("breaker open");
      break;
    case HeldBackBy::kRateLimit:
      result.error = absl::ResourceExhaustedError("rate limited");
      break;
    case HeldBackBy::kInFlight:
      result.error = absl::ResourceExhaustedError("too many calls under way");
      break;
  }
  return result;
}

std::string_view OriginName(Origin origin) {
  switch (origin) {
    case Origin::kVault:
      return "vault";
    case Origin::kWalletTokens:
      return "wallet_tokens";
    case Origin::kService:
      break;
  }
  return "service";
}

TransportChain::TransportChain(std::vector<std::unique_ptr<Transport>> links)
    : links_(std::move(links)) {
  for (std::size_t i = 0; i + 1 < links_.size(); ++i) links_[i]->next_ = links_[i + 1].get();
}

boost::asio::awaitable<ExchangeResult> TransportChain::Send(Exchange exchange) {
  return links_.front()->Send(std::move(exchange));
}

}  // namespace tollbridge::payment_service
