#ifndef TOLLBRIDGE_SERVICES_SEARCH_STREAM_ORDERS_H_
#define TOLLBRIDGE_SERVICES_SEARCH_STREAM_ORDERS_H_

#include <chrono>

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/operations/stream.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::search {

using operations::StreamSink;

/// How long one page may take, all its attempts together. The caller's deadline bounds the whole.
inline constexpr std::chrono::seconds kPageTimeout{15};

/// Search.StreamOrders: every order that matches, sorted by id, each once, as callers see it
/// (order_view.h). The next page is asked for when the last one is taken, so that a slow reader
/// slows the reading, and one page is in memory. Errors: what ReadPage answers (paging.h), and
/// DATA_LOSS UPSTREAM_UNREADABLE for an order that comes out of its place; the sink's.
AsyncStatus StreamOrders(ports::PaymentService& service, const ports::Clock& clock,
                         const domain::Project& project, const v1::StreamOrdersRequest& request,
                         const ports::Context& context,
                         const StreamSink<v1::StreamOrdersResponse>& sink);

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_STREAM_ORDERS_H_
