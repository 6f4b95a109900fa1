#include "tests/integration/payment_service/pipe.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "adapters/payment_service/breaker_transport.h"
#include "adapters/payment_service/deadline_transport.h"
#include "adapters/payment_service/http_transport.h"
#include "adapters/payment_service/meter_transport.h"
#include "adapters/payment_service/rate_gate.h"
#include "adapters/payment_service/retry_transport.h"
#include "adapters/payment_service/trace_transport.h"

namespace tollbridge::test {

namespace ps = payment_service;

PipeTest::PipeTest() {
  ps::OriginClients clients;
  for (const auto& [origin, path] :
       {std::pair(ps::Origin::kService, ""), std::pair(ps::Origin::kVault, "/vault"),
        std::pair(ps::Origin::kWalletTokens, "/wallet-b")}) {
    http::ClientOptions options;
    options.base_url = *http::ParseUrl(sandbox_.url() + path);
    clients.at(ps::IndexOf(origin)) =
        std::make_shared<http::Client>(context_.get_executor(), std::move(options));
  }
  std::vector<std::unique_ptr<ps::Transport>> links;
  links.push_back(std::make_unique<ps::RetryTransport>(ps::RetrySettings{.max_attempts = 1},
                                                       &clock_, &metrics_));
  links.push_back(std::make_unique<ps::TraceTransport>(ps::OriginUrls()));
  links.push_back(std::make_unique<ps::MeterTransport>(&metrics_, &clock_));
  links.push_back(std::make_unique<ps::BreakerTransport>(
      ps::BreakerSettings{.failures = kBreakerFailures, .open_for = kBreakerOpen},
      ps::Breaker::Events{.on_open = [this] { ++opened_; }, .on_close = [this] { ++closed_; }},
      &slow_clock_, &metrics_));
  links.push_back(std::make_unique<ps::RateGate>(ps::RateGateSettings{}, &slow_clock_, &metrics_));
  links.push_back(std::make_unique<ps::DeadlineTransport>(kAwaitLimit, &clock_));
  links.push_back(std::make_unique<ps::HttpTransport>(std::move(clients)));
  client_ = std::make_unique<ps::Client>(
      ps::TransportChain(std::move(links)),
      [](const domain::Project& project) { return "sandbox-" + project.name + "-key"; },
      ps::WalletNames{});
}

ports::Answer PipeTest::Create(const std::string& merchant_order_id,
                               const std::string& capture_mode) {
  payments::v1::CreateOrderRequest request;
  request.set_merchant_order_id(merchant_order_id);
  request.set_currency("EUR");
  request.set_amount(1250);
  request.add_transactions()->set_payment_method("credit-card");
  if (!capture_mode.empty()) request.mutable_transactions(0)->set_capture_mode(capture_mode);
  return Send(&ports::PaymentService::CreateOrder, request);
}

common::v1::Order PipeTest::MakeOrder(const std::string& merchant_order_id,
                                      const std::string& capture_mode) {
  const ports::Answer answer = Create(merchant_order_id, capture_mode);
  if (answer.fate != ports::Answer::Fate::kAnswered) throw std::runtime_error(answer.cause);
  return dynamic_cast<const common::v1::Order&>(*answer.result);
}

absl::StatusOr<common::v1::Order> PipeTest::Read(const std::string& order_id) {
  const ports::Context context = Context();
  return Await(client_->GetOrder(project_, order_id, context));
}

std::string PipeTest::StoreCard(const common::v1::Order& order) const {
  const http::Response stored =
      sandbox_.Ask("POST", "/vault/v1/cards/",
                   R"({"pan": "4111111111111111", "expiry": "122030", "setup_token": ")" +
                       order.transactions(0).payment_method_details().setup_token() + R"("})");
  return std::string(boost::json::parse(stored.body).at("vault_token").as_string());
}

void PipeTest::Pay(const common::v1::Order& order) {
  auto request = About<payments::v1::InitiateTransactionRequest>(order);
  request.set_vault_token(StoreCard(order));
  const ports::Answer answer = Send(&ports::PaymentService::InitiateTransaction, request);
  if (answer.fate != ports::Answer::Fate::kAnswered) throw std::runtime_error(answer.cause);
  sandbox_.Operate("clock", R"({"advance": "PT5S"})");
}

int PipeTest::Effects(const std::string& kind) const {
  const boost::json::value ledger = boost::json::parse(sandbox_.Look("ledger"));
  const boost::json::array& entries =
      ledger.is_array() ? ledger.as_array() : ledger.at("ledger").as_array();
  int count = 0;
  for (const boost::json::value& entry : entries) {
    if (entry.at("effect").as_string() == kind) ++count;
  }
  return count;
}

}  // namespace tollbridge::test
