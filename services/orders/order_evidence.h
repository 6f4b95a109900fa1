#ifndef TOLLBRIDGE_SERVICES_ORDERS_ORDER_EVIDENCE_H_
#define TOLLBRIDGE_SERVICES_ORDERS_ORDER_EVIDENCE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/core/async.h"
#include "services/operations/evidence.h"
#include "services/ports/clock.h"
#include "tollbridge/common/v1/order.pb.h"

/// What all look-ups share (docs/design/operations.md#evidence): reading orders, and wording what
/// was seen in ids and words of our own.
namespace tollbridge::orders {

operations::Finding Present(std::shared_ptr<const google::protobuf::Message> result,
                            std::string reason);
operations::Finding Absent(std::string reason);
operations::Finding NoTarget(std::string reason);
operations::Finding Undecided(std::string reason);
operations::Finding Ambiguous(std::string reason);

/// `order <id> cannot be read: NOT_FOUND ORDER_NOT_FOUND`.
std::string CannotRead(std::string_view order_id, const absl::Status& error);

/// What the error of a read says of the order that a step is about: kNoTarget when the payment
/// service says that the project has none of that id, else kUndecided.
operations::Finding Unread(std::string_view order_id, const absl::Status& error);

/// Whether both are UUIDs and the same one, in upper or lower case.
bool SameId(std::string_view a, std::string_view b);

/// GET of an order. DATA_LOSS when the answer holds another one.
Async<common::v1::Order> ReadOrder(ports::PaymentService& service,
                                   const operations::LookRequest& request,
                                   const std::string& order_id);

/// nullptr when the order has none of that id.
const common::v1::Transaction* FindTransaction(const common::v1::Order& order,
                                               std::string_view transaction_id);

/// What an order says that shows no transaction of that id: kNoTarget; kUndecided where it shows
/// none at all, or one whose id cannot be read, since then ours may be it.
operations::Finding WithoutTransaction(const common::v1::Order& order,
                                       std::string_view transaction_id);

/// When an order was made, compared with when the step was sent.
enum class Age {
  kSince,       ///< not earlier; compared in whole seconds where the service writes them
  kJustBefore,  ///< earlier by so little that clocks may disagree
  kBefore,
  kUnknown,  ///< one of the two is not known
};
Age AgeOf(const common::v1::Order& order, std::optional<WallTime> sent_at);

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_ORDER_EVIDENCE_H_
