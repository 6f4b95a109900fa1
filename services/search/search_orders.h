#ifndef TOLLBRIDGE_SERVICES_SEARCH_SEARCH_ORDERS_H_
#define TOLLBRIDGE_SERVICES_SEARCH_SEARCH_ORDERS_H_

#include <optional>
#include <string_view>

#include "base/core/async.h"
#include "services/domain/encoded.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "services/search/page_token.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::search {

/// What a page_token must be.
inline constexpr std::string_view kTokenRule =
    "must be the next_page_token of an answer to the same project, query, page_size and sort";

/// Where the page of this request begins; nullopt when its page_token is none of this search. The
/// query passes CheckQuery.
std::optional<PagePlace> PlaceOf(const v1::SearchOrdersRequest& request,
                                 const domain::Project& project);

/// Search.SearchOrders: one page of the orders that match, as callers see them (order_view.h).
/// Errors are those of ReadPage (paging.h). The request fulfils SearchOrdersViolations.
Async<domain::Encoded<v1::SearchOrdersResponse>> SearchOrders(
    ports::PaymentService& service, const domain::Project& project,
    const v1::SearchOrdersRequest& request, ports::Context context);

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_SEARCH_ORDERS_H_
