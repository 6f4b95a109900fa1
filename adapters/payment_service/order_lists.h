#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_LISTS_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_LISTS_H_

#include <absl/status/status.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::payment_service {

/// Largest order that a list shows, in bytes of its message: with what else an answer holds, one
/// such stays below the 4 MiB that callers take.
inline constexpr std::size_t kMaxListedOrder = std::size_t{3} << 20;

/// Whether the answer lists that many orders: as a bare array, or in the member `orders` of an
/// object (none: an empty list). The codec passes over elements that are no objects, and a list
/// that lost one is not a shorter list. Reads the body a second time, which is needed rarely.
bool ListsOrders(std::string_view body, std::size_t count);

/// The sort value in the last order of a search answer, which some services put there as `sort`
/// instead of as `search_after` beside the orders (docs/interface.md#13-search-response): a text, a
/// whole number, or an array of one such. nullopt when there is none. Reads the body again.
std::optional<std::string> SortOfLastOrder(std::string_view body);

/// Reads a page of a search into `*page`, which is as the codec left it. Where the codec took all
/// of it, that is the page. Else each order is read by itself: one that cannot be is put into
/// `unreadable`, the others name their unreadable fields, and the page goes on. DATA_LOSS when even
/// the list cannot be told from what is around it.
absl::Status ReadOneByOne(std::string_view body, common::v1::OrderSearchResult* page);

/// Whether a page that the codec has read is to be read one by one all the same: an order has no
/// id, or is larger than kMaxListedOrder.
bool HasUnlistable(const common::v1::OrderSearchResult& page);

/// Names in each order of a bare array what could not be read of it. `*list` is what the codec made
/// of `body`, no element of which it has passed over.
void NameUnreadable(std::string_view body, common::v1::RefundList* list);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_LISTS_H_
