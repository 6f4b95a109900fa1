#ifndef TOLLBRIDGE_SERVICES_SEARCH_STREAM_ORDERS_H_
#define TOLLBRIDGE_SERVICES_SEARCH_STREAM_ORDERS_H_

#include <chrono>
#include <functional>

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::search {

/// Takes the next message of a stream and returns when the flow control allows another; an error,
/// CANCELLED when the caller has gone, ends the stream. The message lives as long as the coroutine.
template <typename Response>
using StreamSink = std::function<AsyncStatus(const Response&)>;

/// How long one page may take, all its attempts together. The caller's deadline bounds the whole.
inline constexpr std::chrono::seconds kPageTimeout{15};

/// Search.StreamOrders: every order that matches, sorted by id, each once, as callers see it
/// (order_view.h). The next page is asked for when the last one is taken, so that a slow reader
/// slows the reading, and one page is in memory. Errors: INVALID_ARGUMENT for a project that is not
/// configured; what ReadPage answers (paging.h), and DATA_LOSS UPSTREAM_UNREADABLE for an order
/// that comes out of its place; the sink's.
AsyncStatus StreamOrders(ports::PaymentService& service, const ports::Clock& clock,
                         const domain::Projects& projects, const v1::StreamOrdersRequest& request,
                         const ports::Context& context,
                         const StreamSink<v1::StreamOrdersResponse>& sink);

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_STREAM_ORDERS_H_
