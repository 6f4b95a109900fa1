#ifndef TOLLBRIDGE_SERVICES_SEARCH_PAGING_H_
#define TOLLBRIDGE_SERVICES_SEARCH_PAGING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/order_page.h"
#include "services/ports/payment_service.h"
#include "services/search/page_token.h"

namespace tollbridge::search {

/// The one order of results in which every one of them can be reached: ids are unique, so that a
/// cursor skips nothing.
inline constexpr std::string_view kSortById = "id asc";
/// Orders in a page where nobody asks for another number.
inline constexpr std::int64_t kDefaultPageSize = 100;
/// What simple paging shows (docs/interface.md#limits).
inline constexpr std::int64_t kMaxSimplePaging = 10'000;

/// Most bytes of the orders in one answer: with what else is in it, callers that keep to gRPC's
/// default of 4 MiB can read it.
inline constexpr std::size_t kMaxAnswerBytes = (std::size_t{4} << 20) - (std::size_t{128} << 10);

/// One page of a search.
struct Page {
  ports::OrderPage found;
  /// Where the next page begins; nullopt on the last.
  std::optional<PagePlace> next;
};

/// Asks for one page: by `id asc` behind the cursor, by any other order of results at an offset,
/// since a cursor on values that several orders share would skip some. Asks again for the first
/// half of a page of more than `max_bytes`, and so on; a single order is never too much. Errors:
/// what
/// PaymentService::ListOrders answers; OUT_OF_RANGE TOO_MANY_RESULTS, without asking, where the
/// page ends beyond simple paging; DATA_LOSS UPSTREAM_UNREADABLE when the cursor does not advance.
Async<Page> ReadPage(ports::PaymentService& service, const domain::Project& project,
                     const SearchKey& key, const PagePlace& place, const ports::Context& context,
                     std::size_t max_bytes);

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_PAGING_H_
