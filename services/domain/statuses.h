#ifndef TOLLBRIDGE_SERVICES_DOMAIN_STATUSES_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_STATUSES_H_

#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/transaction.pb.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::domain {

// What a status means (docs/interface.md#states-and-transitions). `see-transactions` is final in
// one place and not in another, so there is one function each.

/// The order came to an end: completed, cancelled, expired or error. Not see-transactions.
bool IsFinal(common::v1::OrderStatus status);

/// What a later read can contradict: IsFinal, and see-transactions too. A read that goes back from
/// one of these may come from a replica that lags (docs/design/events.md#reader).
bool IsFinalOrSeeTransactions(common::v1::OrderStatus status);

/// completed, declined, error, cancelled or expired; no other, unknown ones included.
bool IsFinal(common::v1::TransactionStatus status);

/// What an order of this status is reported as; UNSPECIFIED for a status that we do not know. `new`
/// is created.
events::v1::EventWhat WhatOf(common::v1::OrderStatus status);

/// What an order is reported as when its one transaction decides; UNSPECIFIED when the status is
/// not final.
events::v1::EventWhat WhatOf(common::v1::TransactionStatus status);

/// Something that consumers act on: completed, failed, cancelled, expired or needs_review.
bool IsOutcome(events::v1::EventWhat what);

/// What an order shows, and which record says so.
struct Decision {
  events::v1::EventWhat what = events::v1::EVENT_WHAT_UNSPECIFIED;
  events::v1::DecidedBy by = events::v1::DECIDED_BY_ORDER;
  /// Nothing more is to be expected soon. What the due queue means by final.
  bool final = false;
};

/// The transaction that decides for its order: there is exactly one, it is final, and Tollbridge
/// sent its initiate, authenticate or wallet execute (`own_checkout`). Otherwise nullptr: the order
/// decides (docs/design/events.md#which-event). Points into `order`.
const common::v1::Transaction* DecidingTransaction(const common::v1::Order& order,
                                                   bool own_checkout);

/// Order or transaction decides. An order that has come to an end itself is never overruled.
Decision Decide(const common::v1::Order& order, bool own_checkout);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_STATUSES_H_
