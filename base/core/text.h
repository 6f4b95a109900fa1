#ifndef TOLLBRIDGE_BASE_CORE_TEXT_H_
#define TOLLBRIDGE_BASE_CORE_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tollbridge {

/// The beginning of a UTF-8 text, at most `max_bytes` long and not cut inside a character.
std::string_view Truncated(std::string_view text, std::size_t max_bytes);

/// The text, at most `max_bytes` of it, on one line: control characters, by which it could move a
/// terminal's cursor, are blanks, and card numbers are masked.
std::string OneLine(std::string_view text, std::size_t max_bytes);

/// How many bytes have to be put in, taken out or changed to make one text of the other. Takes time
/// of the product of the lengths.
std::size_t EditDistance(std::string_view a, std::string_view b);

/// The name out of a list that is probably meant by one that is not in it; empty when none is near
/// enough for a slip.
template <typename Names>
std::string NearestName(std::string_view name, const Names& known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance >= std::min(best_distance, candidate.size())) continue;
    best_distance = distance;
    best = candidate;
  }
  return std::string(best);
}

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_TEXT_H_
