#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_SCAN_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_SCAN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/operations/evidence.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"

namespace tollbridge::operations {

/// How much one search may read. What does not fit is an error, since half an answer would pass
/// for absence.
struct PageBounds {
  std::int64_t page_size = 100;
  int max_pages = 20;
};

/// Gives every order that matches to `visit`, sort `id asc`, page by page behind a cursor
/// (docs/interface.md#search-orders). An error when a page cannot be read, the cursor stands still
/// (DATA_LOSS) or the bounds are reached (RESOURCE_EXHAUSTED).
AsyncStatus SearchAll(ports::PaymentService& service, const domain::Project& project,
                      const std::string& query, const PageBounds& bounds,
                      const std::function<void(const common::v1::Order&)>& visit,
                      const ports::Context& context);

/// The orders created in a period, for look-ups of several create steps at once: one paged search,
/// sort `id asc`. `from` and `to` bound Order.created.
boost::asio::awaitable<absl::StatusOr<std::vector<Candidate>>> ScanCreated(
    ports::PaymentService& service, const domain::Project& project, WallTime from, WallTime to,
    const ports::Context& context);

/// `text` as a quoted value of a query: `"` and `\` escaped.
std::string QuotedValue(std::string_view text);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_SCAN_H_
