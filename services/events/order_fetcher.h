#ifndef TOLLBRIDGE_SERVICES_EVENTS_ORDER_FETCHER_H_
#define TOLLBRIDGE_SERVICES_EVENTS_ORDER_FETCHER_H_

#include <absl/status/status.h>

#include <boost/asio/awaitable.hpp>
#include <string_view>

#include "base/core/uuid.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/span.h"
#include "services/domain/project.h"
#include "services/events/read_budget.h"
#include "services/events/read_result.h"
#include "services/ports/clock.h"
#include "services/ports/payment_service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::events {

/// An order is read at most once in this time (docs/design/events.md#reader); also what a reader
/// waits before it repeats, once, a read that looks older than what is known.
inline constexpr ports::Millis kReadSpacing = std::chrono::seconds(1);

/// What became of reading one order.
struct FetchedOrder {
  /// Not kOrphan.
  ReadOutcome outcome = ReadOutcome::kDone;
  /// Not OK unless kDone.
  absl::Status cause;
  /// The order as it was read, with kDone.
  common::v1::Order order;
};

/// Asks the payment service for single orders, within the budget of their project, and again where
/// a read looks older than what is known. One shard.
class OrderFetcher {
 public:
  struct Ports {
    ports::PaymentService& payment_service;
    ports::Clock& clock;
    telemetry::Metrics& metrics;
  };
  struct Wanted {
    const domain::Project& project;
    Uuid order;
    /// What is known of it; nullptr when it was never read.
    const storage::v1::OrderState* state = nullptr;
    ReadBudget::Share share = ReadBudget::Share::kKnown;
    /// A read that looks older is taken for the truth.
    bool believe_older = false;
    telemetry::TraceContext trace;
  };

  OrderFetcher(const Ports& ports, double per_second, double unknown_per_second)
      : ports_(ports), budget_(per_second, unknown_per_second) {}

  /// What `wanted` points to outlives the call. kOlder when a read and its repeat look older than
  /// what is known and are not to be believed. kOverBudget when the project's turn would be long
  /// in coming: nothing was asked.
  boost::asio::awaitable<FetchedOrder> Fetch(Wanted wanted);
  /// A read of the project is being repeated by the pipe: that is an attempt as well.
  void NoteRepeat(std::string_view project) { budget_.Charge(project, ports_.clock.BootNow()); }
  /// As ReadBudget::SetShare.
  void SetShare(double share) { budget_.SetShare(share); }
  /// Says after kOverBudget when to come again, counted from now.
  ports::Millis RetryDelay(const domain::Project& project, ReadBudget::Share share);

 private:
  boost::asio::awaitable<FetchedOrder> FetchOnce(const Wanted& wanted);

  Ports ports_;
  ReadBudget budget_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_ORDER_FETCHER_H_
