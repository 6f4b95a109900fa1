#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_OUTCOME_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_OUTCOME_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "base/core/uuid.h"
#include "services/operations/keys.h"
#include "services/ports/rng.h"

namespace tollbridge::storage::v1 {
class StoredOutcome;
}

namespace tollbridge::operations {

/// Outcomes above this size are compressed (docs/design/operations.md#rule-17).
inline constexpr std::size_t kCompressAbove = std::size_t{4} * 1024;

/// The outcome as it is stored: compressed when large, encrypted and authenticated with AES-256-GCM
/// under the current key, whose id stands in front, and bound to the operation. Nonces are random,
/// so a key is good for 2^32 outcomes: rotate it at least once a year. RESOURCE_EXHAUSTED when
/// the outcome is larger than ports::kMaxOutcomeBytes, sealed or not; INTERNAL when the library
/// fails.
absl::StatusOr<std::string> SealOutcome(const storage::v1::StoredOutcome& outcome,
                                        const Uuid& operation_id, const KeyRing& keys,
                                        ports::Rng& rng);

/// Beginning of a sealed outcome that says under which key it is.
inline constexpr std::size_t kOutcomeHeadBytes = 3 + 32;
/// The id of that key; nullopt when it is not the beginning of what SealOutcome made.
std::optional<std::string> KeyIdOf(std::string_view head);

/// Reads what SealOutcome made. NOT_FOUND when the key is no longer live; DATA_LOSS when the bytes
/// were changed, or belong to another operation.
absl::StatusOr<storage::v1::StoredOutcome> OpenOutcome(std::string_view sealed,
                                                       const Uuid& operation_id,
                                                       const KeyRing& keys);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_OUTCOME_H_
