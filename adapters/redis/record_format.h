#ifndef TOLLBRIDGE_ADAPTERS_REDIS_RECORD_FORMAT_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_RECORD_FORMAT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/reply.h"
#include "services/base/uuid.h"
#include "services/ports/family.h"
#include "services/ports/operation_store.h"

namespace tollbridge::redis {

// How values look inside Redis. The records themselves are described in scripts/record.lua and
// scripts/load_family.lua.

/// One letter per state: R, D, U, N, V.
char StateLetter(ports::OperationState state);
/// nullopt for text that is no such letter.
std::optional<ports::OperationState> StateOf(std::string_view letter);

/// The evidence of a step as a serialized operations.v1.Step, without state and time.
std::string PackStep(const ports::StepEvidence& step);

/// The record that HGETALL gave, field and value by turns, as a message. nullopt when it is none
/// of ours.
std::optional<operations::v1::Operation> UnpackOperation(const Uuid& id,
                                                         const std::vector<Reply>& fields);

/// A traceparent in 25 bytes; other text as it is. A record must fit Redis' small hash encoding,
/// whose values have at most 64 bytes.
std::string PackTraceparent(std::string_view traceparent);
std::string UnpackTraceparent(std::string_view packed);

/// An order id as its 16 bytes where it is a UUID, else as it is.
std::string PackOrderId(std::string_view order_id);

/// A family in keys and in the due queue: 16 bytes of the root's id, then the project's name.
std::string PackFamily(const ports::FamilyKey& key);
std::optional<ports::FamilyKey> UnpackFamily(std::string_view packed);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_RECORD_FORMAT_H_
