#include "services/domain/family_diff.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "services/domain/kind.h"
#include "services/domain/order_diff.h"
#include "services/domain/statuses.h"
#include "services/domain/told_outcomes.h"

namespace tollbridge::domain {

using common::v1::Order;
using events::v1::EventKind;
using storage::v1::OrderState;
using storage::v1::Snapshot;

namespace {

/// What was published of it since may be gone from the store.
bool MayHaveGoneBack(const FamilyRead& read) {
  return read.snapshot != nullptr && read.snapshot->epoch() != read.epoch;
}

/// Whether its stream lies on a topic that events do not go to any more.
bool TopicChanged(const FamilyRead& read) {
  return read.snapshot != nullptr && read.snapshot->topic() != read.topic;
}

/// The next snapshot before any order was compared.
Snapshot Begin(const FamilyRead& read) {
  Snapshot snapshot;
  if (read.snapshot != nullptr) {
    snapshot = *read.snapshot;
  } else {
    const WallTime noticed = std::min(read.noticed, read.now);
    snapshot.set_began(
        std::chrono::duration_cast<std::chrono::seconds>(noticed.time_since_epoch()).count());
  }
  const bool told_again = read.tell_again && !read.tell_again->begun;
  if (told_again) ForgetToldAgain(&snapshot);
  if (read.snapshot == nullptr || MayHaveGoneBack(read) || TopicChanged(read) || told_again) {
    snapshot.set_stream(read.new_stream.ToBytes());
    snapshot.clear_sequence();
    snapshot.set_epoch(read.epoch);
    snapshot.set_topic(read.topic);
  }
  return snapshot;
}

/// Of the root's, as read now or as `known`.
bool HasCaptureOrVoid(const FamilyRead& read, const Snapshot& known) {
  const bool read_one = std::ranges::any_of(read.orders, [](const OrderRead& each) {
    return each.order != nullptr && IsCaptureOrVoid(KindOf(*each.order, {}));
  });
  return read_one || std::ranges::any_of(known.members(), [](const OrderState& state) {
           return IsCaptureOrVoid(state.kind());
         });
}

FamilyFacts FamilyOf(const FamilyRead& read, const Snapshot& snapshot) {
  // Of one that settled, long after its end, neither epoch nor stream is kept: it would be told
  // again with each read.
  const bool forgotten = MayHaveGoneBack(read) && !read.snapshot->stream().empty();
  FamilyFacts family{
      .now = read.now,
      .baseline = WallTime(std::chrono::seconds(snapshot.began())) - read.baseline_window,
      .again_from = forgotten ? read.doubted_from.value_or(WallTime::max()) : WallTime::max(),
      .captured_or_voided = HasCaptureOrVoid(read, snapshot)};
  if (!read.tell_again) return family;
  // A doubt that began earlier goes on to now.
  if (family.again_from == WallTime::max()) family.again_to = read.tell_again->to;
  family.again_from = std::min(family.again_from, read.tell_again->from);
  family.all_again = true;
  return family;
}

/// The state of the order in the snapshot, made when there is none.
OrderState& StateOf(Snapshot& snapshot, const Uuid& root, const Uuid& order) {
  if (order == root) return *snapshot.mutable_root();
  const std::string id = order.ToBytes();
  for (OrderState& member : *snapshot.mutable_members()) {
    if (member.order_id() == id) return member;
  }
  OrderState& added = *snapshot.add_members();
  added.set_order_id(id);
  return added;
}

/// The root, then the members as they were created: who comes first when two things happened at one
/// time does not depend on the order of the reads.
std::vector<const OrderRead*> Ordered(const FamilyRead& read) {
  std::vector<const OrderRead*> ordered;
  for (const OrderRead& each : read.orders) ordered.push_back(&each);
  const auto rank = [&](const OrderRead* each) {
    const WallTime created = each->order != nullptr && each->order->has_created()
                                 ? ToWallTime(each->order->created())
                                 : WallTime::max();
    return std::tuple(each->id != read.root, created, each->id);
  };
  std::ranges::sort(ordered, {}, rank);
  return ordered;
}

/// The orders made from this one of which it tells the kind itself: neither captures nor voids.
std::set<Uuid> ToldKinds(const Order& order) {
  std::set<Uuid> told;
  for (const auto* ids :
       {&order.refund_orders(), &order.chargeback_orders(), &order.reversal_orders()}) {
    for (const std::string& text : *ids) {
      if (const std::optional<Uuid> id = Uuid::Parse(text)) told.insert(*id);
    }
  }
  return told;
}

/// An event with the time that it is sorted by.
struct Placed {
  WallTime place;
  /// Among all of the round, as they were decided.
  std::size_t number;
  DecidedEvent event;
};

void Place(std::vector<DecidedEvent> events, bool is_root, std::vector<Placed>& placed) {
  WallTime latest = WallTime::min();
  for (DecidedEvent& event : events) {
    const bool first = is_root && event.what == events::v1::EVENT_WHAT_CREATED;
    // Never before what was decided before it of the same order.
    if (!first) latest = std::max(latest, event.occurred_at);
    placed.push_back({.place = latest, .number = placed.size(), .event = std::move(event)});
  }
}

}  // namespace

const OrderState* FindState(const Snapshot& snapshot, const Uuid& root, const Uuid& order) {
  if (order == root) return snapshot.has_root() ? &snapshot.root() : nullptr;
  const std::string id = order.ToBytes();
  const auto found = std::ranges::find(snapshot.members(), id, &OrderState::order_id);
  return found == snapshot.members().end() ? nullptr : &*found;
}

bool WasRead(const OrderState& state) {
  return state.has_status() || state.has_status_text() || state.has_modified();
}

bool IsFinal(const OrderState& state) {
  if (state.look_again()) return false;
  if (IsFinal(state.status())) return true;
  // Its transaction has decided.
  return state.last_outcome() != events::v1::EVENT_WHAT_UNSPECIFIED && !state.outcome_by_order() &&
         state.status() != common::v1::ORDER_STATUS_SEE_TRANSACTIONS;
}

bool IsOlderThan(const Order& order, const OrderState& state) {
  if (order.has_modified() && state.has_modified()) {
    const std::pair read(order.modified().seconds(), order.modified().nanos());
    const std::pair known(state.modified().seconds(), state.modified().nanos());
    if (read != known) return read < known;
  }
  return IsFinalOrSeeTransactions(state.status()) && !IsFinalOrSeeTransactions(order.status());
}

bool KindIsUncertain(const FamilyRead& read) {
  const auto root = std::ranges::find(read.orders, read.root, &OrderRead::id);
  if (root == read.orders.end() || root->order == nullptr) return false;
  const Snapshot& snapshot =
      read.snapshot != nullptr ? *read.snapshot : Snapshot::default_instance();
  const OrderState& known = snapshot.root();
  const bool own_checkout = known.own_checkout() || root->own_checkout;
  if (known.kind() != events::v1::EVENT_KIND_UNSPECIFIED ||
      !IsOutcome(Decide(*root->order, own_checkout).what)) {
    return false;
  }
  const EventKind kind =
      KindOf(*root->order, {.capture_mode_sent = root->capture_mode_sent,
                            .capturable_seen = known.capturable_seen(),
                            .captured_or_voided = HasCaptureOrVoid(read, snapshot)});
  if (kind != events::v1::EVENT_KIND_PAYMENT && kind != events::v1::EVENT_KIND_ACCOUNT_FUNDING) {
    return false;
  }
  const std::set<Uuid> told = ToldKinds(*root->order);
  return std::ranges::any_of(read.orders, [&](const OrderRead& each) {
    if (each.order != nullptr || told.contains(each.id)) return false;
    const OrderState* state = FindState(snapshot, read.root, each.id);
    return state == nullptr || !WasRead(*state);
  });
}

void ForgetToldAgain(Snapshot* snapshot) {
  if (snapshot->has_root()) snapshot->mutable_root()->clear_told_again();
  for (OrderState& member : *snapshot->mutable_members()) member.clear_told_again();
}

FamilyDiff DiffFamily(const FamilyRead& read) {
  FamilyDiff diff{.snapshot = Begin(read), .events = {}, .untold = {}};
  FamilyFacts family = FamilyOf(read, diff.snapshot);
  std::vector<Placed> placed;
  for (const OrderRead* each : Ordered(read)) {
    OrderState& state = StateOf(diff.snapshot, read.root, each->id);
    const bool is_root = each->id == read.root;
    if (each->order == nullptr || (read.hold_members && !is_root)) {
      // Of one that had ended nobody but its hint tells that it has changed.
      if (each->named && IsFinal(state)) state.set_look_again(true);
      continue;
    }
    // The root comes first, and may have been told in this very round.
    const OrderState& root = diff.snapshot.root();
    if (ToldAnOutcome(root)) family.root_kind = root.kind();
    OrderDiff order = CompareOrder(family, *each, is_root, state);
    state = std::move(order.state);
    std::ranges::move(order.untold, std::back_inserter(diff.untold));
    Place(std::move(order.events), is_root, placed);
  }
  std::ranges::sort(placed, {},
                    [](const Placed& each) { return std::pair(each.place, each.number); });
  for (Placed& each : placed) {
    diff.snapshot.set_sequence(diff.snapshot.sequence() + 1);
    each.event.sequence = diff.snapshot.sequence();
    diff.events.push_back(std::move(each.event));
  }
  return diff;
}

}  // namespace tollbridge::domain
