#ifndef TOLLBRIDGE_SERVICES_PORTS_REFUSED_CALLS_H_
#define TOLLBRIDGE_SERVICES_PORTS_REFUSED_CALLS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "services/ports/context.h"
#include "services/ports/operation_outbox.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::ports {

/// So many refused calls of a project wait for the operations topic at most.
inline constexpr std::size_t kMostRefusedCalls = 10'000;

struct RefusedCallsPage {
  std::vector<UndrainedRecord> records;
  /// Where the next page begins; empty on the last.
  std::string next;
};

/// Calls that were refused for want of a permission, until they are on the operations topic
/// (docs/design/operations.md#records-for-audit). Apart from the OperationOutbox, so that whoever
/// is refused fills nobody's outbox. Per shard. UNAVAILABLE (reason STORE_UNAVAILABLE) when the
/// store cannot be asked.
class RefusedCalls {
 public:
  virtual ~RefusedCalls() = default;
  /// Keeps the record with the project's. False: kMostRefusedCalls wait there already, and it is
  /// not kept.
  virtual Async<bool> Note(const std::string& project,
                           const operations::v1::OperationRecord& record,
                           const Context& context) = 0;
  /// The project's from the page `next` on, up to `limit`, oldest first; those that were taken
  /// before and not drained come again. What cannot be read is left out and stays. Whoever takes at
  /// the same time takes the same: as exact copies.
  virtual Async<RefusedCallsPage> Take(const std::string& project, const std::string& next,
                                       std::size_t limit, const Context& context) = 0;
  /// These are on the topic. Any number of times.
  virtual AsyncStatus Drained(const std::string& project,
                              const std::vector<UndrainedRecord>& records,
                              const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_REFUSED_CALLS_H_
