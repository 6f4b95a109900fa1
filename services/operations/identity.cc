#include "services/operations/identity.h"

namespace tollbridge::operations {

Uuid OperationId(const Uuid& project_id, std::string_view idempotency_key) {
  return Uuid::V5(project_id, idempotency_key);
}

std::string Mark(const Uuid& operation_id, std::string_view epoch, std::uint32_t attempt) {
  std::string mark = operation_id.ToString();
  mark.append(".").append(epoch).append(".").append(std::to_string(attempt));
  return mark;
}

}  // namespace tollbridge::operations
