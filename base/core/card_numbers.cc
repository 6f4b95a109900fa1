#include "base/core/card_numbers.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tollbridge {
namespace {

constexpr std::size_t kShortest = 13;
constexpr std::size_t kLongest = 19;
constexpr std::size_t kKeptInFront = 6;
constexpr std::size_t kKeptBehind = 4;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool PassesLuhn(std::string_view digits) {
  int sum = 0;
  bool twice = false;
  for (auto it = digits.rbegin(); it != digits.rend(); ++it) {
    if (!IsDigit(*it)) return false;
    int value = *it - '0';
    if (twice) {
      value *= 2;
      if (value > 9) value -= 9;
    }
    sum += value;
    twice = !twice;
  }
  return !digits.empty() && sum % 10 == 0;
}

std::string MaskCardNumbers(std::string_view text) {
  std::string out(text);
  if (std::ranges::count_if(text, IsDigit) < static_cast<std::ptrdiff_t>(kShortest)) return out;
  std::size_t i = 0;
  while (i < out.size()) {
    if (!IsDigit(out[i])) {
      ++i;
      continue;
    }
    std::vector<std::size_t> positions;
    std::string digits;
    std::size_t end = i;
    while (end < out.size()) {
      if (IsDigit(out[end])) {
        positions.push_back(end);
        digits.push_back(out[end]);
        ++end;
      } else if ((out[end] == ' ' || out[end] == '-') && end + 1 < out.size() &&
                 IsDigit(out[end + 1])) {
        ++end;
      } else {
        break;
      }
    }
    if (digits.size() >= kShortest && digits.size() <= kLongest && PassesLuhn(digits)) {
      for (std::size_t k = kKeptInFront; k + kKeptBehind < positions.size(); ++k)
        out[positions[k]] = '*';
    }
    i = end;
  }
  return out;
}

}  // namespace tollbridge
