#include "base/telemetry/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tollbridge::telemetry {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool InRange(std::string_view text, std::size_t at, unsigned low, unsigned high) {
  if (at >= text.size()) return false;
  const auto byte = static_cast<std::uint8_t>(text[at]);
  return byte >= low && byte <= high;
}

/// Length of the well-formed sequence at `at` (Unicode, table 3-7); 0 when there is none.
std::size_t SequenceAt(std::string_view text, std::size_t at) {
  const auto first = static_cast<std::uint8_t>(text[at]);
  if (first < 0x80) return 1;
  const auto tail = [&](std::size_t i) { return InRange(text, at + i, 0x80, 0xBF); };
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second =
        InRange(text, at + 1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && tail(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second =
        InRange(text, at + 1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string WellFormedUtf8(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<std::uint8_t>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = SequenceAt(text, at);
    out.append(size == 0 ? kReplacement : text.substr(at, size));
    at += size == 0 ? 1 : size;
  }
  return out;
}

}  // namespace tollbridge::telemetry
