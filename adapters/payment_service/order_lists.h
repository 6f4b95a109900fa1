#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_LISTS_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_LISTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tollbridge::payment_service {

// What the codec does not tell about answers that are lists of orders. Both read the body a second
// time, which is needed rarely.

/// Whether the answer lists that many orders: as a bare array, or in the member `orders` of an
/// object (none: an empty list). The codec passes over elements that are no objects, and a list
/// that lost one is not a shorter list.
bool ListsOrders(std::string_view body, std::size_t count);

/// The sort value in the last order of a search answer, which some services put there as `sort`
/// instead of as `search_after` beside the orders (docs/interface.md#13-search-response): a text, a
/// whole number, or an array of one such. nullopt when there is none.
std::optional<std::string> SortOfLastOrder(std::string_view body);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_LISTS_H_
