#include "services/events/order_fetcher.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/family_diff.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using common::v1::Order;
using ports::Millis;

namespace {

constexpr Millis kReadTimeout = std::chrono::seconds(10);
/// A read waits no longer for its project's turn: others need the place.
constexpr Millis kLongestWait = std::chrono::seconds(2);

}  // namespace

awaitable<FetchedOrder> OrderFetcher::Fetch(Wanted wanted) {
  // A replica is mostly behind by less than this; who waits longer takes the place of others.
  for (const bool again : {false, true}) {
    if (again) co_await ports_.clock.Sleep(kReadSpacing);
    FetchedOrder fetched = co_await FetchOnce(wanted);
    const bool older = fetched.outcome == ReadOutcome::kDone && wanted.state != nullptr &&
                       !wanted.believe_older && domain::IsOlderThan(fetched.order, *wanted.state);
    if (!older) co_return fetched;
    ports_.metrics.Get(telemetry::kReads, {"stale", wanted.project.name}).Increment();
  }
  co_return FetchedOrder{
      .outcome = ReadOutcome::kOlder,
      .cause = absl::UnavailableError("the answer is older than what is known of the order")};
}

awaitable<FetchedOrder> OrderFetcher::FetchOnce(const Wanted& wanted) {
  // A flood gets no waiting room.
  const Millis patience = wanted.share == ReadBudget::Share::kKnown ? kLongestWait : Millis(0);
  const std::optional<Millis> wait =
      budget_.Take(wanted.project.name, wanted.share, ports_.clock.BootNow(), patience);
  if (!wait) {
    ports_.metrics.Get(telemetry::kReads, {"over_budget", wanted.project.name}).Increment();
    co_return FetchedOrder{
        .outcome = ReadOutcome::kOverBudget,
        .cause = absl::ResourceExhaustedError("the project's reads of this second are spent")};
  }
  if (*wait > Millis(0)) co_await ports_.clock.Sleep(*wait);

  const std::string order_id = wanted.order.ToString();
  absl::StatusOr<Order> order = co_await ports_.payment_service.GetOrder(
      wanted.project, order_id,
      {.deadline = ports_.clock.BootNow() + kReadTimeout, .trace = wanted.trace});
  if (!order.ok()) {
    co_return FetchedOrder{.outcome = OutcomeOfRead(order.status()), .cause = order.status()};
  }
  if (order->has_id() && Uuid::Parse(order->id()) != wanted.order) {
    co_return FetchedOrder{.outcome = ReadOutcome::kUnreadable,
                           .cause = absl::InternalError("the answer holds another order")};
  }
  co_return FetchedOrder{.order = *std::move(order)};
}

Millis OrderFetcher::RetryDelay(const domain::Project& project, ReadBudget::Share share) {
  return budget_.RetryDelay(project.name, share, ports_.clock.BootNow());
}

}  // namespace tollbridge::events
