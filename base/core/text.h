#ifndef TOLLBRIDGE_BASE_CORE_TEXT_H_
#define TOLLBRIDGE_BASE_CORE_TEXT_H_

#include <cstddef>
#include <string_view>

namespace tollbridge {

/// The beginning of a UTF-8 text, at most `max_bytes` long and not cut inside a character.
std::string_view Truncated(std::string_view text, std::size_t max_bytes);

/// How many bytes have to be put in, taken out or changed to make one text of the other: for naming
/// the nearest known name. Takes time of the product of the lengths.
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_TEXT_H_
