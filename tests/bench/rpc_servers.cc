#include "tests/bench/rpc_servers.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/bench/child_process.h"
#include "tests/bench/envoy_config.h"
#include "tests/support/http_call.h"
#include "tollbridge/bench/v1/floor.pb.h"
#include "tollbridge/bench/v1/transcoded.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::bench {
namespace {

constexpr std::string_view kCreatePath = "POST /v1/orders/";
constexpr std::string_view kSearchPath = "POST /v1/search/orders/";
constexpr std::string_view kExportPath = "POST /v1/search/orders/?format=csv";

test::StackOptions OptionsOf(const ServerOptions& options, const ReplayUpstream& upstream) {
  // What calls are made of alone: the roles webhooks, events and reconcile can run elsewhere.
  test::StackOptions stack{
      .settings = {{"process", {{"roles", "[rpc]"}, {"shards", "1"}, {"log_level", "info"}}},
                   {"webhooks", {{"public_url", "https://gateway.example"}}},
                   {"payment_service", {{"base_url", upstream.url()}}},
                   {"operations", {{"resolver_interval", "1s"}}}},
      .sandbox_arguments = {"--orders", std::to_string(kOrders)},
      // With "always" the disk would be measured.
      .redis_arguments = {"--appendonly", "yes", "--appendfsync", "everysec"},
      .ends_in_order = true};
  for (const auto& [section, values] : options.settings) {
    for (const auto& [name, value] : values) stack.settings[section][name] = value;
  }
  return stack;
}

std::uint16_t PortOf(std::string_view url) {
  std::uint16_t port = 0;
  const std::string_view digits = url.substr(url.rfind(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (port == 0) throw std::runtime_error("no port in " + std::string(url));
  return port;
}

pid_t RedisPid(const test::Stack& stack) {
  static constexpr std::string_view kBefore = "process_id:";
  const std::string info = stack.RedisCommand({"INFO", "server"});
  const std::size_t at = info.find(kBefore);
  pid_t pid = -1;
  if (at != std::string::npos) {
    std::from_chars(info.data() + at + kBefore.size(), info.data() + info.size(), pid);
  }
  if (pid <= 0) throw std::runtime_error("redis-server does not say its process id");
  return pid;
}

/// Each call of it has another key, so that it is another order.
payments::v1::CreateOrderRequest OrderToCreate() {
  static std::uint64_t last = 0;
  payments::v1::CreateOrderRequest request;
  request.set_idempotency_key("bench-rpc-" + std::to_string(++last));
  request.set_merchant_order_id("order-2026-000001");
  request.set_description("one coffee grinder");
  request.set_currency("EUR");
  request.set_amount(1250);
  request.set_return_url("https://shop.example/return");
  return request;
}

std::function<std::string()> Always(const google::protobuf::Message& message) {
  return [bytes = message.SerializeAsString()] { return bytes; };
}

std::size_t BytesOf(const std::vector<std::string>& messages) {
  std::size_t bytes = 0;
  for (const std::string& message : messages) bytes += message.size();
  return bytes;
}

/// Answers differ in a few bytes at most, and one that is not whole in many more.
void SetLeastAnswer(RpcTarget& target, const std::vector<std::string>& messages) {
  target.least_answer_bytes = BytesOf(messages) * 9 / 10;
}

template <typename Message>
Message Parsed(const std::vector<std::string>& messages) {
  Message message;
  if (messages.size() != 1 || !message.ParseFromString(messages.front())) {
    throw std::runtime_error("not a " + std::string(message.GetTypeName()));
  }
  return message;
}

void Require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

void CheckGatewayAnswers(const std::map<std::string, std::vector<std::string>>& answers) {
  const auto order = Parsed<payments::v1::GetOrderResponse>(answers.at(kGetOrder)).order();
  Require(order.transactions_size() == 1, "GetOrder: not an order with a transaction");
  const auto created = Parsed<payments::v1::CreateOrderResponse>(answers.at(kCreateOrder));
  Require(!created.order().order_url().empty(), "CreateOrder: not an order to pay");
  const auto page = Parsed<search::v1::SearchOrdersResponse>(answers.at(kSearchOrders));
  Require(page.orders_size() == kPageSize, "SearchOrders: not a page of 100");
  const auto& report = answers.at(kExportOrders);
  search::v1::ExportOrdersResponse end;
  Require(
      !report.empty() && end.ParseFromString(report.back()) && end.summary().orders() >= kOrders,
      "ExportOrders: not a report of all orders");
}

RpcTarget Target(std::string path, const google::protobuf::Message& request, bool streams = false) {
  return {.path = std::move(path), .streams = streams, .next_request = Always(request)};
}

std::string CompletedOrder(const search::v1::SearchOrdersResponse& page) {
  for (const common::v1::Order& order : page.orders()) {
    if (order.status() == common::v1::ORDER_STATUS_COMPLETED && order.transactions_size() == 1) {
      return order.id();
    }
  }
  throw std::runtime_error("the sandbox has no completed order");
}

}  // namespace

RpcServers::RpcServers(const ServerOptions& options)
    : options_(options), stack_(OptionsOf(options, upstream_)) {
  upstream_.SetOrigin(PortOf(stack_.sandbox_url()));
  AddGateway();
  AddFloor("wire", "wire_floor");
  AddFloor("floor", "rpc_floor");
  if (options_.envoy) AddEnvoy(*options_.envoy);
  if (options_.older) AddOther("older", *options_.older, {}, {});
  if (options_.tls) {
    const std::string tls =
        "{enabled: true, certificate_file: " + certificates_.certificate_file() +
        ", private_key_file: " + certificates_.key_file() + "}";
    AddOther("tls", test::ProgramBeside("tollbridge"), {{"rpc", {{"tls", tls}}}},
             {.ca_file = certificates_.ca_file()});
  }
  if (options_.shards > 1) {
    AddOther("shards", test::ProgramBeside("tollbridge"),
             {{"process", {{"shards", std::to_string(options_.shards)}}}},
             {.connections = options_.shards});
  }
}

void RpcServers::Pin(pid_t process) const { PinProcess(process, options_.server_cpu); }

void RpcServers::AddGateway() {
  RpcServer server{.name = "gateway",
                   .pid = stack_.gateway().pid(),
                   .redis = RedisPid(stack_),
                   .address = {.host_and_port = stack_.grpc_address()}};
  Pin(server.pid);
  RpcClient client(server.address);
  search::v1::SearchOrdersRequest page;
  page.set_page_size(kPageSize);
  server.targets[kSearchOrders] = Target("/tollbridge.search.v1.Search/SearchOrders", page);
  server.targets[kExportOrders] =
      Target("/tollbridge.search.v1.Search/ExportOrders", search::v1::ExportOrdersRequest(), true);
  server.targets[kCreateOrder] = {
      .path = "/tollbridge.payments.v1.Payments/CreateOrder",
      .next_request = [] { return OrderToCreate().SerializeAsString(); }};
  const std::vector<std::string> found = client.CallOnce(server.targets[kSearchOrders]);
  payments::v1::GetOrderRequest get;
  get.set_order_id(CompletedOrder(Parsed<search::v1::SearchOrdersResponse>(found)));
  order_id_ = get.order_id();
  server.targets[kGetOrder] = Target("/tollbridge.payments.v1.Payments/GetOrder", get);
  const std::map<std::string, std::string> upstream_keys = {
      {kGetOrder, "GET /v1/orders/" + order_id_ + "/"},
      {kCreateOrder, std::string(kCreatePath)},
      {kSearchOrders, std::string(kSearchPath)},
      {kExportOrders, std::string(kExportPath)}};
  v1::FloorProgram program;
  for (auto& [name, target] : server.targets) {
    answers_[name] = client.CallOnce(target);
    SetLeastAnswer(target, answers_[name]);
    const ReplayUpstream::Exchange exchange = upstream_.Last(upstream_keys.at(name));
    sizes_[name] = {.http_request = exchange.request.size(),
                    .http_body = exchange.body_bytes,
                    .answer = BytesOf(answers_[name])};
    v1::FloorMethod& method = *program.add_methods();
    method.set_path(target.path);
    method.set_http_request(exchange.request);
    method.set_server_streaming(target.streams);
    for (const std::string& answer : answers_[name]) method.add_answers(answer);
  }
  CheckGatewayAnswers(answers_);
  folder_.Write("floor.binpb", program.SerializeAsString());
  servers_.push_back(std::move(server));
}

void RpcServers::AddFloor(const std::string& name, const std::string& program) {
  const test::Process& floor = *floors_.emplace_back(std::make_unique<test::Process>(
      std::vector<std::string>{test::ProgramBeside(program), folder_.PathOf("floor.binpb"),
                               std::to_string(upstream_.port())}));
  const std::optional<std::string> line = floors_.back()->WaitForLine("address");
  if (!line) throw std::runtime_error(program + ": " + floors_.back()->standard_error());
  RpcServer server{.name = name,
                   .pid = floor.pid(),
                   .redis = servers_.back().redis,
                   .address = {.host_and_port = std::string(
                                   boost::json::parse(*line).at("address").as_string())},
                   .targets = servers_.back().targets};
  Pin(server.pid);
  RpcClient client(server.address);
  for (const auto& [call, target] : server.targets) {
    Require(client.CallOnce(target) == answers_.at(call),
            program + ", " + call + ": not its answer");
  }
  servers_.insert(servers_.begin(), std::move(server));
}

void RpcServers::AddEnvoy(const std::string& program) {
  const std::string config = folder_.Write(
      "envoy.yaml", EnvoyConfig(upstream_.port(), test::ProgramBeside("rpc_bench.desc")));
  const std::string admin = folder_.PathOf("envoy-admin");
  envoy_ = std::make_unique<test::Process>(std::vector<std::string>{
      program, "--config-path", config, "--concurrency", "1", "--admin-address-path", admin,
      "--use-dynamic-base-id", "--log-level", "warning"});
  RpcServer server{.name = "envoy",
                   .pid = envoy_->pid(),
                   .redis = servers_.front().redis,
                   .address = {.host_and_port = EnvoyAddress(admin, *envoy_)}};
  Pin(server.pid);
  v1::GetOrderRequest get;
  get.set_order_id(order_id_);
  const payments::v1::CreateOrderRequest order = OrderToCreate();
  v1::CreateOrderRequest create;
  create.set_merchant_order_id(order.merchant_order_id());
  create.set_description(order.description());
  create.set_currency(order.currency());
  create.set_amount(static_cast<std::int32_t>(order.amount()));
  create.set_return_url(order.return_url());
  (*create.mutable_extra()->mutable_fields())["tollbridge_operation"].set_string_value(
      "00000000-0000-4000-8000-000000000000/create_order");
  v1::SearchOrdersRequest page;
  page.set_query("*");
  page.set_size(kPageSize);
  page.set_sort("id asc");
  page.set_search_after("-1");
  v1::SearchOrdersRequest report;
  report.set_query("*");
  report.set_sort("id asc");
  const std::string service = "/tollbridge.bench.v1.Orders/";
  server.targets = {{kGetOrder, Target(service + kGetOrder, get)},
                    {kCreateOrder, Target(service + kCreateOrder, create)},
                    {kSearchOrders, Target(service + kSearchOrders, page)},
                    {kExportOrders, Target(service + kExportOrders, report)}};
  RpcClient client(server.address);
  std::map<std::string, std::vector<std::string>> answers;
  for (auto& [name, target] : server.targets) {
    answers[name] = client.CallOnce(target);
    SetLeastAnswer(target, answers[name]);
  }
  const auto got = Parsed<v1::Order>(answers[kGetOrder]);
  Require(got.id() == order_id_ && got.status() == "completed" && got.transactions_size() == 1,
          "envoy, GetOrder: not the order");
  Require(!Parsed<v1::Order>(answers[kCreateOrder]).order_url().empty(),
          "envoy, CreateOrder: not an order to pay");
  Require(Parsed<v1::SearchOrdersResponse>(answers[kSearchOrders]).orders_size() == kPageSize,
          "envoy, SearchOrders: not a page of 100");
  Require(BytesOf(answers[kExportOrders]) > sizes_[kExportOrders].http_body,
          "envoy, ExportOrders: not the report");
  servers_.insert(servers_.end() - 1, std::move(server));
}

void RpcServers::AddOther(const std::string& name, const std::string& program,
                          const test::StackSettings& settings, RpcAddress how) {
  test::StackOptions options = OptionsOf(options_, upstream_);
  options.program = program;
  for (const auto& [section, values] : settings) {
    for (const auto& [setting, value] : values) options.settings[section][setting] = value;
  }
  test::Stack& stack = *others_.emplace_back(std::make_unique<test::Stack>(options));
  how.host_and_port = stack.grpc_address();
  RpcServer server{.name = name,
                   .pid = stack.gateway().pid(),
                   .redis = RedisPid(stack),
                   .address = std::move(how),
                   .targets = servers_.back().targets};
  Pin(server.pid);
  RpcClient client(server.address);
  std::map<std::string, std::vector<std::string>> answers;
  for (const auto& [call, target] : server.targets) answers[call] = client.CallOnce(target);
  CheckGatewayAnswers(answers);
  servers_.push_back(std::move(server));
}

}  // namespace tollbridge::bench
