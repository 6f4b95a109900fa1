#ifndef TOLLBRIDGE_SERVICES_EVENTS_ROOT_FINDER_H_
#define TOLLBRIDGE_SERVICES_EVENTS_ROOT_FINDER_H_

#include <absl/status/status.h>

#include <boost/asio/awaitable.hpp>

#include "base/core/uuid.h"
#include "base/telemetry/span.h"
#include "services/domain/project.h"
#include "services/events/order_fetcher.h"
#include "services/events/read_result.h"
#include "services/ports/clock.h"
#include "services/ports/snapshot_store.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::events {

/// So many links lead from an order to its root at most (docs/design/events.md#family).
inline constexpr int kMaxHops = 5;

/// Finds the root of the family that an order belongs to. One shard.
class RootFinder {
 public:
  struct Found {
    /// kDone, or why not: kFailed for a loop, a sixth hop, a link that is no order id, or a parent
    /// that is not found.
    ReadOutcome outcome = ReadOutcome::kDone;
    absl::Status cause;
    /// Says with kFailed that a parent is not found.
    bool no_parent = false;
    /// It is set with kDone: the order itself when it was made from no other that is there.
    Uuid root;
  };

  struct Request {
    const domain::Project& project;
    Uuid order;
    /// A parent that is not found is gone, and who was made from it is the root. Else kFailed.
    bool parent_may_be_gone = false;
    telemetry::TraceContext trace;
  };

  RootFinder(OrderFetcher& fetcher, ports::SnapshotStore& snapshots, ports::Clock& clock)
      : fetcher_(fetcher), snapshots_(snapshots), clock_(clock) {}

  /// Follows the links of `order`, which is that of the request. Asks the store at each of them
  /// first: a parent that is a member of a family tells its root, one with a snapshot is the root.
  boost::asio::awaitable<Found> Find(const Request& request, const common::v1::Order& order);

 private:
  OrderFetcher& fetcher_;
  ports::SnapshotStore& snapshots_;
  ports::Clock& clock_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_ROOT_FINDER_H_
