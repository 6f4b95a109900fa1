#include "sandbox/api/payment_link_routes.h"

#include <optional>
#include <utility>

#include "sandbox/api/payment_link_request.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/error_response.h"

namespace tollbridge::sandbox {
namespace {

Result<http::Response> CreateLink(World* world, const Addresses& addresses, const Call& call) {
  SB_ASSIGN_OR_RETURN(PaymentLink draft,
                      ReadPaymentLinkRequest(call.request->body,
                                             UnknownFields(world->simulation.settings.variants)));
  SB_ASSIGN_OR_RETURN(const PaymentLink* link,
                      world->links.Create(*call.project, std::move(draft)));
  return JsonResponse(201, LinkToJson(*link, world->orders, addresses));
}

Result<http::Response> GetLink(const World& world, const Addresses& addresses, const Call& call) {
  const std::optional<Uuid> id = Uuid::Parse(call.parameters[0]);
  const PaymentLink* link = id ? world.links.FindOf(call.project->id, *id) : nullptr;
  if (link == nullptr) return NotFound();
  return JsonResponse(200, LinkToJson(*link, world.orders, addresses));
}

}  // namespace

std::vector<Route> PaymentLinkRoutes(World* world, const Addresses* addresses) {
  return {
      {.operation = "create_payment_link",
       .method = "POST",
       .pattern = "/v1/paymentlinks/",
       .access = Access::kMerchant,
       .changes = true,
       .handle = [world, addresses](
                     const Call& call) { return ToResponse(CreateLink(world, *addresses, call)); }},
      {.operation = "get_payment_link",
       .method = "GET",
       .pattern = "/v1/paymentlinks/{}/",
       .access = Access::kMerchant,
       .handle = [world, addresses](const Call& call) {
         return ToResponse(GetLink(*world, *addresses, call));
       }}};
}

}  // namespace tollbridge::sandbox
