#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_LIFECYCLE_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_LIFECYCLE_H_

#include <span>
#include <string>
#include <string_view>

#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// One way from state to state. The table of all of them is what the scripts may do to a record
/// (checked by the contract suite), and what docs/guides/idempotency.md draws.
struct Change {
  v1::OperationState from;  ///< UNSPECIFIED: there was no record
  v1::OperationState to;
  std::string_view when;
};

std::span<const Change> Changes();

/// Whether the table has this change.
bool IsChange(v1::OperationState from, v1::OperationState to);

/// The table as a Mermaid state diagram.
std::string StateDiagram();

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_LIFECYCLE_H_
