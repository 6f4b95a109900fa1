#ifndef TOLLBRIDGE_SERVICES_DOMAIN_KIND_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_KIND_H_

#include <string>

#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::domain {

/// What is known of a root beside the order as read.
struct KindFacts {
  /// Our create sent capture_mode (kept with the order by the operation).
  bool capture_mode_sent = false;
  /// is_capturable was seen true on a completed transaction, now or at an earlier read.
  bool capturable_seen = false;
  /// An order of its family is a capture or a void.
  bool captured_or_voided = false;
};

/// is_capturable is true on a completed transaction.
bool ShowsCapturable(const common::v1::Order& order);

/// The id of the order that this one was made from, as the service wrote it; empty for a root. The
/// first of capture_of, void_of, refund_of, chargeback_of, reversal_of, else related_order_id
/// (docs/design/events.md#family). A payment link is no parent. Points into `order`.
const std::string& ParentOf(const common::v1::Order& order);

/// What kind of thing an order is (docs/design/events.md#which-event), first match. Whatever says
/// that it is a refund makes it one: money that goes out is never told as money in. Else an order
/// made from another is what its link says, or its transaction's: capture, void, chargeback or
/// reversal. A root: transaction_type oct is a payout; capture_mode sent by us or shown by the
/// service, transaction_type authorization, or capturable, captured or voided (a member says so, or
/// its flags), an authorization; aft account funding; else a payment. Never UNSPECIFIED.
events::v1::EventKind KindOf(const common::v1::Order& order, const KindFacts& facts);

/// Whether something that the service shows contradicts that the order is of `kind`: a link, the
/// flag is-refund, a transaction's link, type or credit_debit, or one of these that cannot be read.
/// What is not shown contradicts nothing.
bool SignsDisagree(const common::v1::Order& order, events::v1::EventKind kind);

/// Whether an order of `kind` that completed does not say what it moved: its amount or currency
/// cannot be read, the amount is negative, or one of both is missing of a kind that moves money. An
/// amount of 0 says it: of a card that is only verified.
bool AmountIsUnsure(const common::v1::Order& order, events::v1::EventKind kind);

/// Whether an order that was told as one kind shows to be of another one, as a payment that is
/// captured. What is not shown any more contradicts nothing.
bool IsAnotherKind(events::v1::EventKind told, events::v1::EventKind shown);

/// Of a part of an authorization.
bool IsCaptureOrVoid(events::v1::EventKind kind);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_KIND_H_
