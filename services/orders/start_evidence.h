#ifndef TOLLBRIDGE_SERVICES_ORDERS_START_EVIDENCE_H_
#define TOLLBRIDGE_SERVICES_ORDERS_START_EVIDENCE_H_

#include "services/operations/evidence.h"
#include "tollbridge/common/v1/transaction.pb.h"

namespace tollbridge::orders {

// The steps that start a transaction (docs/design/operations.md#evidence). They happened when the
// transaction's status is no longer `new`, or its events show a start. The service refuses a repeat
// (TransactionAlreadyStarted).

/// Whether the transaction shows a start.
bool WasStarted(const common::v1::Transaction& transaction);
/// Whether it shows a status at all; without one, that it shows no start proves nothing.
bool ShowsStatus(const common::v1::Transaction& transaction);

/// The step `initiate`; its result is the common.v1.Order.
const operations::StepKind& InitiateStep();
/// The step `authenticate`; its result is a payments.v1.AuthenticateAnswer without redirect_url,
/// which only the lost answer carried.
const operations::StepKind& AuthenticateStep();
/// The step `execute_wallet_b`; its result is a payments.v1.WalletBPayment that holds the order and
/// nothing of the lost answer.
const operations::StepKind& ExecuteWalletBStep();

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_START_EVIDENCE_H_
