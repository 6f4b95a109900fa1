#include "services/search/paging.h"

#include <string>
#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/search/errors.h"

namespace tollbridge::search {
namespace {

common::v1::OrderSearch ToSearch(const SearchKey& key, const PagePlace& place) {
  common::v1::OrderSearch search;
  search.set_query(key.query);
  search.set_size(key.page_size);
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
/// short page: the service may give smaller ones than were asked for.
bool IsLast(const common::v1::OrderSearchResult& found, const SearchKey& key,
            const PagePlace& place, std::int64_t seen) {
  if (found.orders_size() == 0) return true;
  if (!found.has_hits() || seen < found.hits()) return false;
  const bool nothing_left = place.seen == 0 || found.hits() == place.hits_at_first;
  return nothing_left || found.orders_size() < key.page_size;
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
                     const SearchKey& key, const PagePlace& place, const ports::Context& context) {
  if (key.sort != kSortById && place.seen + key.page_size > kMaxSimplePaging) {
    co_return TooManyResults(
        "sorted like this, the payment service shows 10,000 orders at most (simple paging): sort "
        "by \"id asc\", which has no such bound, or ask for a narrower query");
  }
  const common::v1::OrderSearch search = ToSearch(key, place);
  TB_CO_ASSIGN_OR_RETURN(common::v1::OrderSearchResult found,
                         co_await service.SearchOrders(project, search, context));
  Page page;
  page.found = std::move(found);
  const std::int64_t seen = place.seen + page.found.orders_size();
  if (!IsLast(page.found, key, place, seen)) {
    TB_CO_ASSIGN_OR_RETURN(page.next, After(page.found, key, place, seen));
  }
  co_return page;
}

}  // namespace tollbridge::search
