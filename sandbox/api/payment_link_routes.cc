#include "sandbox/api/payment_link_routes.h"

#include <optional>
#include <utility>
#include <variant>

#include "sandbox/api/payment_link_request.h"
#include "sandbox/wire/error_response.h"

namespace tollbridge::sandbox {
namespace {

http::Response CreateLink(World* world, const Addresses& addresses, const Call& call) {
  std::variant<PaymentLink, ApiError> read = ReadPaymentLinkRequest(call.request->body);
  if (const ApiError* error = std::get_if<ApiError>(&read)) return ToResponse(*error);
  const std::variant<const PaymentLink*, ApiError> made =
      world->links.Create(*call.project, std::get<PaymentLink>(std::move(read)));
  if (const ApiError* error = std::get_if<ApiError>(&made)) return ToResponse(*error);
  const PaymentLink& link = *std::get<const PaymentLink*>(made);
  return JsonResponse(201, LinkToJson(link, world->orders, addresses));
}

http::Response GetLink(const World& world, const Addresses& addresses, const Call& call) {
  const std::optional<Uuid> id = Uuid::Parse(call.parameters[0]);
  const PaymentLink* link = id ? world.links.FindOf(call.project->id, *id) : nullptr;
  if (link == nullptr) return ToResponse(NotFound());
  return JsonResponse(200, LinkToJson(*link, world.orders, addresses));
}

}  // namespace

std::vector<Route> PaymentLinkRoutes(World* world, const Addresses* addresses) {
  return {{.operation = "create_payment_link",
           .method = "POST",
           .pattern = "/v1/paymentlinks/",
           .access = Access::kMerchant,
           .changes = true,
           .handle = [world,
                      addresses](const Call& call) { return CreateLink(world, *addresses, call); }},
          {.operation = "get_payment_link",
           .method = "GET",
           .pattern = "/v1/paymentlinks/{}/",
           .access = Access::kMerchant,
           .handle = [world, addresses](const Call& call) {
             return GetLink(*world, *addresses, call);
           }}};
}

}  // namespace tollbridge::sandbox
