#include "sandbox/app.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <functional>
#include <string>

#include "base/net/address.h"
#include "sandbox/admin/admin_routes.h"
#include "sandbox/api/order_routes.h"
#include "sandbox/api/payment_link_routes.h"
#include "sandbox/api/vault_routes.h"
#include "sandbox/api/wallet_a_routes.h"
#include "sandbox/api/wallet_b_message.h"
#include "sandbox/api/wallet_b_routes.h"
#include "sandbox/core/result.h"
#include "sandbox/pages/hosted_pages.h"
#include "sandbox/pages/merchant_pages.h"
#include "sandbox/pages/same_origin.h"
#include "sandbox/search/search_routes.h"
#include "sandbox/seed_orders.h"
#include "sandbox/wire/error_response.h"

namespace tollbridge::sandbox {
namespace {

/// Whether a browser that sent this asked for this machine by a name that only this machine has: a
/// foreign name that leads here is how a page elsewhere would look inside.
bool NamesThisMachine(const http::Request& request) {
  const std::string_view host = request.headers.Find("Host").value_or("localhost");
  const std::string_view name =
      host.substr(0, host.starts_with('[') ? host.find(']') + 1 : host.find(':'));
  return http::EqualsIgnoreCase(name, "localhost") || name == "[::1]" ||
         net::Address{.host = std::string(name)}.is_loopback();
}

bool IsLoopback(const std::string& peer) {
  return peer.starts_with("127.") || peer.starts_with("[::1]") || peer.starts_with("[::ffff:127.");
}

http::Response NotAuthenticated() {
  http::Response response =
      ToResponse({401, "AuthenticationError", "authentication failed or missing"});
  response.headers.Set("WWW-Authenticate", "Basic realm=\"sandbox\"");
  return response;
}

/// Whether paths that begin so are for merchants' servers only, known or not.
bool IsForMerchants(const http::Target& target) {
  return !target.segments.empty() &&
         (target.segments.front() == "v1" || target.segments.front() == "vault");
}

std::string MessageOf(const WalletBEntry& entry) {
  WalletBCard card{.pan = entry.pan,
                   .expiration_month = entry.expiration_month,
                   .expiration_year = entry.expiration_year};
  if (entry.bound_to_device) card.method = WalletBMethod::kCryptogram3ds;
  return MakeWalletBMessage(card);
}

void Append(std::vector<Route> more, std::vector<Route>* routes) {
  std::ranges::move(more, std::back_inserter(*routes));
}

}  // namespace

App::App(boost::asio::any_io_executor executor, AppOptions options)
    : options_(std::move(options)),
      world_(options_.settings, options_.seed, options_.start),
      faults_(&world_.simulation, executor),
      webhooks_(executor, &world_.simulation, &faults_),
      time_(executor, &world_, &webhooks_),
      rate_limit_(&world_.simulation),
      router_(MakeRoutes()) {
  world_.orders.Subscribe([this](const Order& order) { webhooks_.Notify(order); });
  if (world_.simulation.settings.variants.transaction_webhooks) {
    world_.orders.SubscribeToTransactions(
        [this](const Order& order) { webhooks_.Notify(order, kTransactionStatusChanged); });
  }
  world_.orders.KeepHistory(world_.simulation.settings.index_lag);
}

std::vector<Route> App::MakeRoutes() {
  std::vector<Route> routes = OrderRoutes(&world_, &addresses_);
  Append(PaymentLinkRoutes(&world_, &addresses_), &routes);
  Append(SearchRoutes(&world_, &addresses_), &routes);
  Append(VaultRoutes(&world_, &addresses_), &routes);
  Append(WalletARoutes(&world_, &addresses_), &routes);
  Append(WalletBRoutes(&world_, &addresses_), &routes);
  Append(PageRoutes(&world_, &addresses_), &routes);
  Append(MerchantRoutes(&world_, &addresses_, [this] { return webhooks_.Log(); }), &routes);
  AdminBackend backend;
  backend.world = &world_;
  backend.addresses = &addresses_;
  backend.advance = [this](Millis by) { return time_.Advance(by); };
  backend.seed = [this](const Project& project, std::size_t orders) {
    return Seed(project, orders);
  };
  backend.deliveries = [this] { return webhooks_.Log(); };
  backend.fault_plan = [this] { return boost::json::value(faults_.ToJson()); };
  backend.set_fault_plan = [this](const boost::json::object& plan) { return SetFaults(plan); };
  backend.clear_rest = [this] {
    webhooks_.Clear();
    faults_.Restart();
  };
  backend.wallet_b_message = [](const WalletBEntry& card) { return MessageOf(card); };
  backend.operations = [this] { return Operations(); };
  Append(AdminRoutes(std::move(backend)), &routes);
  return routes;
}

std::vector<std::string_view> App::Operations() const {
  std::vector<std::string_view> operations;
  for (const Route& route : routes()) operations.push_back(route.operation);
  return operations;
}

Result<void> App::SetFaults(const boost::json::object& plan) {
  std::vector<std::string_view> operations = {"webhook"};
  for (const Route& route : routes()) {
    if (route.access != Access::kOperator) operations.push_back(route.operation);
  }
  SB_RETURN_IF_ERROR(faults_.SetPlan(plan, operations));
  // A search may lag by both.
  world_.orders.KeepHistory(world_.simulation.settings.index_lag + faults_.longest_read_lag());
  return {};
}

std::size_t App::Seed(const Project& project, std::size_t orders) {
  return SeedOrders(&world_, project, orders);
}

std::optional<http::Response> App::Refuse(const Match& match, const http::Request& request,
                                          const http::Target& target,
                                          const http::ConnectionInfo& connection,
                                          const Project** project) {
  const Route* route = match.route;
  if (route == nullptr ? IsForMerchants(target) : route->access == Access::kMerchant) {
    *project = Authenticate(world_.simulation.settings.projects,
                            request.headers.Find("Authorization").value_or(""));
    if (*project == nullptr) return NotAuthenticated();
    if (!rate_limit_.Admit((*project)->id)) {
      http::Response response =
          ToResponse({429, "RateLimitExceeded", "more requests than requests_per_second"});
      response.headers.Set("Retry-After", "1");
      return response;
    }
  }
  if (route == nullptr) {
    if (match.allowed.empty()) return ToResponse(NotFound());
    http::Response response =
        ToResponse({405, "MethodNotAllowed", "the method is not allowed here"});
    response.headers.Set("Allow", match.allowed);
    return response;
  }
  if (route->access == Access::kOperator && !options_.admin_anywhere &&
      (!IsLoopback(connection.peer) || !NamesThisMachine(request))) {
    return ToResponse({403, "PermissionDenied", "the admin calls answer to loopback only"});
  }
  if (route->access == Access::kOperator && route->changes && !IsFromOwnPage(request.headers)) {
    return ToResponse(
        {403, "PermissionDenied", "a page of another site may not steer the sandbox"});
  }
  if (*project != nullptr && (*project)->read_only && route->changes) {
    return ToResponse({403, "PermissionDenied", "this API key may only read"});
  }
  return std::nullopt;
}

FaultSubject App::SubjectOf(const Match& match, const http::Request& request) const {
  FaultSubject subject;
  if (!match.parameters.empty()) subject.order = match.parameters.front();
  if (const std::optional<Uuid> id = Uuid::Parse(subject.order)) {
    const Order* order = world_.orders.Find(*id);
    if (order != nullptr) subject.merchant_order_id = order->merchant_order_id.value_or("");
    return subject;
  }
  boost::system::error_code problem;
  const boost::json::value body = boost::json::parse(request.body, problem);
  if (problem || !body.is_object()) return subject;
  const boost::json::value* reference = body.as_object().if_contains("merchant_order_id");
  if (reference != nullptr && reference->is_string()) {
    subject.merchant_order_id = std::string(reference->as_string());
  }
  return subject;
}

http::Response App::Serve(const Route& route, const Call& call, std::uint64_t number) {
  // What became due since the last request comes before this one.
  time_.Poke();
  world_.simulation.cause = {.operation = std::string(route.operation), .request = number};
  http::Response response = route.handle(call);
  time_.Poke();
  return response;
}

http::Response App::ServeHeld(std::shared_ptr<const Held> held, Millis read_lag) {
  const Match match = router_.Find(held->request.method, held->target.segments);
  return Serve(*match.route,
               {.request = &held->request,
                .target = &held->target,
                .parameters = match.parameters,
                .project = held->project,
                .read_lag = read_lag},
               held->number);
}

boost::asio::awaitable<http::Response> App::Handle(const http::Request& request,
                                                   const http::ConnectionInfo& connection,
                                                   std::string_view prefix) {
  http::Response response = co_await Answer(request, connection, prefix);
  const bool strip = world_.simulation.settings.variants.errors_without_type &&
                     !request.target.starts_with("/_sandbox/");
  co_return strip ? WithoutErrorType(std::move(response)) : std::move(response);
}

boost::asio::awaitable<http::Response> App::Answer(const http::Request& request,
                                                   const http::ConnectionInfo& connection,
                                                   std::string_view prefix) {
  absl::StatusOr<http::Target> target =
      http::ParseTarget(prefix.empty() ? request.target : std::string(prefix) + request.target);
  if (!target.ok()) co_return ToResponse({400, "ValidationError", "the path cannot be read"});
  const Match match = router_.Find(request.method, target->segments);
  const Project* project = nullptr;
  std::optional<http::Response> refusal = Refuse(match, request, *target, connection, &project);
  if (refusal) co_return *std::move(refusal);

  const std::uint64_t number = ++requests_;
  const Route& route = *match.route;
  const Call call{
      .request = &request, .target = &*target, .parameters = match.parameters, .project = project};
  if (route.handle_later) {
    http::Response response = co_await route.handle_later(call);
    time_.Poke();
    co_return response;
  }
  if (route.access == Access::kOperator || faults_.empty()) co_return Serve(route, call, number);

  const FaultSubject subject = SubjectOf(match, request);
  auto held = std::make_shared<const Held>(
      Held{.request = request, .target = *target, .project = project, .number = number});
  co_return co_await faults_.Around(route.operation, subject,
                                    std::bind_front(&App::ServeHeld, this, std::move(held)));
}

}  // namespace tollbridge::sandbox
