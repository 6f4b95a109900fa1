#include "adapters/payment_service/http_transport.h"

#include <utility>

#include "adapters/payment_service/codec.h"

namespace tollbridge::payment_service {
namespace {

ExchangeResult NotConfigured(Origin origin) {
  ExchangeResult result;
  result.error = absl::FailedPreconditionError(
      origin == Origin::kVault ? "payment_service.vault_url is not configured"
                               : "payment_service.wallet_token_url is not configured");
  return result;
}

}  // namespace

boost::asio::awaitable<ExchangeResult> HttpTransport::Send(Exchange exchange) {
  const std::shared_ptr<http::Client> client = clients_.at(IndexOf(exchange.origin));
  if (client == nullptr) co_return NotConfigured(exchange.origin);
  http::SendOptions options{.deadline = exchange.deadline,
                            .write_before = exchange.write_before,
                            .write_before_civil = exchange.write_before_civil,
                            .max_response_bytes = kMaxJsonBytes,
                            .on_body = std::move(exchange.on_body)};
  http::SendResult sent = co_await client->Send(std::move(exchange.request), std::move(options));
  ExchangeResult result(std::move(sent));
  result.confidential = std::move(exchange.confidential);
  co_return result;
}

}  // namespace tollbridge::payment_service
