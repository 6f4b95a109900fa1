#ifndef TOLLBRIDGE_SERVICES_ORDERS_REQUEST_RULES_H_
#define TOLLBRIDGE_SERVICES_ORDERS_REQUEST_RULES_H_

#include <string_view>
#include <vector>

#include <google/protobuf/struct.pb.h>

#include "services/domain/errors.h"
#include "tollbridge/common/v1/customer.pb.h"

namespace tollbridge::orders {

// Rules that requests of several services have in common, beyond those that their fields declare.
// Each adds what is broken to `out`.

using Violations = std::vector<domain::FieldViolation>;

/// A description that carries the mark of an operation, for example one that was read from the
/// service: the new order would be taken for that operation's.
void CheckDescription(std::string_view description, Violations& out);
/// `extra` with the field that only the gateway sets.
void CheckExtra(const google::protobuf::Struct& extra, Violations& out);
/// A state that the customer's country does not have, where its states are listed.
void CheckState(const common::v1::Customer& customer, Violations& out);

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_REQUEST_RULES_H_
