#ifndef TOLLBRIDGE_ADAPTERS_REDIS_RECORD_FORMAT_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_RECORD_FORMAT_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/reply.h"
#include "base/core/uuid.h"
#include "services/ports/family.h"
#include "services/ports/operation_types.h"
#include "services/ports/unresolved_operations.h"

namespace tollbridge::operations::v1 {
class Operation;
class OperationRecord;
}  // namespace tollbridge::operations::v1

namespace tollbridge::redis {

// How values look inside Redis. The records themselves are described in scripts/record.lua and
// scripts/family_state.lua.

/// One letter per state: R, D, U, N, V, A; '-' for none.
char StateLetter(ports::OperationState state);
/// nullopt for text that is no such letter.
std::optional<ports::OperationState> StateOf(std::string_view letter);

/// "A" answered, "R" recovered, "" none.
std::string_view KnowledgeLetter(ports::Knowledge knowledge);

/// What is kept of a sealed outcome: none of one that is too large, which leaves its operation DONE
/// without a result (docs/design/operations.md#rule-17).
std::string_view KeptOutcome(std::string_view outcome);

/// A time or a length of time in ms, in decimal digits.
std::string MillisText(std::chrono::milliseconds value);

/// Cut to what a transition keeps, not inside a character: 256 bytes.
std::string_view ShortenReason(std::string_view reason);
/// Cut to what a record keeps of who works on it: 128 bytes.
std::string_view ShortenOwner(std::string_view owner);

/// The review record of a success that came too late for its attempt.
Uuid LateEffectId(const Uuid& operation, std::string_view epoch, std::uint32_t attempt);
/// The review record of an order that is paid and the outcome of no operation.
Uuid OrphanId(const Uuid& operation, std::string_view order_id);

/// The target of a step as a serialized operations.v1.Step, without state and time.
std::string PackStep(const ports::StepTarget& step);

/// A record as read_record of scripts/record.lua gives it, field and value by turns, as a message.
/// `project`: the name of the one whose it is.
/// nullopt when it is none of ours.
std::optional<operations::v1::Operation> UnpackOperation(const std::string& project, const Uuid& id,
                                                         const std::vector<Reply>& fields);

/// A record as scripts/take_unresolved.lua gives it. nullopt when it is none of ours.
std::optional<ports::DueOperation> UnpackDueOperation(const std::string& project,
                                                      const std::vector<Reply>& fields,
                                                      WallTime now);

/// A transition in the outbox (scripts/record.lua) as a record of the operations topic, without the
/// operation's id, project and review_of. nullopt when it is none of ours.
std::optional<operations::v1::OperationRecord> UnpackOperationRecord(std::string_view transition);

/// A traceparent in 25 bytes; other text as it is. A record must fit Redis' small hash encoding,
/// whose values have at most 64 bytes.
std::string PackTraceparent(std::string_view traceparent);
std::string UnpackTraceparent(std::string_view packed);

/// The full name of an RPC without what all of them begin with, `tollbridge`; another text as it
/// is.
std::string_view PackRpc(std::string_view rpc);
std::string UnpackRpc(std::string_view packed);

/// An order id as its 16 bytes where it is a UUID, else as it is.
std::string PackOrderId(std::string_view order_id);
std::string UnpackOrderId(std::string_view packed);

/// The orders that readers saw, as the record has them.
std::string PackSeen(const std::vector<std::string>& orders);
std::vector<std::string> UnpackSeen(std::string_view packed);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_RECORD_FORMAT_H_
