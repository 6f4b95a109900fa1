#ifndef TOLLBRIDGE_SERVICES_PORTS_OPERATION_OUTBOX_H_
#define TOLLBRIDGE_SERVICES_PORTS_OPERATION_OUTBOX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"

namespace tollbridge::operations::v1 {
class OperationRecord;
}

namespace tollbridge::ports {

/// Transitions of one operation that are not on the operations topic yet, oldest first, not empty.
struct UndrainedOperation {
  Uuid id;
  std::vector<operations::v1::OperationRecord> records;
};

/// The outbox in the records of operations: a record does not expire before it is drained. Per
/// shard. UNAVAILABLE (reason STORE_UNAVAILABLE) when the store cannot be asked.
class OperationOutbox {
 public:
  virtual ~OperationOutbox() = default;
  /// Up to `limit` operations of the project, oldest first. They are left alone by other takers
  /// until `lease` ends.
  virtual Async<std::vector<UndrainedOperation>> Take(const std::string& project, std::size_t limit,
                                                      Millis lease, const Context& context) = 0;
  /// Transitions up to this number are on the topic.
  virtual AsyncStatus Drained(const std::string& project, const Uuid& id, std::uint32_t number,
                              const Context& context) = 0;
};

/// The topic of operation records. UNAVAILABLE when the broker has not acknowledged by the
/// context's deadline (it may still come).
class OperationLog {
 public:
  virtual ~OperationLog() = default;
  virtual AsyncStatus Append(const operations::v1::OperationRecord& record,
                             const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_OPERATION_OUTBOX_H_
