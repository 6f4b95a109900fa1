#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_OUTCOME_PACKING_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_OUTCOME_PACKING_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tollbridge::operations {

/// Makes an ordinary outcome, of less than some KiB, about half as long: UUIDs become their 16
/// bytes, each once, and the rest is deflated with a dictionary of what answers commonly say.
/// nullopt when the library fails. What it makes outlives a release: a change of the form or of the
/// dictionary is another flag of a sealed outcome (outcome.cc).
std::optional<std::string> PackOutcome(std::string_view plain);

/// The reverse. nullopt for what PackOutcome did not make, or what would be longer than `most`.
std::optional<std::string> UnpackOutcome(std::string_view packed, std::size_t most);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_OUTCOME_PACKING_H_
