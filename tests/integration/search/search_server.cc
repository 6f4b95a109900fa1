#include "tests/integration/search/search_server.h"

#include <chrono>
#include <stdexcept>
#include <vector>

#include "adapters/payment_service/deadline_transport.h"
#include "adapters/payment_service/http_transport.h"
#include "adapters/payment_service/retry_transport.h"
#include "base/http/client.h"
#include "base/http/url.h"
#include "services/rpc/authorize.h"
#include "services/rpc/parse.h"
#include "services/search/methods.h"

namespace tollbridge::test {
namespace {

namespace ps = payment_service;

}  // namespace

SearchServer::SearchServer(const std::string& url)
    : published_(*rpc::MethodTable::Of({"tollbridge.search.v1.Search"})),
      methods_(*operations::Methods::Of(published_, search::SearchMethods())),
      projects_({{.name = "demo", .id = *Uuid::Parse("11111111-1111-4111-8111-111111111111")}}) {
  service_ = std::make_unique<CountingService>(MakeClient(url));
  std::vector<std::unique_ptr<rpc::Middleware>> links;
  links.push_back(std::make_unique<rpc::Parse>(metrics_));
  links.push_back(std::make_unique<rpc::Authorize>(access_, projects_, metrics_, clock_));
  links.push_back(std::make_unique<rpc::Validate>(methods_->rules()));
  dispatcher_ = std::make_unique<rpc::Dispatcher>(std::move(links));
  methods_->Bind(ports_.With(*service_, clock_), *dispatcher_);
  shards_.Start();
  auto server = rpc::Server::Start({}, published_, shards_, {dispatcher_.get()}, drain_, clock_);
  if (!server.ok()) throw std::runtime_error(server.status().ToString());
  server_ = *std::move(server);
}

SearchServer::~SearchServer() {
  server_->Stop(BootClock::now() + std::chrono::seconds(20));
  shards_.Stop();
}

std::string SearchServer::address() const { return "127.0.0.1:" + std::to_string(server_->port()); }

std::unique_ptr<ports::PaymentService> SearchServer::MakeClient(const std::string& url) {
  http::ClientOptions options;
  options.base_url = *http::ParseUrl(url);
  ps::OriginClients clients;
  clients.at(ps::IndexOf(ps::Origin::kService)) =
      std::make_shared<http::Client>(shards_.at(0).executor(), std::move(options));
  std::vector<std::unique_ptr<ps::Transport>> links;
  links.push_back(std::make_unique<ps::RetryTransport>(ps::RetrySettings{}, &clock_, &metrics_));
  links.push_back(std::make_unique<ps::DeadlineTransport>(std::chrono::seconds(20), &clock_));
  links.push_back(std::make_unique<ps::HttpTransport>(std::move(clients)));
  return std::make_unique<ps::Client>(
      ps::TransportChain(std::move(links)),
      [](const domain::Project& project) { return "sandbox-" + project.name + "-key"; },
      ps::WalletNames{});
}

}  // namespace tollbridge::test
