#ifndef TOLLBRIDGE_SERVICES_SEARCH_QUERY_H_
#define TOLLBRIDGE_SERVICES_SEARCH_QUERY_H_

#include <string>

#include "services/orders/request_rules.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::search {

/// What a query breaks beyond the rules of its fields. `path` is where it stands in its request.
void CheckQuery(const v1::OrderQuery& query, const std::string& path, orders::Violations& out);

/// The query in the payment service's language (docs/interface.md#search-orders). It uses only what
/// is shown there and in docs/interface.md#8-what-can-be-searched: field:value with the fields id,
/// merchant_order_id, status and created, a range with both ends, terms joined by AND, and `*` for
/// all orders. `query` passes CheckQuery.
std::string CompileQuery(const v1::OrderQuery& query);

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_QUERY_H_
