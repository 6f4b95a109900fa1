#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_WATCH_ORDER_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_WATCH_ORDER_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/operations/stream.h"
#include "services/payments/options.h"
#include "services/ports/clock.h"
#include "services/ports/order_changes.h"
#include "services/ports/payment_service.h"
#include "services/ports/snapshot_store.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Where a watcher's orders go: the stream to its caller.
using OrderStream = operations::Stream<v1::WatchOrderResponse>;

/// WatchOrder, for all watchers of a shard. Those of one order share its reads: a hint costs one
/// read of the order, however many watch it.
///
/// A watcher gets the order as a read shows it that began after the watch did, then each state that
/// differs in anything its caller can see, `modified` included, and never the same twice in a row.
/// One that is slow to take them skips states and gets the latest. A read that fails after the
/// first is made again at the next interval, and ends no watch. A member of a family is looked at
/// with its root. An order without a snapshot is read at each interval. So is every order while the
/// store cannot be asked: a read needs no store.
///
/// `final` is what the order's own status says: completed, cancelled, expired or error
/// (docs/interface.md#states-and-transitions). An order in own checkout that is still processing is
/// not final although its transaction is, and its watcher sees the transaction's end at once. An
/// order in error can become completed at some brands (docs/interface.md#24-orders-in-error): the
/// watch has ended then, and the event on Kafka tells.
///
/// Used on its shard only.
class OrderWatchers {
 public:
  struct Ports {
    ports::PaymentService& service;
    ports::SnapshotStore& snapshots;
    ports::OrderChanges& changes;
    ports::Clock& clock;
  };

  /// `draining`: whether the process is about to end.
  OrderWatchers(Ports ports, std::function<bool()> draining, WatchSettings settings);
  ~OrderWatchers();
  OrderWatchers(const OrderWatchers&) = delete;
  OrderWatchers& operator=(const OrderWatchers&) = delete;

  /// Watches until the order is final: OK. DEADLINE_EXCEEDED NOT_SENT at the deadline, CANCELLED
  /// when the caller has gone, UNAVAILABLE SHUTTING_DOWN when the process drains, each within
  /// `patrol`; the errors of GetOrder when the order cannot be read at first.
  AsyncStatus Watch(const domain::Project& project, const v1::WatchOrderRequest& request,
                    BootTime deadline, OrderStream& stream);

  /// Orders that are being watched, for tests.
  std::size_t orders() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_WATCH_ORDER_H_
