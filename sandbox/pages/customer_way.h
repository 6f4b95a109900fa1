#ifndef TOLLBRIDGE_SANDBOX_PAGES_CUSTOMER_WAY_H_
#define TOLLBRIDGE_SANDBOX_PAGES_CUSTOMER_WAY_H_

#include <string>

#include "sandbox/core/model.h"
#include "sandbox/wire/order_json.h"

/// Where a customer goes from page to page, and at the end. Every address is one of our pages, or
/// the order's return_url or failure_url.
namespace tollbridge::sandbox {

/// The order's address to go on to; "" when it has none, or none that a browser may be sent to.
std::string ShopAddress(const Order& order);

/// The page that shows where an attempt stands: its form, its challenge, the choice of a method
/// once it has failed and another can be tried, else the result.
std::string PageOf(const Order& order, const Transaction& transaction, const Addresses& addresses);

/// Where the customer goes after having done something about an attempt: PageOf, and once there is
/// nothing more to do the shop, where it has an address.
std::string WayAfter(const Order& order, const Transaction& transaction,
                     const Addresses& addresses);

/// As WayAfter, for an order that is over.
std::string WayOut(const Order& order, const Addresses& addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_CUSTOMER_WAY_H_
