#include "services/events/root_finder.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "services/domain/kind.h"
#include "services/events/settings.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using common::v1::Order;

namespace {

RootFinder::Found Failed(const char* why) {
  return {.outcome = ReadOutcome::kFailed, .cause = absl::FailedPreconditionError(why)};
}

}  // namespace

awaitable<RootFinder::Found> RootFinder::Find(const Request& request, const Order& order) {
  std::vector<Uuid> seen = {request.order};
  std::string link = domain::ParentOf(order);
  for (int hop = 1; !link.empty(); ++hop) {
    if (hop > kMaxHops) co_return Failed("more than five links lead away from the order");
    const std::optional<Uuid> parent = Uuid::Parse(link);
    if (!parent) co_return Failed("the order's link to its original order is no order id");
    if (std::ranges::find(seen, *parent) != seen.end()) co_return Failed("the links form a loop");
    const Uuid child = seen.back();
    seen.push_back(*parent);

    const ports::FamilyKey key{.project = request.project.name, .root = *parent};
    const absl::StatusOr<ports::FamilyState> state = co_await snapshots_.Load(
        key, {.deadline = clock_.BootNow() + kStoreTimeout, .trace = request.trace});
    if (!state.ok()) {
      co_return Found{.outcome = OutcomeOfInfrastructure(state.status()), .cause = state.status()};
    }
    if (state->version > 0) co_return Found{.root = *parent};
    if (state->root) {
      if (std::ranges::find(seen, *state->root) != seen.end()) {
        co_return Failed("the links form a loop");
      }
      co_return Found{.root = *state->root};
    }
    const FetchedOrder fetched = co_await fetcher_.Fetch(
        {.project = request.project, .order = *parent, .trace = request.trace});
    if (fetched.outcome == ReadOutcome::kNotFound) {
      if (request.parent_may_be_gone) co_return Found{.root = child};
      Found failed = Failed("the order that it was made from is not found");
      failed.no_parent = true;
      co_return failed;
    }
    if (fetched.outcome != ReadOutcome::kDone) {
      co_return Found{.outcome = fetched.outcome, .cause = fetched.cause};
    }
    link = domain::ParentOf(fetched.order);
  }
  co_return Found{.root = seen.back()};
}

}  // namespace tollbridge::events
