#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_START_EVIDENCE_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_START_EVIDENCE_H_

#include "services/operations/evidence.h"

namespace tollbridge::payments {

// The steps that start a transaction (operations.md, Evidence). They happened when the
// transaction's status is no longer `new`, or its events show a start. The service refuses a repeat
// (TransactionAlreadyStarted).

/// The step `initiate`; its result is the common.v1.Order.
const operations::StepKind& InitiateStep();
/// The step `authenticate`; its result is a payments.v1.AuthenticateAnswer without redirect_url,
/// which only the lost answer carried.
const operations::StepKind& AuthenticateStep();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_START_EVIDENCE_H_
