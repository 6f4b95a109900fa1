#include "services/operations/scan.h"

#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "services/domain/timestamps.h"
#include "services/operations/evidence.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::operations {
namespace {

constexpr std::string_view kFirstPage = "-1";
constexpr PageBounds kScanBounds{.page_size = 500, .max_pages = 200};

}  // namespace

std::string QuotedValue(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

AsyncStatus SearchAll(ports::PaymentService& service, const domain::Project& project,
                      const std::string& query, const PageBounds& bounds,
                      const std::function<void(const common::v1::Order&)>& visit,
                      const ports::Context& context) {
  common::v1::OrderSearch search;
  search.set_query(query);
  search.set_size(bounds.page_size);
  search.set_sort("id asc");
  search.set_search_after(std::string(kFirstPage));
  std::int64_t seen = 0;
  for (int page = 0; page < bounds.max_pages; ++page) {
    TB_CO_ASSIGN_OR_RETURN(common::v1::OrderSearchResult found,
                           co_await service.SearchOrders(project, search, context));
    for (const common::v1::Order& order : found.orders()) visit(order);
    seen += found.orders_size();
    // Not "fewer than asked for": a service may give smaller pages than that.
    if (found.orders_size() == 0 || (found.has_hits() && seen >= found.hits())) {
      co_return absl::OkStatus();
    }
    if (found.search_after().empty() || found.search_after() == search.search_after()) {
      co_return absl::DataLossError("the search does not say where its next page begins");
    }
    search.set_search_after(found.search_after());
  }
  co_return absl::ResourceExhaustedError("the search finds more orders than are read at once");
}

boost::asio::awaitable<absl::StatusOr<std::vector<Candidate>>> ScanCreated(
    ports::PaymentService& service, const domain::Project& project, WallTime from, WallTime to,
    const ports::Context& context) {
  const std::string query =
      "created:[" + domain::ToRfc3339(from) + " TO " + domain::ToRfc3339(to) + "]";
  std::vector<Candidate> candidates;
  const std::function<void(const common::v1::Order&)> take = [&candidates](
                                                                 const common::v1::Order& order) {
    if (!Uuid::Parse(order.id()).has_value()) return;
    candidates.push_back({.order_id = order.id(), .merchant_order_id = order.merchant_order_id()});
  };
  TB_CO_RETURN_IF_ERROR(co_await SearchAll(service, project, query, kScanBounds, take, context));
  co_return candidates;
}

}  // namespace tollbridge::operations
