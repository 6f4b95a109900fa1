#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_RULES_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_RULES_H_

#include <vector>

#include "services/domain/errors.h"
#include "services/domain/project.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// What a request to create an order breaks beyond the rules that its fields declare (design.md,
/// Validation before sending; interface document, Flows): all at once, in the order of the fields.
/// `project` is nullptr when the request names none that is configured.
std::vector<domain::FieldViolation> CreateOrderViolations(const v1::CreateOrderRequest& request,
                                                          const domain::Project* project);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_RULES_H_
