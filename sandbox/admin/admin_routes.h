#ifndef TOLLBRIDGE_SANDBOX_ADMIN_ADMIN_ROUTES_H_
#define TOLLBRIDGE_SANDBOX_ADMIN_ADMIN_ROUTES_H_

#include <boost/asio/awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/result.h"
#include "sandbox/core/world.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

/// Steering the stand-in and looking inside it, below /_sandbox/. JSON in and out, no
/// authentication: who may call is the App's to say (Access::kOperator).
namespace tollbridge::sandbox {

/// What a wallet would know of its customer's card. Lives for one call and is never kept.
struct WalletBEntry {
  std::string pan;
  int expiration_month = 0;      ///< 1 to 12
  int expiration_year = 0;       ///< four digits
  bool bound_to_device = false;  ///< CRYPTOGRAM_3DS; else PAN_ONLY
};

/// What the admin calls act on. What lies in rooms beside this one comes as functions; all are set,
/// and what they refer to outlives the routes.
struct AdminBackend {
  World* world = nullptr;
  const Addresses* addresses = nullptr;
  /// Moves the clock ahead, and ends when what was due on the way has happened.
  std::function<boost::asio::awaitable<void>(Millis by)> advance;
  /// Adds that many orders to a project; gives how many there was room for.
  std::function<std::size_t(const Project& project, std::size_t count)> seed;
  /// Attempts at webhooks, oldest first.
  std::function<boost::json::array()> deliveries;
  /// The fault plan in force, with what it has hit so far.
  std::function<boost::json::value()> fault_plan;
  /// Puts a plan in place of the one in force; an empty one ends all faults. A plan that is refused
  /// changes nothing.
  std::function<Result<void>(const boost::json::object& plan)> set_fault_plan;
  /// Forgets what is not in the world: deliveries, webhooks under way, hits of faults.
  std::function<void()> clear_rest;
  /// walletPayMessage of a card.
  std::function<std::string(const WalletBEntry& card)> wallet_b_message;
  /// Names of all routes, as fault plans and the ledger use them; asked when the call comes, since
  /// these routes are among them.
  std::function<std::vector<std::string_view>()> operations;
};

/// GET  /_sandbox/ledger, changes, reads, deliveries, orders?limit=N&after=ID, clock, faults,
///      operations, projects, cards, payment-links
/// POST /_sandbox/clock {"advance": "PT5M"}, /_sandbox/faults (a plan), /_sandbox/reset,
///      /_sandbox/seed {"orders": N, "project"?: name},
///      /_sandbox/orders/{}/pay {"outcome": ..., "amount"?: n},
///      /_sandbox/orders/{}/extra (any text up to 1 MiB, which the order then shows as its extra),
///      /_sandbox/wallet-b-message {"pan", "expirationMonth", "expirationYear", "authMethod"}
/// Errors: 400 for what is no JSON, 422 naming the field, 404 for an order or project that is not
/// there, 409 where an order's state forbids the outcome.
std::vector<Route> AdminRoutes(AdminBackend backend);

/// The most that one call moves the clock.
inline constexpr Millis kLongestAdvance = std::chrono::hours(24 * 400);
/// Orders that GET /_sandbox/orders gives by default, and at most: the newest, or with `after` the
/// oldest of those that were made after that order. After nothing (`after=`) come all.
inline constexpr std::size_t kDefaultOrdersListed = 1'000;
inline constexpr std::size_t kMaxOrdersListed = 10'000;

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_ADMIN_ADMIN_ROUTES_H_
