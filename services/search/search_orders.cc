#include "services/search/search_orders.h"

#include <string>
#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/orders/order_view.h"
#include "services/search/paging.h"
#include "services/search/query.h"

namespace tollbridge::search {
namespace {

SearchKey KeyOf(const v1::SearchOrdersRequest& request, const domain::Project& project) {
  return {.project = project.name,
          .query = CompileQuery(request.query()),
          .sort = request.has_sort() ? request.sort() : std::string(kSortById),
          .page_size = request.has_page_size() ? request.page_size() : kDefaultPageSize};
}

}  // namespace

std::optional<PagePlace> PlaceOf(const v1::SearchOrdersRequest& request,
                                 const domain::Project& project) {
  if (!request.has_page_token()) return PagePlace();
  return ReadPageToken(KeyOf(request, project), request.page_token());
}

Async<v1::SearchOrdersResponse> SearchOrders(ports::PaymentService& service,
                                             const domain::Project& project,
                                             const v1::SearchOrdersRequest& request,
                                             ports::Context context) {
  const SearchKey key = KeyOf(request, project);
  const std::optional<PagePlace> place = PlaceOf(request, project);
  TB_CO_ASSIGN_OR_RETURN(
      Page page, co_await ReadPage(service, project, key, *place, context, kMaxAnswerBytes));
  v1::SearchOrdersResponse response;
  *response.mutable_orders() = std::move(*page.found.mutable_orders());
  for (common::v1::Order& order : *response.mutable_orders()) orders::MakeForCaller(order);
  *response.mutable_unreadable_orders() = std::move(*page.found.mutable_unreadable());
  if (page.found.has_hits()) response.set_total_hits(page.found.hits());
  if (page.next) response.set_next_page_token(MakePageToken(key, *page.next));
  co_return response;
}

}  // namespace tollbridge::search
