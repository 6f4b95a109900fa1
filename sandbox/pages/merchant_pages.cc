#include "sandbox/pages/merchant_pages.h"

#include <utility>

#include "sandbox/pages/merchant_overview.h"
#include "sandbox/pages/merchant_view.h"
#include "sandbox/pages/site.h"

namespace tollbridge::sandbox {

std::vector<Route> MerchantRoutes(World* world, const Addresses* addresses,
                                  std::function<boost::json::array()> deliveries) {
  const Site site{.world = world, .addresses = addresses};
  constexpr std::string_view kView = "/_sandbox/view/{}/";
  return {
      {.operation = "merchant_page",
       .method = "GET",
       .pattern = "/_sandbox/",
       .access = Access::kOperator,
       .handle = [site, deliveries = std::move(deliveries)](
                     const Call&) { return ShowOverview(site, deliveries()); },
       .handle_later = {}},
      {.operation = "merchant_view",
       .method = "GET",
       .pattern = kView,
       .access = Access::kOperator,
       .handle = [site](const Call& call) { return ShowView(site, call); },
       .handle_later = {}},
      {.operation = "merchant_action",
       .method = "POST",
       .pattern = kView,
       .access = Access::kOperator,
       .changes = true,
       .handle = [site](const Call& call) { return Act(site, call); },
       .handle_later = {}},
  };
}

}  // namespace tollbridge::sandbox
