#include "services/operations/identity.h"

namespace tollbridge::operations {

Uuid OperationId(const Uuid& project_id, std::string_view idempotency_key) {
  return Uuid::V5(project_id, idempotency_key);
}

}  // namespace tollbridge::operations
