#include "base/config/duration_text.h"

#include <array>
#include <charconv>
#include <cstdint>

#include <absl/strings/str_cat.h>

namespace tollbridge::config {
namespace {

struct Unit {
  std::string_view suffix;
  std::int64_t millis;
};
constexpr std::array<Unit, 5> kUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

}  // namespace

std::string FormatDuration(std::chrono::milliseconds value) {
  for (const Unit& unit : kUnits) {
    if (value.count() != 0 && value.count() % unit.millis == 0) {
      return absl::StrCat(value.count() / unit.millis, std::string(unit.suffix));
    }
  }
  return "0s";
}

bool ParseDuration(std::string_view text, std::chrono::milliseconds* out) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& unit : kUnits) {
    if (suffix != unit.suffix) continue;
    if (number > INT64_MAX / unit.millis) return false;
    *out = std::chrono::milliseconds(number * unit.millis);
    return true;
  }
  return false;
}

}  // namespace tollbridge::config
