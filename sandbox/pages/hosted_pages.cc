#include "sandbox/pages/hosted_pages.h"

#include "sandbox/pages/challenge_page.h"
#include "sandbox/pages/link_page.h"
#include "sandbox/pages/order_page.h"
#include "sandbox/pages/result_page.h"
#include "sandbox/pages/site.h"
#include "sandbox/pages/transaction_page.h"

namespace tollbridge::sandbox {

std::vector<Route> PageRoutes(World* world, const Addresses* addresses) {
  const Site site{.world = world, .addresses = addresses};
  using Handler = http::Response (*)(const Site&, const Call&);
  const auto shows = [&](std::string_view operation, std::string_view pattern, Handler handler) {
    return Route{.operation = operation,
                 .method = "GET",
                 .pattern = pattern,
                 .access = Access::kAnyone,
                 .handle = [site, handler](const Call& call) { return handler(site, call); },
                 .handle_later = {}};
  };
  const auto takes = [&](std::string_view operation, std::string_view pattern, Handler handler) {
    Route route = shows(operation, pattern, handler);
    route.method = "POST";
    route.changes = true;
    return route;
  };
  return {
      shows("link_page", "/pay/link/{}/", ShowLink),
      takes("start_link_attempt", "/pay/link/{}/", StartLinkAttempt),
      shows("result_page", "/pay/{}/result/", ShowResult),
      shows("challenge_page", "/pay/{}/{}/challenge/", ShowChallenge),
      takes("end_challenge", "/pay/{}/{}/challenge/", EndChallenge),
      shows("hosted_page", "/pay/{}/{}/", ShowTransaction),
      takes("pay_on_page", "/pay/{}/{}/", PayOnPage),
      shows("hosted_page", "/pay/{}/", ShowOrder),
      takes("choose_method", "/pay/{}/", ChooseMethod),
  };
}

}  // namespace tollbridge::sandbox
