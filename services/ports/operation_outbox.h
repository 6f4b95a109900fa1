#ifndef TOLLBRIDGE_SERVICES_PORTS_OPERATION_OUTBOX_H_
#define TOLLBRIDGE_SERVICES_PORTS_OPERATION_OUTBOX_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::ports {

/// A transition that is not on the operations topic yet, and where the outbox has it.
struct UndrainedRecord {
  std::string place;
  operations::v1::OperationRecord record;
};

/// The outbox of operations: each transition is in it until it is on the operations topic. What was
/// closed is kept for as long as it is configured from then on. Per shard. UNAVAILABLE (reason
/// STORE_UNAVAILABLE) when the store cannot be asked.
class OperationOutbox {
 public:
  virtual ~OperationOutbox() = default;
  /// Up to `limit` transitions of the project, oldest first; those that were taken before and not
  /// drained come again, as the first. None while another outbox has some in hand: for `lease`, or
  /// until it drained some.
  virtual Async<std::vector<UndrainedRecord>> Take(const std::string& project, std::size_t limit,
                                                   Millis lease, const Context& context) = 0;
  /// These are on the topic, and the others that were taken are in nobody's hand any more. Any
  /// number of times.
  virtual AsyncStatus Drained(const std::string& project,
                              const std::vector<UndrainedRecord>& records,
                              const Context& context) = 0;
  /// Of up to `limit` operations that were closed and drained for long enough nothing stays but
  /// that their keys were used; up to as many keys that are old enough are forgotten. How many
  /// there were.
  virtual Async<std::size_t> Retire(const std::string& project, std::size_t limit,
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
