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
#include "services/search/export_orders.h"
#include "services/search/rules.h"
#include "services/search/search_orders.h"
#include "services/search/stream_orders.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::test {
namespace {

namespace ps = payment_service;
namespace v1 = search::v1;

AsyncStatus StreamOrders(ports::PaymentService& service, const ports::Clock& clock,
                         const domain::Projects& projects, const v1::StreamOrdersRequest& request,
                         const ports::Context& context,
                         rpc::StreamWriter<v1::StreamOrdersResponse> writer) {
  const search::StreamSink<v1::StreamOrdersResponse> sink =
      [&writer](const v1::StreamOrdersResponse& response) { return writer.Write(response); };
  absl::Status status =
      co_await search::StreamOrders(service, clock, projects, request, context, sink);
  co_return status;
}

AsyncStatus ExportOrders(ports::PaymentService& service, const domain::Projects& projects,
                         const v1::ExportOrdersRequest& request, const ports::Context& context,
                         rpc::StreamWriter<v1::ExportOrdersResponse> writer) {
  const search::StreamSink<v1::ExportOrdersResponse> sink =
      [&writer](const v1::ExportOrdersResponse& response) { return writer.Write(response); };
  absl::Status status = co_await search::ExportOrders(service, projects, request, context, sink);
  co_return status;
}

}  // namespace

SearchServer::SearchServer(const std::string& url)
    : methods_(*rpc::MethodTable::Of({"tollbridge.search.v1.Search"})),
      rules_(methods_, {}),
      projects_({{.name = "demo", .id = *Uuid::Parse("11111111-1111-4111-8111-111111111111")}}) {
  service_ = std::make_unique<CountingService>(MakeClient(url));
  search::AddSearchRules(rules_);
  std::vector<std::unique_ptr<rpc::Middleware>> links;
  links.push_back(std::make_unique<rpc::Parse>(metrics_));
  links.push_back(std::make_unique<rpc::Authorize>(access_, projects_, metrics_, clock_));
  links.push_back(std::make_unique<rpc::Validate>(rules_));
  dispatcher_ = std::make_unique<rpc::Dispatcher>(methods_, std::move(links));
  Register();
  shards_.Start();
  auto server = rpc::Server::Start({}, methods_, shards_, {dispatcher_.get()}, drain_, clock_);
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

void SearchServer::Register() {
  dispatcher_->HandleRead<v1::SearchOrdersRequest, v1::SearchOrdersResponse>(
      "tollbridge.search.v1.Search.SearchOrders",
      [this](const v1::SearchOrdersRequest& request, const ports::Context& context) {
        return search::SearchOrders(*service_, projects_, request, context);
      });
  dispatcher_->HandleStream<v1::StreamOrdersRequest, v1::StreamOrdersResponse>(
      "tollbridge.search.v1.Search.StreamOrders",
      [this](const v1::StreamOrdersRequest& request, const ports::Context& context,
             rpc::StreamWriter<v1::StreamOrdersResponse> writer) {
        return StreamOrders(*service_, clock_, projects_, request, context, writer);
      });
  dispatcher_->HandleStream<v1::ExportOrdersRequest, v1::ExportOrdersResponse>(
      "tollbridge.search.v1.Search.ExportOrders",
      [this](const v1::ExportOrdersRequest& request, const ports::Context& context,
             rpc::StreamWriter<v1::ExportOrdersResponse> writer) {
        return ExportOrders(*service_, projects_, request, context, writer);
      });
}

}  // namespace tollbridge::test
