#include "services/domain/order_diff.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/core/card_numbers.h"
#include "base/core/text.h"
#include "services/domain/kind.h"
#include "services/domain/occurred_at.h"
#include "services/domain/published.h"
#include "services/domain/statuses.h"
#include "services/domain/told_outcomes.h"

namespace tollbridge::domain {

using common::v1::Order;
using common::v1::Transaction;
using events::v1::DecidedBy;
using events::v1::EventKind;
using events::v1::EventWhat;
using storage::v1::OrderState;

namespace {

/// Of a status that we do not know, so that a snapshot stays small.
constexpr std::size_t kMaxStatusText = 48;

std::string ShortStatusText(const std::string& text) {
  return std::string(Truncated(MaskCardNumbers(text), kMaxStatusText));
}

/// One order being compared: collects its events and brings its state forward.
class Comparison {
 public:
  /// `previous` may be of an order that was never read.
  Comparison(const FamilyFacts& family, const OrderRead& read, bool is_root,
             const OrderState& previous)
      : family_(family),
        read_(read),
        order_(*read.order),
        is_root_(is_root),
        first_read_(!WasRead(previous)),
        previous_status_(previous.status()),
        told_again_(family.all_again && previous.told_again()),
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
          TimesPublished(next_, events::v1::EVENT_WHAT_NEEDS_REVIEW) == 0) {
        Publish(events::v1::EVENT_WHAT_NEEDS_REVIEW, by, family_.now);
      }
      return;
    }
    // Money whose way or amount is not sure is told by no program.
    const bool unsure =
        other_kind || SignsDisagree(order_, next_.kind()) ||
        (what == events::v1::EVENT_WHAT_COMPLETED && AmountIsUnsure(order_, next_.kind()));
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
           CountPublished(&next_, events::v1::EVENT_WHAT_CREATED));
  }

  /// Tells again, with the id that it had, what the store knows to have told and whose time lies in
  /// what it is doubted for. False when it knows of none.
  bool TellAgain(EventWhat what, EventWhat observed) {
    const std::uint32_t times = TimesPublished(next_, what);
    if (times == 0) return false;
    // Its transaction and the order itself show the same.
    if (std::ranges::count(events_, what, &DecidedEvent::what) > 0) return true;
    const WallTime occurred = OccurredAt(order_, observed, family_.now);
    const WallTime counted = Counted(occurred);
    if (counted < family_.again_from || counted > family_.again_to) return true;
    if (told_again_) return true;
    const DecidedBy by = next_.outcome_by_order() || what == events::v1::EVENT_WHAT_CREATED ||
                                 next_.last_outcome() == events::v1::EVENT_WHAT_UNSPECIFIED
                             ? events::v1::DECIDED_BY_ORDER
                             : events::v1::DECIDED_BY_TRANSACTION;
    Append(what, by, occurred, times);
    return true;
  }

  void TellAllAgain() {
    for (const Published& published : PublishedOf(next_)) {
      if (published.what == events::v1::EVENT_WHAT_NEEDS_REVIEW) {
        TellReviewAgain(ReviewIsAbout(order_, next_));
      } else if (IsOutcome(published.what)) {
        TellAgain(published.what, published.what);
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
    for (const auto& [what, times] : PublishedOf(next_)) {
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

  /// Nothing happens to an order before it is there, whatever a record or its `completed` says: one
  /// with an impossible date is not old.
  WallTime Counted(WallTime occurred) const {
    return order_.has_created() ? std::max(occurred, ToWallTime(order_.created())) : occurred;
  }

  void Leave(EventWhat what, WallTime occurred) {
    untold_.push_back(
        {.order = read_.id, .kind = KindNow(), .what = what, .occurred_at = occurred});
  }

  void Publish(EventWhat what, DecidedBy by, WallTime occurred) {
    if (first_read_ && Counted(occurred) < family_.baseline) {
      Leave(what, occurred);
      return;
    }
    // The first publication of a root begins with created; a member shows what it shows.
    if (is_root_) PublishCreated();
    Append(what, by, occurred, CountPublished(&next_, what));
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

  void RecordRead() {
    next_.clear_status();
    next_.clear_status_text();
    next_.clear_modified();
    if (order_.has_status()) next_.set_status(order_.status());
    if (order_.has_status_text()) next_.set_status_text(ShortStatusText(order_.status_text()));
    if (order_.has_modified()) *next_.mutable_modified() = order_.modified();
    if (family_.all_again) next_.set_told_again(true);
    next_.clear_look_again();
  }

  const FamilyFacts& family_;
  const OrderRead& read_;
  const Order& order_;
  const bool is_root_;
  const bool first_read_;
  const common::v1::OrderStatus previous_status_;
  const bool told_again_;
  OrderState next_;
  std::vector<DecidedEvent> events_;
  std::vector<Untold> untold_;
};

}  // namespace

OrderDiff CompareOrder(const FamilyFacts& family, const OrderRead& read, bool is_root,
                       const OrderState& previous) {
  return Comparison(family, read, is_root, previous).Run();
}

}  // namespace tollbridge::domain
