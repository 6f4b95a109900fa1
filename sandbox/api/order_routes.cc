#include "sandbox/api/order_routes.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <utility>

#include "sandbox/api/execution_request.h"
#include "sandbox/api/order_request.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/error_response.h"
#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {
namespace {

/// What the routes share: where they look, and where answers point to.
struct Backend {
  World* world;
  const Addresses* addresses;

  const Variants& variants() const { return world->simulation.settings.variants; }
  Unknown unknown() const { return UnknownFields(variants()); }
};

/// A transaction of the project that asks, by the ids in the path.
struct Place {
  Uuid order;
  Uuid transaction;
};

/// nullptr when the path's order is none of the project's.
const Order* FindOrder(const Backend& backend, const Call& call) {
  const std::optional<Uuid> id = Uuid::Parse(call.parameters[0]);
  return id ? backend.world->orders.FindOf(call.project->id, *id) : nullptr;
}

std::optional<Place> FindPlace(const Backend& backend, const Call& call) {
  const Order* order = FindOrder(backend, call);
  const std::optional<Uuid> transaction = Uuid::Parse(call.parameters[1]);
  if (order == nullptr || !transaction || order->FindTransaction(*transaction) == nullptr) {
    return std::nullopt;
  }
  return Place{order->id, *transaction};
}

/// The order as the call may see it: as it was, where reads lag.
const Order* AsSeen(const Backend& backend, const Call& call, const Uuid& id) {
  if (call.read_lag <= Millis{0}) return backend.world->orders.Find(id);
  return backend.world->orders.AsOf(id, backend.world->simulation.clock.Now() - call.read_lag);
}

http::Response OrderResponse(const Backend& backend, int status, const Uuid& id) {
  return JsonResponse(status, OrderToJson(*backend.world->orders.Find(id), *backend.addresses));
}

/// `unknown`: fields of the request that the order is to give back.
Result<http::Response> MadeResponse(const Backend& backend, const FollowUps::Made& made,
                                    boost::json::object unknown = {}) {
  if (!made.ok()) return made.error();
  if (!unknown.empty()) backend.world->orders.Edit((*made)->id).unknown = std::move(unknown);
  return JsonResponse(201, OrderToJson(**made, *backend.addresses));
}

Result<http::Response> CreateOrder(const Backend& backend, const Call& call) {
  SB_ASSIGN_OR_RETURN(OrderDraft draft, ReadOrderRequest(call.request->body, backend.unknown()));
  return MadeResponse(backend, backend.world->payments.Create(*call.project, std::move(draft)));
}

Result<http::Response> GetOrder(const Backend& backend, const Call& call) {
  const Order* order = FindOrder(backend, call);
  if (order != nullptr) order = AsSeen(backend, call, order->id);
  if (order == nullptr) return NotFound();
  ++backend.world->reads[order->id];
  return JsonResponse(200, OrderToJson(*order, *backend.addresses));
}

Result<http::Response> UpdateOrder(const Backend& backend, const Call& call) {
  const Order* order = FindOrder(backend, call);
  if (order == nullptr) return NotFound();
  Order changed = *order;
  SB_RETURN_IF_ERROR(ReadOrderUpdate(call.request->body, backend.unknown(), &changed));
  Order& kept = backend.world->orders.Edit(order->id);
  changed.modified = kept.modified;
  kept = std::move(changed);
  backend.world->orders.NoteReference(kept);
  return OrderResponse(backend, 200, kept.id);
}

Result<http::Response> InitiateTransaction(const Backend& backend, const Call& call) {
  const std::optional<Place> place = FindPlace(backend, call);
  if (!place) return NotFound();
  SB_ASSIGN_OR_RETURN(const Uuid vault_token,
                      ReadInitiateRequest(call.request->body, backend.unknown()));
  SB_RETURN_IF_ERROR(backend.world->payments.Initiate(*call.project, place->order,
                                                      place->transaction, vault_token));
  return OrderResponse(backend, 202, place->order);
}

Result<http::Response> AuthenticateTransaction(const Backend& backend, const Call& call) {
  const std::optional<Place> place = FindPlace(backend, call);
  if (!place) return NotFound();
  SB_ASSIGN_OR_RETURN(const AuthenticateRequest request,
                      ReadAuthenticateRequest(call.request->body, backend.unknown()));
  SB_RETURN_IF_ERROR(backend.world->payments.Authenticate(
      *call.project, place->order, place->transaction, request.vault_token, request.external));
  const Order& order = *backend.world->orders.Find(place->order);
  http::Response response = OrderResponse(backend, 200, place->order);
  if (request.external) return response;
  // One more member: the order's text ends with its brace.
  response.body.pop_back();
  response.body += ",\"redirect_url\":";
  response.body += boost::json::serialize(boost::json::string(
      backend.addresses->AfterExecution(order, *order.FindTransaction(place->transaction))));
  response.body += '}';
  return response;
}

/// Of a capture or void; `unknown` is for the order that was made.
template <auto kFollowUp>
Result<http::Response> FollowedUp(const Backend& backend, const FollowUps::Made& made,
                                  boost::json::object unknown) {
  Result<http::Response> answer = MadeResponse(backend, made, std::move(unknown));
  const bool empty = kFollowUp == &FollowUps::Capture && backend.variants().empty_captures;
  if (answer.ok() && empty) return http::Response{.status = 204};
  return answer;
}

/// Captures and voids of the whole, which take no body.
template <auto kFollowUp>
Result<http::Response> FollowWhole(const Backend& backend, const Call& call) {
  const std::optional<Place> place = FindPlace(backend, call);
  if (!place) return NotFound();
  SB_RETURN_IF_ERROR(CheckNoBody(call.request->body));
  return FollowedUp<kFollowUp>(backend,
                               (backend.world->follow_ups.*kFollowUp)(
                                   place->order, place->transaction, std::nullopt, std::nullopt),
                               {});
}

template <auto kFollowUp>
Result<http::Response> FollowPart(const Backend& backend, const Call& call) {
  const std::optional<Place> place = FindPlace(backend, call);
  if (!place) return NotFound();
  SB_ASSIGN_OR_RETURN(AmountRequest request,
                      ReadAmountRequest(call.request->body, backend.unknown()));
  return FollowedUp<kFollowUp>(
      backend,
      (backend.world->follow_ups.*kFollowUp)(place->order, place->transaction, request.amount,
                                             std::move(request.description)),
      std::move(request.unknown));
}

Result<http::Response> CreateRefund(const Backend& backend, const Call& call) {
  const Order* order = FindOrder(backend, call);
  if (order == nullptr) return NotFound();
  SB_ASSIGN_OR_RETURN(AmountRequest request,
                      ReadAmountRequest(call.request->body, backend.unknown()));
  return MadeResponse(
      backend,
      backend.world->follow_ups.Refund(order->id, request.amount, std::move(request.description)),
      std::move(request.unknown));
}

Result<http::Response> ListRefunds(const Backend& backend, const Call& call) {
  const Order* order = FindOrder(backend, call);
  if (order != nullptr) order = AsSeen(backend, call, order->id);
  if (order == nullptr) return NotFound();
  std::string body = "[";
  for (const auto& [relation, id] : order->children) {
    const Order* refund = relation == Relation::kRefund ? AsSeen(backend, call, id) : nullptr;
    if (refund == nullptr) continue;
    if (body.size() > 1) body += ',';
    AppendOrder(*refund, *backend.addresses, &body);
  }
  body += ']';
  return JsonResponse(200, std::move(body));
}

/// {"payment_methods": {"credit-card": {"currencies": ["EUR", ...]}, ...}}
boost::json::object CurrenciesPerMethod(const Project& project) {
  boost::json::object methods;
  for (const std::string& method : project.payment_methods) {
    const std::vector<std::string>& currencies = project.CurrenciesOf(method);
    methods[method] = {{"currencies", boost::json::array(currencies.begin(), currencies.end())}};
  }
  return {{"payment_methods", std::move(methods)}};
}

Result<http::Response> ListCurrencies(const Backend& backend, const Call& call) {
  if (backend.variants().currencies_per_method) {
    return JsonResponse(200, boost::json::serialize(CurrenciesPerMethod(*call.project)));
  }
  const std::vector<std::string>& currencies = call.project->currencies;
  const boost::json::array body(currencies.begin(), currencies.end());
  return JsonResponse(200, boost::json::serialize(body));
}

}  // namespace

std::vector<Route> OrderRoutes(World* world, const Addresses* addresses) {
  using Handler = Result<http::Response> (*)(const Backend&, const Call&);
  const auto route = [backend = Backend{world, addresses}](
                         std::string_view operation, std::string_view method,
                         std::string_view pattern, Handler handler) {
    return Route{.operation = operation,
                 .method = method,
                 .pattern = pattern,
                 .access = Access::kMerchant,
                 .changes = method != "GET",
                 .handle = [backend, handler](
                               const Call& call) { return ToResponse(handler(backend, call)); },
                 .handle_later = nullptr};
  };
  std::vector<Route> routes{
      route("create_order", "POST", "/v1/orders/", CreateOrder),
      route("get_order", "GET", "/v1/orders/{}/", GetOrder),
      route("initiate", "POST", "/v1/orders/{}/transactions/{}/initiate/", InitiateTransaction),
      route("authenticate", "POST", "/v1/orders/{}/transactions/{}/authenticate/",
            AuthenticateTransaction),
      route("capture", "POST", "/v1/orders/{}/transactions/{}/captures/",
            FollowWhole<&FollowUps::Capture>),
      route("void", "POST", "/v1/orders/{}/transactions/{}/voids/", FollowWhole<&FollowUps::Void>),
      route("partial_capture", "POST", "/v1/orders/{}/transactions/{}/captures/amount/",
            FollowPart<&FollowUps::Capture>),
      route("partial_void", "POST", "/v1/orders/{}/transactions/{}/voids/amount/",
            FollowPart<&FollowUps::Void>),
      route("list_refunds", "GET", "/v1/orders/{}/refunds/", ListRefunds),
      route("create_refund", "POST", "/v1/orders/{}/refunds/", CreateRefund),
      route("list_currencies", "GET", "/v1/merchants/self/projects/self/currencies/",
            ListCurrencies),
  };
  if (world->simulation.settings.variants.update_orders) {
    routes.push_back(route("update_order", "PUT", "/v1/orders/{}/", UpdateOrder));
  }
  return routes;
}

}  // namespace tollbridge::sandbox
