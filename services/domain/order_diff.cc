#include "services/domain/order_diff.h"

#include <cstddef>
#include <string>
#include <utility>

#include "services/base/card_numbers.h"
#include "services/base/text.h"
#include "services/domain/kind.h"
#include "services/domain/occurred_at.h"
#include "services/domain/statuses.h"

namespace tollbridge::domain {

using common::v1::Order;
using common::v1::Transaction;
using events::v1::DecidedBy;
using events::v1::EventKind;
using events::v1::EventWhat;
using storage::v1::Snapshot;

namespace {

/// Of a status that we do not know, so that a snapshot stays small.
constexpr std::size_t kMaxStatusText = 48;

std::string ShortStatusText(const std::string& text) {
  return std::string(Truncated(MaskCardNumbers(text), kMaxStatusText));
}

/// One read being compared: collects events and brings the snapshot forward.
class Comparison {
 public:
  explicit Comparison(const DiffInput& input)
      : input_(input),
        first_read_(input.snapshot == nullptr),
        previous_status_(first_read_ ? common::v1::ORDER_STATUS_UNSPECIFIED
                                     : input.snapshot->status()) {
    if (first_read_) {
      next_.set_stream(input.new_stream.ToBytes());
    } else {
      next_ = *input.snapshot;
    }
    next_.set_own_checkout(next_.own_checkout() || input.own_checkout);
    next_.set_capturable_seen(next_.capturable_seen() || ShowsCapturable(input.order));
  }

  OrderDiff Run() && {
    const Order& order = input_.order;
    const bool order_ended = IsFinalOrSeeTransactions(order.status());
    const Transaction* transaction = DecidingTransaction(order, next_.own_checkout());
    // The transaction is asked only as long as the order has not ended: afterwards it could only
    // bring up a contradiction again that has been told. But it is what decides first.
    if (transaction != nullptr &&
        (!order_ended || next_.last_outcome() == events::v1::EVENT_WHAT_UNSPECIFIED)) {
      Ended(WhatOf(transaction->status()), events::v1::DECIDED_BY_TRANSACTION);
    }
    if (order.status() == common::v1::ORDER_STATUS_SEE_TRANSACTIONS) {
      SeeTransactions();
    } else if (order_ended) {
      Ended(WhatOf(order.status()), events::v1::DECIDED_BY_ORDER);
      next_.set_outcome_by_order(true);
    } else if (transaction == nullptr) {
      Progressed();
    }
    RecordRead();
    return {std::move(next_), std::move(events_)};
  }

 private:
  void Progressed() {
    const EventWhat what = WhatOf(input_.order.status());
    if (what == events::v1::EVENT_WHAT_CREATED) {
      PublishCreated();
    } else if (what == events::v1::EVENT_WHAT_PROCESSING &&
               previous_status_ != common::v1::ORDER_STATUS_PROCESSING) {
      Publish(what, events::v1::DECIDED_BY_ORDER, OccurredAt(input_.order, what, input_.now));
    }
  }

  void SeeTransactions() {
    FixKind();
    if (previous_status_ == common::v1::ORDER_STATUS_SEE_TRANSACTIONS) return;
    Review(events::v1::EVENT_WHAT_NEEDS_REVIEW, events::v1::DECIDED_BY_ORDER);
  }

  void Ended(EventWhat what, DecidedBy by) {
    FixKind();
    const EventWhat told = next_.last_outcome();
    if (told == what) return;
    // Some brands complete an order that was in error: both are true, one after the other. A
    // transaction that failed while the order itself never did is a contradiction instead.
    const bool recovered = told == events::v1::EVENT_WHAT_FAILED && next_.outcome_by_order() &&
                           what == events::v1::EVENT_WHAT_COMPLETED;
    if (told == events::v1::EVENT_WHAT_UNSPECIFIED || recovered) {
      Publish(what, by, OccurredAt(input_.order, what, input_.now));
    } else {
      Review(what, by);
    }
    next_.set_last_outcome(what);
    next_.set_outcome_by_order(by == events::v1::DECIDED_BY_ORDER);
  }

  /// needs_review; with both values when an ending had been published.
  void Review(EventWhat observed, DecidedBy by) {
    const std::size_t before = events_.size();
    Publish(events::v1::EVENT_WHAT_NEEDS_REVIEW, by,
            OccurredAt(input_.order, observed, input_.now));
    if (events_.size() == before || next_.last_outcome() == events::v1::EVENT_WHAT_UNSPECIFIED) {
      return;
    }
    events_.back().published_what = next_.last_outcome();
    events_.back().observed_what = observed;
  }

  EventKind KindNow() const {
    if (next_.kind() != events::v1::EVENT_KIND_UNSPECIFIED) return next_.kind();
    return KindOf(input_.order, {.capture_mode_sent = input_.capture_mode_sent,
                                 .capturable_seen = next_.capturable_seen()});
  }

  /// Once and for ever, else a captured authorization would turn into a second payment.
  void FixKind() { next_.set_kind(KindNow()); }

  bool InBaseline(Instant occurred) const {
    return occurred >= input_.now - input_.baseline_window;
  }

  /// The first publication of a root begins with created.
  void PublishCreated() {
    if (next_.sequence() != 0) return;
    const Instant occurred = OccurredAt(input_.order, events::v1::EVENT_WHAT_CREATED, input_.now);
    if (!InBaseline(occurred)) return;
    Append(events::v1::EVENT_WHAT_CREATED, events::v1::DECIDED_BY_ORDER, occurred);
  }

  void Publish(EventWhat what, DecidedBy by, Instant occurred) {
    if (first_read_ && !InBaseline(occurred)) return;
    PublishCreated();
    Append(what, by, occurred);
  }

  void Append(EventWhat what, DecidedBy by, Instant occurred) {
    next_.set_sequence(next_.sequence() + 1);
    events_.push_back({.kind = KindNow(),
                       .what = what,
                       .occurrence = CountOccurrence(what),
                       .sequence = next_.sequence(),
                       .occurred_at = occurred,
                       .decided_by = by,
                       .published_what = std::nullopt,
                       .observed_what = std::nullopt});
  }

  std::uint32_t CountOccurrence(EventWhat what) {
    for (storage::v1::Published& published : *next_.mutable_published()) {
      if (!published.order_id().empty() || published.what() != what) continue;
      published.set_count(published.count() + 1);
      return published.count();
    }
    storage::v1::Published* published = next_.add_published();
    published->set_what(what);
    published->set_count(1);
    return 1;
  }

  void RecordRead() {
    const Order& order = input_.order;
    next_.clear_status();
    next_.clear_status_text();
    next_.clear_modified();
    if (order.has_status()) next_.set_status(order.status());
    if (order.has_status_text()) next_.set_status_text(ShortStatusText(order.status_text()));
    if (order.has_modified()) *next_.mutable_modified() = order.modified();
  }

  const DiffInput& input_;
  const bool first_read_;
  const common::v1::OrderStatus previous_status_;
  Snapshot next_;
  std::vector<DecidedEvent> events_;
};

}  // namespace

bool IsOlderThan(const Order& order, const Snapshot& snapshot) {
  if (order.has_modified() && snapshot.has_modified()) {
    return std::pair(order.modified().seconds(), order.modified().nanos()) <
           std::pair(snapshot.modified().seconds(), snapshot.modified().nanos());
  }
  return IsFinalOrSeeTransactions(snapshot.status()) && !IsFinalOrSeeTransactions(order.status());
}

OrderDiff DiffOrder(const DiffInput& input) { return Comparison(input).Run(); }

}  // namespace tollbridge::domain
