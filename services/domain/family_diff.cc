#include "services/domain/family_diff.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/core/card_numbers.h"
#include "base/core/text.h"
#include "services/domain/kind.h"
#include "services/domain/occurred_at.h"
#include "services/domain/statuses.h"
#include "services/domain/told_outcomes.h"

namespace tollbridge::domain {

using common::v1::Order;
using common::v1::Transaction;
using events::v1::DecidedBy;
using events::v1::EventKind;
using events::v1::EventWhat;
using storage::v1::OrderState;
using storage::v1::Snapshot;

namespace {

/// Of a status that we do not know, so that a snapshot stays small.
constexpr std::size_t kMaxStatusText = 48;

std::string ShortStatusText(const std::string& text) {
  return std::string(Truncated(MaskCardNumbers(text), kMaxStatusText));
}

/// What the orders of one round have in common.
struct Family {
  WallTime now;
  /// Of an order that is first seen, what happened before is recorded silently.
  WallTime baseline;
  /// Outcomes that were told, of this time or later, are told again; max(): none.
  WallTime again_from;
  WallTime again_to = WallTime::max();
  /// All that was told of an order, not only what it shows now.
  bool all_again = false;
  /// But not of the root, of which an earlier round has told it.
  bool root_is_told_again = false;
  bool captured_or_voided = false;
  /// What the root was told as; UNSPECIFIED: not told yet.
  EventKind root_kind = events::v1::EVENT_KIND_UNSPECIFIED;
};

bool IsCaptureOrVoid(EventKind kind) {
  return kind == events::v1::EVENT_KIND_CAPTURE || kind == events::v1::EVENT_KIND_VOID;
}

/// Not only recorded silently.
bool ToldAnOutcome(const OrderState& state) {
  return std::ranges::any_of(
      state.published(), [](const storage::v1::Published& each) { return IsOutcome(each.what()); });
}

/// What became of one order.
struct OrderDiff {
  OrderState state;
  std::vector<DecidedEvent> events;
  std::vector<Untold> untold;
};

/// One order being compared: collects its events and brings its state forward.
class Comparison {
 public:
  /// `previous` may be of an order that was never read.
  Comparison(const Family& family, const OrderRead& read, bool is_root, const OrderState& previous)
      : family_(family),
        read_(read),
        order_(*read.order),
        is_root_(is_root),
        first_read_(!WasRead(previous)),
        previous_status_(previous.status()),
        next_(previous) {
    next_.set_own_checkout(next_.own_checkout() || read.own_checkout);
    next_.set_capturable_seen(next_.capturable_seen() || ShowsCapturable(order_));
  }

  OrderDiff Run() && {
    if (is_root_) TellAgain(events::v1::EVENT_WHAT_CREATED, events::v1::EVENT_WHAT_CREATED);
    if (family_.all_again) TellAllAgain();
    const bool order_ended = IsFinalOrSeeTransactions(order_.status());
    const Transaction* transaction = DecidingTransaction(order_, next_.own_checkout());
    // The transaction is asked only as long as the order has not ended: afterwards it could only
    // bring up a contradiction again that has been told. But it is what decides first.
    if (transaction != nullptr &&
        (!order_ended || next_.last_outcome() == events::v1::EVENT_WHAT_UNSPECIFIED)) {
      Ended(WhatOf(transaction->status()), events::v1::DECIDED_BY_TRANSACTION);
    }
    if (order_.status() == common::v1::ORDER_STATUS_SEE_TRANSACTIONS) {
      SeeTransactions();
    } else if (order_ended) {
      Ended(WhatOf(order_.status()), events::v1::DECIDED_BY_ORDER);
      next_.set_outcome_by_order(true);
    } else if (transaction == nullptr) {
      Progressed();
    }
    RecordRead();
    return {std::move(next_), std::move(events_), std::move(untold_)};
  }

 private:
  void Progressed() {
    const EventWhat what = WhatOf(order_.status());
    if (what == events::v1::EVENT_WHAT_CREATED) {
      PublishCreated();
    } else if (what == events::v1::EVENT_WHAT_PROCESSING &&
               previous_status_ != common::v1::ORDER_STATUS_PROCESSING) {
      Publish(what, events::v1::DECIDED_BY_ORDER, OccurredAt(order_, what, family_.now));
    }
  }

  void SeeTransactions() {
    FixKind();
    if (previous_status_ == common::v1::ORDER_STATUS_SEE_TRANSACTIONS) {
      TellReviewAgain(events::v1::EVENT_WHAT_NEEDS_REVIEW);
      return;
    }
    Review(events::v1::EVENT_WHAT_NEEDS_REVIEW, events::v1::DECIDED_BY_ORDER);
  }

  void Ended(EventWhat what, DecidedBy by) {
    FixKind();
    const EventWhat told = next_.last_outcome();
    const bool other_kind = ShowsAnotherKind();
    if (told == what) {
      if (!TellAgain(what, what) || other_kind) TellReviewAgain(what);
      // Once: what a person has been asked to look at is not news for ever.
      if (other_kind && ToldAnOutcome(next_) &&
          TimesTold(events::v1::EVENT_WHAT_NEEDS_REVIEW) == 0) {
        Publish(events::v1::EVENT_WHAT_NEEDS_REVIEW, by, family_.now);
      }
      return;
    }
    // Money whose way is not sure is told by no program.
    const bool unsure = other_kind || SignsDisagree(order_, next_.kind());
    // Some brands complete an order that was in error: both are true, one after the other. A
    // transaction that failed while the order itself never did is a contradiction instead.
    const bool recovered = told == events::v1::EVENT_WHAT_FAILED && next_.outcome_by_order() &&
                           what == events::v1::EVENT_WHAT_COMPLETED;
    if (!unsure && (told == events::v1::EVENT_WHAT_UNSPECIFIED || recovered)) {
      Publish(what, by, OccurredAt(order_, what, family_.now));
    } else {
      Review(what, by);
    }
    next_.set_last_outcome(what);
    next_.set_outcome_by_order(by == events::v1::DECIDED_BY_ORDER);
  }

  /// needs_review; with both values when an ending had been published.
  void Review(EventWhat observed, DecidedBy by) {
    const std::size_t before = events_.size();
    Publish(events::v1::EVENT_WHAT_NEEDS_REVIEW, by, OccurredAt(order_, observed, family_.now));
    if (events_.size() == before || next_.last_outcome() == events::v1::EVENT_WHAT_UNSPECIFIED) {
      return;
    }
    events_.back().published_what = next_.last_outcome();
    events_.back().observed_what = observed;
  }

  EventKind KindShown() const {
    return KindOf(order_, {.capture_mode_sent = read_.capture_mode_sent,
                           .capturable_seen = next_.capturable_seen(),
                           .captured_or_voided = is_root_ && family_.captured_or_voided});
  }

  EventKind KindNow() const {
    return next_.kind() != events::v1::EVENT_KIND_UNSPECIFIED ? next_.kind() : KindShown();
  }

  /// Than it was told as; or what it is contradicts what its root was told as: to capture what was
  /// told as paid would be to tell the same money twice.
  bool ShowsAnotherKind() const {
    if (IsAnotherKind(next_.kind(), KindShown())) return true;
    return !is_root_ && IsCaptureOrVoid(next_.kind()) &&
           (family_.root_kind == events::v1::EVENT_KIND_PAYMENT ||
            family_.root_kind == events::v1::EVENT_KIND_ACCOUNT_FUNDING);
  }

  /// Once and for ever, else a captured authorization would turn into a second payment.
  void FixKind() { next_.set_kind(KindNow()); }

  void PublishCreated() {
    if (!next_.published().empty()) return;
    const WallTime occurred = OccurredAt(order_, events::v1::EVENT_WHAT_CREATED, family_.now);
    if (occurred < family_.baseline) {
      if (first_read_) Leave(events::v1::EVENT_WHAT_CREATED, occurred);
      return;
    }
    Append(events::v1::EVENT_WHAT_CREATED, events::v1::DECIDED_BY_ORDER, occurred,
           CountOccurrence(events::v1::EVENT_WHAT_CREATED));
  }

  /// Tells again, with the id that it had, what the store knows to have told and whose time lies in
  /// what it is doubted for. False when it knows of none.
  bool TellAgain(EventWhat what, EventWhat observed) {
    const std::uint32_t times = TimesTold(what);
    if (times == 0) return false;
    // Its transaction and the order itself show the same.
    if (std::ranges::count(events_, what, &DecidedEvent::what) > 0) return true;
    const WallTime occurred = OccurredAt(order_, observed, family_.now);
    if (occurred < family_.again_from || occurred > family_.again_to) return true;
    if (is_root_ && family_.root_is_told_again) return true;
    const DecidedBy by = next_.outcome_by_order() || what == events::v1::EVENT_WHAT_CREATED ||
                                 next_.last_outcome() == events::v1::EVENT_WHAT_UNSPECIFIED
                             ? events::v1::DECIDED_BY_ORDER
                             : events::v1::DECIDED_BY_TRANSACTION;
    Append(what, by, occurred, times);
    return true;
  }

  void TellAllAgain() {
    const auto told = next_.published();
    for (const storage::v1::Published& published : told) {
      if (published.what() == events::v1::EVENT_WHAT_NEEDS_REVIEW) {
        TellReviewAgain(ReviewIsAbout(order_, next_));
      } else if (IsOutcome(published.what())) {
        TellAgain(published.what(), published.what());
      }
    }
  }

  void TellReviewAgain(EventWhat observed) {
    const std::size_t before = events_.size();
    TellAgain(events::v1::EVENT_WHAT_NEEDS_REVIEW, observed);
    if (events_.size() == before || next_.last_outcome() == events::v1::EVENT_WHAT_UNSPECIFIED) {
      return;
    }
    const EventWhat told =
        observed == next_.last_outcome() ? OutcomeBefore() : next_.last_outcome();
    if (told == events::v1::EVENT_WHAT_UNSPECIFIED) return;
    events_.back().published_what = told;
    events_.back().observed_what = observed;
  }

  /// What was told before the last outcome; UNSPECIFIED where that is not the only other one.
  EventWhat OutcomeBefore() const {
    EventWhat before = events::v1::EVENT_WHAT_UNSPECIFIED;
    for (const storage::v1::Published& published : next_.published()) {
      const EventWhat what = published.what();
      if (!IsOutcome(what) || what == events::v1::EVENT_WHAT_NEEDS_REVIEW ||
          what == next_.last_outcome()) {
        continue;
      }
      if (before != events::v1::EVENT_WHAT_UNSPECIFIED) {
        return events::v1::EVENT_WHAT_UNSPECIFIED;
      }
      before = what;
    }
    return before;
  }

  std::uint32_t TimesTold(EventWhat what) const {
    const auto found = std::ranges::find(next_.published(), what, &storage::v1::Published::what);
    return found == next_.published().end() ? 0 : found->count();
  }

  void Leave(EventWhat what, WallTime occurred) {
    untold_.push_back(
        {.order = read_.id, .kind = KindNow(), .what = what, .occurred_at = occurred});
  }

  void Publish(EventWhat what, DecidedBy by, WallTime occurred) {
    if (first_read_ && occurred < family_.baseline) {
      Leave(what, occurred);
      return;
    }
    // The first publication of a root begins with created; a member shows what it shows.
    if (is_root_) PublishCreated();
    Append(what, by, occurred, CountOccurrence(what));
  }

  void Append(EventWhat what, DecidedBy by, WallTime occurred, std::uint32_t occurrence) {
    events_.push_back({.order = read_.id,
                       .kind = KindNow(),
                       .what = what,
                       .occurrence = occurrence,
                       .sequence = 0,
                       .occurred_at = occurred,
                       .decided_by = by,
                       .published_what = std::nullopt,
                       .observed_what = std::nullopt});
  }

  std::uint32_t CountOccurrence(EventWhat what) {
    for (storage::v1::Published& published : *next_.mutable_published()) {
      if (published.what() != what) continue;
      published.set_count(published.count() + 1);
      return published.count();
    }
    storage::v1::Published* published = next_.add_published();
    published->set_what(what);
    published->set_count(1);
    return 1;
  }

  void RecordRead() {
    next_.clear_status();
    next_.clear_status_text();
    next_.clear_modified();
    if (order_.has_status()) next_.set_status(order_.status());
    if (order_.has_status_text()) next_.set_status_text(ShortStatusText(order_.status_text()));
    if (order_.has_modified()) *next_.mutable_modified() = order_.modified();
  }

  const Family& family_;
  const OrderRead& read_;
  const Order& order_;
  const bool is_root_;
  const bool first_read_;
  const common::v1::OrderStatus previous_status_;
  OrderState next_;
  std::vector<DecidedEvent> events_;
  std::vector<Untold> untold_;
};

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

Family FamilyOf(const FamilyRead& read, const Snapshot& snapshot) {
  // Of one that settled, long after its end, neither epoch nor stream is kept: it would be told
  // again with each read. What it was before it settled is told again.
  const bool forgotten = MayHaveGoneBack(read) && !read.snapshot->stream().empty();
  Family family{
      .now = read.now,
      .baseline = WallTime(std::chrono::seconds(snapshot.began())) - read.baseline_window,
      .again_from = forgotten ? read.doubted_from.value_or(WallTime::max()) : WallTime::max(),
      .captured_or_voided = HasCaptureOrVoid(read, snapshot)};
  if (!read.tell_again) return family;
  // A doubt that began earlier goes on to now.
  if (family.again_from == WallTime::max()) family.again_to = read.tell_again->to;
  family.again_from = std::min(family.again_from, read.tell_again->from);
  family.all_again = true;
  family.root_is_told_again = read.tell_again->begun;
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

FamilyDiff DiffFamily(const FamilyRead& read) {
  FamilyDiff diff{.snapshot = Begin(read), .events = {}, .untold = {}};
  Family family = FamilyOf(read, diff.snapshot);
  std::vector<Placed> placed;
  for (const OrderRead* each : Ordered(read)) {
    OrderState& state = StateOf(diff.snapshot, read.root, each->id);
    const bool is_root = each->id == read.root;
    if (each->order == nullptr || (read.hold_members && !is_root)) continue;
    // The root comes first, and may have been told in this very round.
    const OrderState& root = diff.snapshot.root();
    if (ToldAnOutcome(root)) family.root_kind = root.kind();
    OrderDiff order = Comparison(family, *each, is_root, state).Run();
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
