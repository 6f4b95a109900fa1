#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_RESOLVER_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_RESOLVER_H_

#include <cstddef>
#include <memory>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/clock.h"
#include "services/ports/operation_registry.h"
#include "services/ports/operation_store.h"
#include "services/ports/payment_service.h"
#include "services/ports/rng.h"
#include "services/ports/unresolved_operations.h"

namespace tollbridge::operations {

/// Ends operations that their owners did not (docs/design/operations.md#rule-4, #rule-6 and
/// #rule-9): closes those whose lease is over, and reads the evidence of those whose outcome is not
/// known. It only reads, and ends in DONE, NOT_EXECUTED or NEEDS_REVIEW. Every process may run one;
/// the store's scripts let only one win. Used on one shard; the ports, plans and projects outlive
/// it.
class Resolver {
 public:
  struct Ports {
    ports::PaymentService& service;
    ports::OperationStore& store;
    ports::UnresolvedOperations& due;
    ports::Clock& clock;
    ports::Rng& rng;
    telemetry::Metrics& metrics;
    ports::OperationRegistry& registry;
  };

  Resolver(boost::asio::any_io_executor executor, const Ports& ports, const Settings& settings,
           const PlanTable& plans, const domain::Projects& projects, const KeySource& keys);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  /// Passes over each project now and then every interval, none waiting for another, until Stop.
  void Start();
  /// Ends the passes. One that is under way ends with its reads. Idempotent.
  void Stop();
  /// The payment service answers again: all that is UNKNOWN is looked at now.
  void PullDue();

  /// One pass over each project, one after the other: how many operations they took. For tests.
  boost::asio::awaitable<std::size_t> Pass();

 private:
  class Loop;
  boost::asio::any_io_executor executor_;
  /// One for each project. They outlive the resolver in their coroutines.
  std::vector<std::shared_ptr<Loop>> loops_;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_RESOLVER_H_
