#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_IDENTITY_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_IDENTITY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "services/base/uuid.h"

namespace tollbridge::operations {

/// Id of the operation that this key names in this project: computable by anyone who has the key,
/// so that it can be looked for when its record is lost.
Uuid OperationId(const Uuid& project_id, std::string_view idempotency_key);

/// The field of `extra` that carries the mark on create order. Callers may not set it; it is
/// stripped on reads.
inline constexpr std::string_view kMarkField = "tollbridge_operation";

/// `<operation id>.<epoch short id>.<attempt>`.
std::string Mark(const Uuid& operation_id, std::string_view epoch, std::uint32_t attempt);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_IDENTITY_H_
