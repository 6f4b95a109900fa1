#include "services/search/paging.h"

#include <algorithm>
#include <string>
#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/search/errors.h"

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

/// Orders on the page, with those that cannot be read.
std::int64_t Count(const common::v1::OrderSearchResult& found) {
  return std::int64_t{found.orders_size()} + found.unreadable_size();
}

/// How many orders the page was asked for in the end.
std::int64_t AskedSize(const common::v1::OrderSearchResult& found, std::int64_t size) {
  return found.has_asked_size() ? found.asked_size() : size;
}

/// Whether nothing follows `found`, with which `seen` orders have been shown. Hits alone do not
/// tell: orders that were shown may have left the result meanwhile, and others follow. Nor does a
/// short page: the service may give smaller ones than the `asked` for.
bool IsLast(const common::v1::OrderSearchResult& found, std::int64_t asked, const PagePlace& place,
            std::int64_t seen) {
  if (Count(found) == 0) return true;
  if (!found.has_hits() || seen < found.hits()) return false;
  const bool nothing_left = place.seen == 0 || found.hits() == place.hits_at_first;
  return nothing_left || Count(found) < asked;
}

absl::StatusOr<PagePlace> After(const common::v1::OrderSearchResult& found, const SearchKey& key,
                                const PagePlace& place, std::int64_t seen) {
  PagePlace next{.seen = seen, .hits_at_first = place.hits_at_first};
  if (place.seen == 0) next.hits_at_first = found.has_hits() ? found.hits() : -1;
  if (key.sort != kSortById) return next;
  const std::string& cursor = found.search_after();
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
    TB_CO_ASSIGN_OR_RETURN(page.found, co_await service.SearchOrders(project, search, context));
    size = AskedSize(page.found, size);
    const std::int64_t count = Count(page.found);
    if (page.found.ByteSizeLong() <= max_bytes || count <= 1) break;
    size = std::min(size, count) / 2;
  }
  const std::int64_t seen = place.seen + Count(page.found);
  if (!IsLast(page.found, size, place, seen)) {
    TB_CO_ASSIGN_OR_RETURN(page.next, After(page.found, key, place, seen));
    // The next may be as heavy, or not: twice as many are tried, not all of them at once.
    if (size < key.page_size) page.next->at_first = 2 * size;
  }
  co_return page;
}

}  // namespace tollbridge::search
