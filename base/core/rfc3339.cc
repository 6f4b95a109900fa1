#include "base/core/rfc3339.h"

#include <absl/time/time.h>

#include <string>

namespace tollbridge {

std::optional<std::chrono::sys_time<std::chrono::milliseconds>> ParseRfc3339(
    std::string_view text) {
  // absl's parser passes over blanks around the time, and knows times without end.
  constexpr std::size_t kShortest = std::string_view("2026-01-02T03:04:05Z").size();
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() < kShortest || !is_digit(text.front())) return std::nullopt;
  if (!is_digit(text.back()) && text.back() != 'Z' && text.back() != 'z') return std::nullopt;
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, std::string(text), &time, &error)) return std::nullopt;
  return std::chrono::sys_time<std::chrono::milliseconds>(
      std::chrono::milliseconds(absl::ToUnixMillis(time)));
}

}  // namespace tollbridge
