#ifndef TOLLBRIDGE_SERVICES_PAYOUTS_PAYOUT_EVIDENCE_H_
#define TOLLBRIDGE_SERVICES_PAYOUTS_PAYOUT_EVIDENCE_H_

#include <string_view>

#include "services/operations/evidence.h"
#include "tollbridge/common/v1/order.pb.h"

/// How the steps of a payout are recognized (docs/design/operations.md#evidence: payout). Until
/// `authenticate` is sent no money can have moved, so the steps before it only prepare: any failure
/// of theirs is NOT_EXECUTED, and the next run starts with a new order.
namespace tollbridge::payouts {

inline constexpr std::string_view kPayoutMethod = "credit-card-oct";

/// The order's transaction that pays out; nullptr when it has none (docs/interface.md#card-payout).
const common::v1::Transaction* PayoutTransaction(const common::v1::Order& order);

/// The step `payout_order`: creates the order, without the card.
const operations::StepKind& PayoutOrderStep();
/// The step `payout_card`: stores the card for it.
const operations::StepKind& PayoutCardStep();
/// The step `payout_authenticate`. It happened when the transaction shows a start: that of the
/// evidence's order, else of any order that carries the mark of the operation, in any attempt. Its
/// result is a payments.v1.AuthenticateAnswer without redirect_url.
const operations::StepKind& PayoutAuthenticateStep();

}  // namespace tollbridge::payouts

#endif  // TOLLBRIDGE_SERVICES_PAYOUTS_PAYOUT_EVIDENCE_H_
