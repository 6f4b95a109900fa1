#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_MONEY_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_MONEY_H_

#include <optional>
#include <string_view>

#include <absl/status/status.h>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "base/telemetry/metrics.h"
#include "services/operations/plan.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/operation_store.h"
#include "services/ports/payment_service.h"

/// Limits of the money that goes out in a day (docs/design/operations.md#rule-18).
namespace tollbridge::operations {

/// `refunds` or `payouts`: in names of limits, and as a label.
std::string_view MoneyKindName(MoneyKind kind);

/// What the plan counts for; nullopt where no limit of its project concerns it. Its limits are not
/// known where they hang on the order: on its currency, which the plan does not say, or on what it
/// is.
std::optional<ports::MoneyClaim> MoneyClaimOf(const Plan& plan);

/// Reads the plan's order at the payment service, and sets the limits of the claim by its currency;
/// of a plan that moves no money with it there is no claim of money any more. An error is the
/// caller's: nothing is claimed then.
AsyncStatus LearnFromOrder(ports::PaymentService& service, const Plan& plan,
                           const ports::Context& context, std::optional<ports::MoneyClaim>& claim);

/// `limit` as in ports::ClaimResult.
void CountMoneyLimited(telemetry::Metrics& metrics, const MoneyMoved& money,
                       std::string_view limit);

/// What the caller of a claim is told that would pass a limit: FAILED_PRECONDITION MONEY_LIMIT,
/// with the limit and when its day ends; SAFE_SAME_KEY with the time until then, or AFTER_CHANGE
/// where it would pass the limit on any day.
absl::Status MoneyLimitPassed(const Uuid& operation_id, const ports::MoneyClaim& claim,
                              const ports::ClaimResult& claimed, WallTime now);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_MONEY_H_
