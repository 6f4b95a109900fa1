#include "base/core/card_numbers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/core/uuid.h"

namespace tollbridge {
namespace {

constexpr std::size_t kShortest = 13;
constexpr std::size_t kLongest = 19;
constexpr std::size_t kKeptInFront = 6;
constexpr std::size_t kKeptBehind = 4;
/// As in `4111 - 1111`.
constexpr int kMostSeparators = 3;
constexpr std::size_t kUuidLength = 36;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsLetterOrDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

int Doubled(int digit) { return digit < 5 ? digit * 2 : digit * 2 - 9; }

constexpr std::uint32_t Lengths(std::size_t from, std::size_t to) {
  std::uint32_t set = 0;
  for (std::size_t length = from; length <= to; ++length) set |= 1U << length;
  return set;
}

/// How numbers of cards begin, by their first four digits, and how long they are then (ISO/IEC 7812
/// and what is known of the ranges in use).
struct CardRange {
  int from;
  int to;
  std::uint32_t lengths;
};

constexpr std::array<CardRange, 17> kCardRanges = {{
    {2200, 2204, Lengths(16, 19)},
    {2221, 2720, Lengths(16, 16)},
    {3000, 3059, Lengths(14, 14) | Lengths(16, 19)},
    {3095, 3095, Lengths(14, 14) | Lengths(16, 19)},
    {3400, 3499, Lengths(15, 15)},
    {3528, 3589, Lengths(16, 19)},
    {3600, 3699, Lengths(14, 14) | Lengths(16, 19)},
    {3700, 3799, Lengths(15, 15)},
    {3800, 3999, Lengths(14, 14) | Lengths(16, 19)},
    {4000, 4999, Lengths(16, 16) | Lengths(18, 19)},
    {5000, 5099, Lengths(13, 13) | Lengths(16, 16) | Lengths(18, 19)},
    {5100, 5599, Lengths(16, 16)},
    {5600, 5899, Lengths(13, 13) | Lengths(16, 16) | Lengths(18, 19)},
    {6000, 6599, Lengths(16, 19)},
    {6700, 6799, Lengths(13, 13) | Lengths(16, 16) | Lengths(18, 19)},
    {8100, 8299, Lengths(16, 19)},
    {9792, 9792, Lengths(16, 16)},
}};

/// The lengths of cards whose numbers begin so; `digits` are at least kShortest.
std::uint32_t LengthsOf(std::string_view digits) {
  int first = 0;
  for (const char c : digits.substr(0, 4)) first = first * 10 + (c - '0');
  for (const CardRange& range : kCardRanges) {
    if (first >= range.from && first <= range.to) return range.lengths;
  }
  return 0;
}

/// Digits that separators may stand between, and where each is in the text.
struct Run {
  std::string digits;
  std::vector<std::size_t> positions;
  std::size_t end = 0;  ///< behind the last digit, in the text
};

/// Length in bytes of the separator at `at`; 0: there is none. Of UTF-8 those are no-break spaces
/// (U+00A0, U+202F), the spaces of typesetting and the dashes (U+2000 to U+2015), and the minus.
std::size_t SeparatorAt(std::string_view text, std::size_t at) {
  constexpr std::string_view kOneByte = " -./_\t";
  if (kOneByte.find(text[at]) != std::string_view::npos) return 1;
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("\xC2\xA0")) return 2;
  if (rest.starts_with("\xE2\x80\xAF") || rest.starts_with("\xE2\x88\x92")) return 3;
  if (rest.size() >= 3 && rest.starts_with("\xE2\x80")) {
    const auto last = static_cast<unsigned char>(rest[2]);
    if (last >= 0x80 && last <= 0x95) return 3;
  }
  return 0;
}

bool IsUuidAt(std::string_view text, std::size_t at) {
  if (at > 0 && IsLetterOrDigit(text[at - 1])) return false;
  if (text.size() - at < kUuidLength) return false;
  if (text.size() > at + kUuidLength && IsLetterOrDigit(text[at + kUuidLength])) return false;
  return text[at + 8] == '-' && Uuid::Parse(text.substr(at, kUuidLength)).has_value();
}

/// Where the next digit of a run is whose last one is before `at`; `at` itself: the run ends.
std::size_t NextDigit(std::string_view text, std::size_t at) {
  std::size_t next = at;
  for (int i = 0; i <= kMostSeparators && next < text.size(); ++i) {
    if (IsDigit(text[next])) return next > at && IsUuidAt(text, next) ? at : next;
    const std::size_t separator = SeparatorAt(text, next);
    if (separator == 0) return at;
    next += separator;
  }
  return at;
}

Run RunAt(std::string_view text, std::size_t begin) {
  Run run;
  std::size_t at = begin;
  while (at < text.size() && IsDigit(text[at])) {
    run.digits.push_back(text[at]);
    run.positions.push_back(at);
    run.end = at + 1;
    at = NextDigit(text, run.end);
  }
  return run;
}

/// Calls `visit` with each run that is long enough for a card number, until it returns false.
template <typename Visit>
void ForEachRun(std::string_view text, Visit visit) {
  if (std::ranges::count_if(text, IsDigit) < static_cast<std::ptrdiff_t>(kShortest)) return;
  std::size_t at = 0;
  while (at < text.size()) {
    if (IsLetterOrDigit(text[at]) && IsUuidAt(text, at)) {
      at += kUuidLength;
      continue;
    }
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    const Run run = RunAt(text, at);
    if (run.digits.size() >= kShortest && !visit(run)) return;
    at = run.end;
  }
}

/// Luhn's sums of any part of a run, each in constant time: a text of digits alone has very many.
class LuhnSums {
 public:
  explicit LuhnSums(std::string_view digits) {
    for (std::size_t odd = 0; odd < 2; ++odd) {
      sums_[odd].push_back(0);
      for (std::size_t i = 0; i < digits.size(); ++i) {
        const int digit = digits[i] - '0';
        sums_[odd].push_back(sums_[odd].back() + (i % 2 == odd ? Doubled(digit) : digit));
      }
    }
  }

  /// From the last digit, which is before `end`, every second one is doubled.
  bool Passes(std::size_t begin, std::size_t end) const {
    const std::vector<int>& sums = sums_[end % 2];
    return (sums[end] - sums[begin]) % 10 == 0;
  }

 private:
  std::array<std::vector<int>, 2> sums_;
};

void Mask(const Run& run, std::size_t begin, std::size_t end, std::string* text) {
  for (std::size_t i = begin + kKeptInFront; i + kKeptBehind < end; ++i) {
    (*text)[run.positions[i]] = '*';
  }
}

}  // namespace

bool PassesLuhn(std::string_view digits) {
  if (digits.empty() || !std::ranges::all_of(digits, IsDigit)) return false;
  return LuhnSums(digits).Passes(0, digits.size());
}

bool ReadsAsCardNumber(std::string_view digits) {
  if (digits.size() < kShortest || digits.size() > kLongest || !PassesLuhn(digits)) return false;
  return (LengthsOf(digits) >> digits.size() & 1U) != 0;
}

std::string MaskCardNumbers(std::string_view text) {
  std::string out(text);
  ForEachRun(text, [&](const Run& run) {
    const std::string_view digits = run.digits;
    const LuhnSums sums(digits);
    if (digits.size() <= kLongest && sums.Passes(0, digits.size())) {
      Mask(run, 0, digits.size(), &out);
    }
    for (std::size_t begin = 0; begin + kShortest <= digits.size(); ++begin) {
      const std::uint32_t lengths = LengthsOf(digits.substr(begin));
      for (std::size_t length = kShortest; length <= kLongest; ++length) {
        const std::size_t end = begin + length;
        if (end > digits.size()) break;
        if ((lengths >> length & 1U) != 0 && sums.Passes(begin, end)) Mask(run, begin, end, &out);
      }
    }
    return true;
  });
  return out;
}

bool HoldsCardNumber(std::string_view text) {
  bool holds = false;
  ForEachRun(text, [&](const Run& run) {
    const std::string_view digits = run.digits;
    holds = ReadsAsCardNumber(digits);
    for (std::size_t begin = 0, end = 1; end <= digits.size() && !holds; ++end) {
      if (end < digits.size() && run.positions[end] == run.positions[end - 1] + 1) continue;
      holds = ReadsAsCardNumber(digits.substr(begin, end - begin));
      begin = end;
    }
    return !holds;
  });
  return holds;
}

}  // namespace tollbridge
