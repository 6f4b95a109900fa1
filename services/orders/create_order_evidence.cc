#include "services/orders/create_order_evidence.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <boost/asio/awaitable.hpp>

#include "base/core/status_macros.h"
#include "services/domain/mark.h"
#include "services/domain/timestamps.h"
#include "services/operations/scan.h"
#include "services/orders/order_evidence.h"

namespace tollbridge::orders {
namespace {

using common::v1::Order;
using operations::Finding;
using operations::LookRequest;

/// A merchant's reference is meant to be unique; one that this many orders share does not find
/// anything.
constexpr operations::PageBounds kSearchBounds{.page_size = 100, .max_pages = 10};

/// Ids of the orders that the search by the reference finds, but for those that show the mark of
/// another operation: marks do not change.
Async<std::vector<std::string>> Search(ports::PaymentService& service, const LookRequest& request) {
  const std::string& reference = request.step.merchant_order_id;
  const std::string query = "merchant_order_id:" + operations::QuotedValue(reference);
  std::vector<std::string> ids;
  const std::function<void(const Order&)> take = [&](const Order& order) {
    const std::optional<domain::Mark> mark = domain::MarkOf(order);
    if (mark.has_value() && mark->operation != request.operation) return;
    if (order.has_merchant_order_id() && order.merchant_order_id() != reference) return;
    if (Uuid::Parse(order.id()).has_value()) ids.push_back(order.id());
  };
  TB_CO_RETURN_IF_ERROR(co_await operations::SearchAll(service, *request.project, query,
                                                       kSearchBounds, take, request.context));
  co_return ids;
}

std::vector<std::string> FromScan(const LookRequest& request) {
  std::vector<std::string> ids;
  for (const operations::Candidate& candidate : *request.candidates) {
    // Without a reference it may be any order's.
    if (candidate.merchant_order_id.empty() || request.step.merchant_order_id.empty() ||
        candidate.merchant_order_id == request.step.merchant_order_id) {
      ids.push_back(candidate.order_id);
    }
  }
  return ids;
}

/// Ids of the orders that may carry the mark; not OK: why that cannot be said.
Async<std::vector<std::string>> Candidates(ports::PaymentService& service,
                                           const LookRequest& request) {
  if (request.candidates != nullptr) co_return FromScan(request);
  if (request.step.merchant_order_id.empty()) {
    co_return absl::UnavailableError("no reference to search by");
  }
  absl::StatusOr<std::vector<std::string>> found = co_await Search(service, request);
  if (found.ok()) co_return found;
  co_return absl::UnavailableError(absl::StrCat(
      "orders cannot be searched: ", std::string(absl::StatusCodeToString(found.status().code()))));
}

/// Reads the orders, and keeps those that carry the mark.
boost::asio::awaitable<void> ReadMarked(ports::PaymentService& service, const LookRequest& request,
                                        const std::vector<std::string>& ids, MarkedOrders& marked) {
  marked.read += ids.size();
  for (const std::string& id : ids) {
    absl::StatusOr<Order> order = co_await ReadOrder(service, request, id);
    if (!order.ok()) {
      marked.unread = CannotRead(id, order.status());
      continue;
    }
    const std::optional<domain::Mark> mark = domain::MarkOf(*order);
    if (mark.has_value() && mark->operation == request.operation) {
      marked.ours.push_back(*std::move(order));
    }
  }
}

/// Adds those of the candidates; what was seen has been read.
boost::asio::awaitable<void> ReadCandidates(ports::PaymentService& service,
                                            const LookRequest& request, MarkedOrders& marked) {
  absl::StatusOr<std::vector<std::string>> ids = co_await Candidates(service, request);
  if (!ids.ok()) {
    marked.unread = std::string(ids.status().message());
    co_return;
  }
  std::erase_if(*ids, [&](const std::string& id) {
    return std::ranges::any_of(request.seen_orders,
                               [&](const std::string& seen) { return SameId(seen, id); });
  });
  co_await ReadMarked(service, request, *ids, marked);
}

Finding Judge(const MarkedOrders& found) {
  if (!found.ours.empty()) {
    const Order& adopted = OldestOpen(found.ours);
    std::string reason = absl::StrCat("order ", adopted.id(), " carries the mark");
    if (found.ours.size() > 1) {
      absl::StrAppend(&reason, ", and ", found.ours.size() - 1, " more");
    }
    return Present(std::make_shared<Order>(adopted), std::move(reason));
  }
  if (!found.unread.empty()) return Undecided(found.unread);
  return Absent(absl::StrCat("none of ", found.read, " candidates carries the mark"));
}

boost::asio::awaitable<Finding> LookForCreated(ports::PaymentService& service,
                                               const LookRequest& request) {
  // Events tell of what was seen: it is the outcome, whatever else carries the mark.
  MarkedOrders found;
  co_await ReadMarked(service, request, request.seen_orders, found);
  if (found.ours.empty()) co_await ReadCandidates(service, request, found);
  co_return Judge(found);
}

}  // namespace

const Order& OldestOpen(const std::vector<Order>& orders) {
  const auto rank = [](const Order& order) {
    const bool expired = order.status() == common::v1::ORDER_STATUS_EXPIRED;
    return std::tuple(expired, !order.has_created(), domain::ToWallTime(order.created()),
                      std::string_view(order.id()));
  };
  return *std::ranges::min_element(orders, {}, rank);
}

boost::asio::awaitable<MarkedOrders> FindMarkedOrders(ports::PaymentService& service,
                                                      const LookRequest& request) {
  MarkedOrders marked;
  // A reader may know them before the search does, or though it fails.
  co_await ReadMarked(service, request, request.seen_orders, marked);
  co_await ReadCandidates(service, request, marked);
  co_return marked;
}

const operations::StepKind& CreateOrderStep() {
  static const operations::StepKind kind{
      .name = "create_order",
      .look = LookForCreated,
      .on_absence = operations::OnAbsence::kNotExecuted,
      .by_search = true,
      .late_effect_is_orphan = true,
  };
  return kind;
}

}  // namespace tollbridge::orders
