#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_LEASE_SWEEPER_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_LEASE_SWEEPER_H_

#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "services/ports/clock.h"
#include "services/ports/operation_store.h"
#include "services/telemetry/metrics.h"

namespace tollbridge::operations {

/// Closes operations whose owner died (operations.md, rule 9): RUNNING with SENT becomes UNKNOWN,
/// without SENT NOT_EXECUTED. Every process may run one; the store's scripts let only one win. Used
/// on one shard; the ports outlive it.
class LeaseSweeper {
 public:
  LeaseSweeper(boost::asio::any_io_executor executor, ports::OperationStore& store,
               ports::Clock& clock, telemetry::Metrics& metrics, ports::Millis interval,
               ports::Millis store_timeout);
  ~LeaseSweeper();
  LeaseSweeper(const LeaseSweeper&) = delete;
  LeaseSweeper& operator=(const LeaseSweeper&) = delete;

  /// Sweeps now and then every interval, until Stop.
  void Start();
  /// Ends the sweeping. A pass that is at the store ends with it. Idempotent.
  void Stop();

 private:
  struct Loop;

  boost::asio::any_io_executor executor_;
  /// Outlives the sweeper in the coroutine.
  std::shared_ptr<Loop> loop_;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_LEASE_SWEEPER_H_
