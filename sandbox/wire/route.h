#ifndef TOLLBRIDGE_SANDBOX_WIRE_ROUTE_H_
#define TOLLBRIDGE_SANDBOX_WIRE_ROUTE_H_

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message.h"
#include "base/http/url.h"
#include "sandbox/core/clock.h"
#include "sandbox/core/projects.h"

namespace tollbridge::sandbox {

/// Who may call a route.
enum class Access {
  kMerchant,  ///< HTTP Basic with a project's API key (docs/interface.md#authentication)
  kAnyone,    ///< pages, wallet B's token service and execution
  kOperator,  ///< the admin calls: loopback only unless told otherwise
};

/// A request on its way into a route's handler.
struct Call {
  const http::Request* request = nullptr;
  const http::Target* target = nullptr;
  /// What stood in place of the {} segments of the pattern, in order.
  std::vector<std::string_view> parameters;
  /// Whose key it carries; nullptr unless the route's access is kMerchant.
  const Project* project = nullptr;
  /// A fault: reads show the state as it was this long ago.
  Millis read_lag{0};
};

/// One endpoint.
struct Route {
  /// Its name in fault plans, the ledger and logs: `create_order`.
  std::string_view operation;
  std::string_view method;
  /// `/v1/orders/{}/`; {} is any one segment. Counts with and without the slash at its end.
  std::string_view pattern;
  Access access = Access::kMerchant;
  /// Changes something: 403 for a key that may only read.
  bool changes = false;
  std::function<http::Response(const Call&)> handle;
  /// In place of `handle` where the answer takes time. The call lives until it is answered.
  std::function<boost::asio::awaitable<http::Response>(const Call&)> handle_later;
};

/// What the router makes of a method and a path.
struct Match {
  /// nullptr: none. `allowed` then tells under which other methods the path is known.
  const Route* route = nullptr;
  std::vector<std::string_view> parameters;
  /// Without a route: value of an Allow header; empty: the path is not known.
  std::string allowed;
};

/// Finds routes. HEAD is answered wherever GET is. A literal segment goes before {}.
class Router {
 public:
  explicit Router(std::vector<Route> routes);

  /// `segments` as http::Target has them; the match's parameters look into them.
  Match Find(std::string_view method, const std::vector<std::string>& segments) const;
  const std::vector<Route>& routes() const { return routes_; }

 private:
  /// Methods of the routes of a pattern, as an Allow header has them.
  std::string AllowedAt(const std::vector<std::string>& pattern) const;

  std::vector<Route> routes_;
  /// Segments of each route's pattern.
  std::vector<std::vector<std::string>> patterns_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_WIRE_ROUTE_H_
