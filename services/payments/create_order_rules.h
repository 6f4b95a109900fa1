#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_RULES_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_RULES_H_

#include <string>
#include <vector>

#include "services/domain/errors.h"
#include "services/domain/project.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// What a request to create an order breaks beyond the rules that its fields declare
/// (docs/architecture.md#validation-before-sending, docs/interface.md#flows): all at once, in the
/// order of the fields. `project` is nullptr when the request names none that is configured.
std::vector<domain::FieldViolation> CreateOrderViolations(const v1::CreateOrderRequest& request,
                                                          const domain::Project* project);

/// A method offered on a hosted page, of an order or a link, that is no way to pay.
void CheckHostedMethods(const google::protobuf::RepeatedPtrField<std::string>& payment_methods,
                        std::vector<domain::FieldViolation>& out);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_RULES_H_
