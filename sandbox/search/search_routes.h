#ifndef TOLLBRIDGE_SANDBOX_SEARCH_SEARCH_ROUTES_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_SEARCH_ROUTES_H_

#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// POST /v1/search/orders/ (section of that name). Body: search_request.h. It only reads: a key
/// that may not change anything may search.
///
/// The answer, of the caller's project only, is
///
///     {"hits": n, "orders": [...], "search_after": "<sort value of the last order>"}
///
/// `hits` counts the whole result; `search_after` is absent on an empty page. With ?format=csv it
/// is the whole result as a report, streamed: csv_report.h.
///
/// With Settings::index_lag the index is that old: an order comes in late, and shows an older
/// state. Orders::KeepHistory must then keep at least as much.
std::vector<Route> SearchRoutes(World* world, const Addresses* addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_SEARCH_ROUTES_H_
