#ifndef TOLLBRIDGE_SERVICES_SEARCH_EXPORT_ORDERS_H_
#define TOLLBRIDGE_SERVICES_SEARCH_EXPORT_ORDERS_H_

#include <cstddef>

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "services/search/stream_orders.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::search {

/// Most bytes of the report in one message.
inline constexpr std::size_t kMaxChunkBytes = 64 * 1024;

/// Search.ExportOrders: the CSV report byte by byte as the payment service writes it, header
/// included, then its summary. The reading goes at the pace of the sink, and no more is in memory
/// than a chunk and what ReportCounter holds.
///
/// How many orders match is asked before the report begins. A report about fewer ends in DATA_LOSS
/// REPORT_INCOMPLETE instead of the summary (docs/interface.md#16-paging-of-the-report); about more
/// it may be, since orders are made meanwhile. An order that leaves the result meanwhile (by a
/// filter on the status) is missed like a lost one: the call can be repeated.
///
/// Further errors: OUT_OF_RANGE TOO_MANY_RESULTS beyond kMaxReportOrders, before the report is
/// asked for where the search tells; DATA_LOSS UPSTREAM_UNREADABLE for what is no report; what
/// PaymentService::SearchOrders and ReadReport answer; the sink's.
AsyncStatus ExportOrders(ports::PaymentService& service, const domain::Project& project,
                         const v1::ExportOrdersRequest& request, const ports::Context& context,
                         const StreamSink<v1::ExportOrdersResponse>& sink);

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_EXPORT_ORDERS_H_
