#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_IDENTITY_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_IDENTITY_H_

#include <string_view>

#include "base/core/uuid.h"

namespace tollbridge::operations {

/// Id of the operation that this key names in this project: computable by anyone who has the key,
/// so that it can be looked for when its record is lost.
Uuid OperationId(const Uuid& project_id, std::string_view idempotency_key);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_IDENTITY_H_
