#ifndef TOLLBRIDGE_SERVICES_ORDERS_CREATE_ORDER_EVIDENCE_H_
#define TOLLBRIDGE_SERVICES_ORDERS_CREATE_ORDER_EVIDENCE_H_

#include <cstddef>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "services/operations/evidence.h"
#include "services/ports/payment_service.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::orders {

/// The orders that carry the mark of an operation, of any epoch and attempt.
struct MarkedOrders {
  std::vector<common::v1::Order> ours;
  std::size_t read = 0;  ///< candidates
  /// Why there may be more: a search or a candidate that could not be read. Empty: these are all
  /// that the service shows.
  std::string unread;
};

/// Reads what was seen, and the candidates: those of the request, else what a search by
/// merchant_order_id finds.
boost::asio::awaitable<MarkedOrders> FindMarkedOrders(ports::PaymentService& service,
                                                      const operations::LookRequest& request);

/// The oldest that is not expired, else the oldest. `orders` is not empty.
const common::v1::Order& OldestOpen(const std::vector<common::v1::Order>& orders);

/// The step `create_order` (docs/design/operations.md#evidence). It happened when the GET of a
/// candidate shows our mark, of any epoch and attempt. Candidates: those of the request, else a
/// search by merchant_order_id. Of several orders of ours the oldest that is not expired is taken.
/// A candidate that cannot be read leaves it undecided, unless another is ours. The result is a
/// common.v1.Order.
const operations::StepKind& CreateOrderStep();

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_CREATE_ORDER_EVIDENCE_H_
