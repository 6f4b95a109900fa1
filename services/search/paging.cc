#include "services/search/paging.h"

#include <algorithm>
#include <string>
#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/search/errors.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::search {
namespace {

common::v1::OrderSearch ToSearch(const SearchKey& key, const PagePlace& place, std::int64_t size) {
  common::v1::OrderSearch search;
  search.set_query(key.query);
  search.set_size(size);
  search.set_sort(key.sort);
  if (key.sort == kSortById) {
    search.set_search_after(place.cursor);
  } else {
    search.set_start(place.seen);
  }
  return search;
}

/// Whether nothing follows `found`, with which `seen` orders have been shown. Hits alone do not
/// tell: orders that were shown may have left the result meanwhile, and others follow. Nor does a
/// short page: the service may give smaller ones than the `asked` for.
bool IsLast(const ports::OrderPage& found, std::int64_t asked, const PagePlace& place,
            std::int64_t seen) {
  if (found.count() == 0) return true;
  if (!found.hits || seen < *found.hits) return false;
  const bool nothing_left = place.seen == 0 || found.hits == place.hits_at_first;
  return nothing_left || found.count() < asked;
}

absl::StatusOr<PagePlace> After(const ports::OrderPage& found, const SearchKey& key,
                                const PagePlace& place, std::int64_t seen) {
  PagePlace next{.seen = seen, .hits_at_first = place.hits_at_first};
  if (place.seen == 0) next.hits_at_first = found.hits.value_or(-1);
  if (key.sort != kSortById) return next;
  const std::string cursor = found.search_after.value_or("");
  if (cursor.empty() || cursor == place.cursor || cursor.size() > kMaxCursorBytes) {
    return Unreadable("the search does not say where its next page begins");
  }
  next.cursor = cursor;
  return next;
}

}  // namespace

Async<Page> ReadPage(ports::PaymentService& service, const domain::Project& project,
                     const SearchKey& key, const PagePlace& place, const ports::Context& context,
                     std::size_t max_bytes) {
  if (key.sort != kSortById && place.seen + key.page_size > kMaxSimplePaging) {
    co_return TooManyResults(
        "sorted like this, the payment service shows 10,000 orders at most (simple paging): sort "
        "by \"id asc\", which has no such bound, or ask for a narrower query");
  }
  std::int64_t size = place.at_first > 0 ? std::min(place.at_first, key.page_size) : key.page_size;
  Page page;
  for (;;) {
    const common::v1::OrderSearch search = ToSearch(key, place, size);
    TB_CO_ASSIGN_OR_RETURN(page.found, co_await service.ListOrders(project, search, context));
    size = page.found.asked_size.value_or(size);
    const std::int64_t count = page.found.count();
    if (page.found.bytes() <= max_bytes || count <= 1) break;
    size = std::min(size, count) / 2;
  }
  const std::int64_t seen = place.seen + page.found.count();
  if (!IsLast(page.found, size, place, seen)) {
    TB_CO_ASSIGN_OR_RETURN(page.next, After(page.found, key, place, seen));
    // The next may be as heavy, or not: twice as many are tried, not all of them at once.
    if (size < key.page_size) page.next->at_first = 2 * size;
  }
  co_return page;
}

}  // namespace tollbridge::search
