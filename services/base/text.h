#ifndef TOLLBRIDGE_SERVICES_BASE_TEXT_H_
#define TOLLBRIDGE_SERVICES_BASE_TEXT_H_

#include <cstddef>
#include <string_view>

namespace tollbridge {

/// The beginning of a UTF-8 text, at most `max_bytes` long and not cut inside a character.
std::string_view Truncated(std::string_view text, std::size_t max_bytes);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_SERVICES_BASE_TEXT_H_
