#include "tests/fuzz/fixed_service.h"

#include <string_view>
#include <vector>

namespace tollbridge::fuzz {

namespace ps = payment_service;

boost::asio::awaitable<ps::ExchangeResult> FixedTransport::Send(ps::Exchange exchange) {
  ps::ExchangeResult result;
  result.fate = http::Fate::kAnswered;
  result.response = answer_(exchange);
  if (!exchange.on_body || result.response.status / 100 != 2) co_return result;
  const std::string body = std::move(result.response.body);
  result.response.body.clear();
  for (std::size_t at = 0; at < body.size(); at += piece_) {
    result.body_given = true;
    const absl::Status taken = co_await exchange.on_body(std::string_view(body).substr(at, piece_));
    if (taken.ok()) continue;
    result.fate = http::Fate::kUnknown;
    result.body_refused = true;
    result.error = taken;
    co_return result;
  }
  co_return result;
}

std::unique_ptr<ps::Client> ClientOf(FixedTransport::Answer answer, std::size_t piece) {
  std::vector<std::unique_ptr<ps::Transport>> links;
  links.push_back(std::make_unique<FixedTransport>(std::move(answer), piece));
  return std::make_unique<ps::Client>(
      ps::TransportChain(std::move(links)), [](const domain::Project&) { return "key"; },
      ps::WalletNames{});
}

}  // namespace tollbridge::fuzz
