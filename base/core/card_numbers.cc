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
/// In front of a digit, as in `4111 -- 1111`.
constexpr int kMostSeparators = 4;
constexpr std::size_t kUuidLength = 36;

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

constexpr bool IsLetterOrDigit(char c) {
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

/// Digits of other scripts count too: fullwidth ones (U+FF10 on), Arabic ones (U+0660 on, U+06F0
/// on). These are the first bytes of their UTF-8.
constexpr unsigned char kOfFullwidth = 0xEF;
constexpr unsigned char kOfArabic = 0xD9;
constexpr unsigned char kOfExtendedArabic = 0xDB;

unsigned char ByteAt(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

constexpr bool MayBeDigit(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return IsDigit(c) || byte == kOfFullwidth || byte == kOfArabic || byte == kOfExtendedArabic;
}

struct Digit {
  char digit = 0;
  std::size_t bytes = 0;  ///< 0: there is none
};

Digit ForeignDigitAt(std::string_view text, std::size_t at) {
  const unsigned char second = ByteAt(text, at + 1);
  const auto digit = [&](unsigned byte, unsigned zero, std::size_t bytes) {
    if (byte < zero || byte > zero + 9) return Digit{};
    return Digit{static_cast<char>('0' + (byte - zero)), bytes};
  };
  switch (ByteAt(text, at)) {
    case kOfFullwidth:
      return second == 0xBC ? digit(ByteAt(text, at + 2), 0x90, 3) : Digit{};
    case kOfArabic:
      return digit(second, 0xA0, 2);
    case kOfExtendedArabic:
      return digit(second, 0xB0, 2);
    default:
      return {};
  }
}

Digit DigitAt(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  if (IsDigit(text[at])) return {text[at], 1};
  return MayBeDigit(text[at]) ? ForeignDigitAt(text, at) : Digit{};
}

/// Digits that nothing stands between.
struct Group {
  std::size_t begin = 0;  ///< among the digits of the run
  bool loose = false;     ///< whether a loose separator is in front of it
};

/// Digits that separators may stand between, and where each is in the text.
struct Run {
  std::string digits;
  std::vector<std::size_t> positions;
  std::vector<Group> groups;
  std::size_t end = 0;  ///< behind the last digit, in the text

  std::size_t EndOf(std::size_t group) const {
    return group + 1 < groups.size() ? groups[group + 1].begin : digits.size();
  }
};

struct Separator {
  std::size_t bytes = 0;  ///< 0: there is none
  /// It stands between numbers of a list, or parts of a time, too: only digits in groups as on
  /// cards are a card number then.
  bool loose = false;
};

/// Spaces, dashes and what is not seen at all, as UTF-8 and as the web writes them.
std::size_t LongSeparatorAt(std::string_view rest) {
  constexpr std::array<std::string_view, 6> kOthers = {
      "\xC2\xA0",      // no-break space
      "\xC2\xAD",      // soft hyphen
      "\xE2\x88\x92",  // minus
      "\xE3\x80\x80",  // ideographic space
      "\xEF\xBB\xBF",  // zero width no-break space
      "&nbsp;",        // as in HTML
  };
  for (const std::string_view other : kOthers) {
    if (rest.starts_with(other)) return other.size();
  }
  // Of U+2000 to U+2064 the spaces, the dashes, the ends of lines and what is not seen.
  const unsigned char last = ByteAt(rest, 2);
  const auto is_last = [&](unsigned char from, unsigned char to) {
    return last >= from && last <= to;
  };
  if (rest.starts_with("\xE2\x80")) return is_last(0x80, 0x95) || is_last(0xA8, 0xAF) ? 3 : 0;
  if (rest.starts_with("\xE2\x81")) return is_last(0x9F, 0xA4) ? 3 : 0;
  return 0;
}

/// Of what `%` escapes: 0 where it is no byte.
char EscapedAt(std::string_view text, std::size_t at) {
  const auto digit = [](unsigned char c) -> unsigned {
    if (c >= '0' && c <= '9') return c - '0';
    const unsigned char lower = c | 0x20U;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10U : 16U;
  };
  const unsigned high = digit(ByteAt(text, at + 1));
  const unsigned low = digit(ByteAt(text, at + 2));
  return high < 16 && low < 16 ? static_cast<char>(high << 4U | low) : '\0';
}

Separator SeparatorAt(std::string_view text, std::size_t at);

/// As in addresses, `%20`, which is `%2520` in an address in another. What is not ASCII is one for
/// each of its bytes.
Separator EscapedSeparatorAt(std::string_view text, std::size_t at) {
  std::size_t bytes = 3;
  char byte = EscapedAt(text, at);
  if (byte == '%') {
    bytes += 2;
    byte = EscapedAt(text, at + 2);
  }
  if ((static_cast<unsigned char>(byte) & 0x80U) != 0) return {bytes, false};
  const Separator separator = SeparatorAt({&byte, 1}, 0);
  return separator.bytes == 0 ? Separator{} : Separator{bytes, separator.loose};
}

Separator SeparatorAt(std::string_view text, std::size_t at) {
  switch (text[at]) {
    case ' ':
    case '-':
    case '.':
    case '/':
    case '_':
    case '\t':
      return {1, false};
    case '\r':
      return {ByteAt(text, at + 1) == '\n' ? 2U : 1U, true};
    case '\n':
    case ',':
    case ':':
    case ';':
    case '|':
    case '*':
    case '+':
    case '~':
    case '\'':
      return {1, true};
    case '%':
      return EscapedSeparatorAt(text, at);
    case '&':
    case '\xC2':
    case '\xE2':
    case '\xE3':
    case '\xEF':
      return {LongSeparatorAt(text.substr(at)), false};
    default:
      return {};
  }
}

bool IsUuidAt(std::string_view text, std::size_t at) {
  if (at > 0 && IsLetterOrDigit(text[at - 1])) return false;
  if (text.size() - at < kUuidLength) return false;
  if (text.size() > at + kUuidLength && IsLetterOrDigit(text[at + kUuidLength])) return false;
  return text[at + 8] == '-' && Uuid::Parse(text.substr(at, kUuidLength)).has_value();
}

/// The next digit of a run whose last one is before `at`; `at` itself: the run ends.
struct Next {
  std::size_t at;
  bool loose = false;
};

/// Loose separators count alone: of several, as of the asterisks of what is masked, none does.
Next NextDigit(std::string_view text, std::size_t at) {
  Next next{at};
  for (int i = 0; i <= kMostSeparators && next.at < text.size(); ++i) {
    if (DigitAt(text, next.at).bytes != 0) {
      return next.at > at && IsUuidAt(text, next.at) ? Next{at} : next;
    }
    const Separator separator = SeparatorAt(text, next.at);
    if (separator.bytes == 0 || (separator.loose && next.loose)) break;
    next.at += separator.bytes;
    next.loose = next.loose || separator.loose;
  }
  return {at};
}

/// Reads the run that begins with that digit into `run`, whose memory serves again.
void ReadRun(std::string_view text, std::size_t at, Run* run) {
  run->digits.clear();
  run->positions.clear();
  run->groups.assign(1, Group{});
  for (;;) {
    for (Digit digit = DigitAt(text, at); digit.bytes != 0; digit = DigitAt(text, at)) {
      run->digits.push_back(digit.digit);
      run->positions.push_back(at);
      at += digit.bytes;
    }
    run->end = at;
    const Next next = NextDigit(text, at);
    if (next.at == at) return;
    run->groups.push_back({run->digits.size(), next.loose});
    at = next.at;
  }
}

/// Of a byte, whether a run, a UUID or an escaped separator may begin with it.
constexpr std::array<bool, 256> kMayBegin = [] {
  std::array<bool, 256> may{};
  for (std::size_t i = 0; i < may.size(); ++i) {
    const auto c = static_cast<char>(i);
    may[i] = MayBeDigit(c) || c == '%' || (IsLetterOrDigit(c) && (c | 0x20) <= 'f');
  }
  return may;
}();

/// Calls `visit` with each run that is long enough for a card number, until it returns false.
template <typename Visit>
void ForEachRun(std::string_view text, Visit visit) {
  if (text.size() < kShortest) return;
  if (std::ranges::count_if(text, MayBeDigit) < static_cast<std::ptrdiff_t>(kShortest)) return;
  Run run;
  std::size_t at = 0;
  while (at < text.size()) {
    if (!kMayBegin[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    if (text[at] == '%') {
      // The digits of `%20` are none of the number behind it.
      at += std::max<std::size_t>(EscapedSeparatorAt(text, at).bytes, 1);
      continue;
    }
    if (IsUuidAt(text, at)) {
      at += kUuidLength;
      continue;
    }
    if (DigitAt(text, at).bytes == 0) {
      ++at;
      continue;
    }
    ReadRun(text, at, &run);
    if (run.digits.size() >= kShortest && !visit(run)) return;
    at = run.end;
  }
}

/// Calls `visit` with begin and end of each part of a run that has no loose separators.
template <typename Visit>
void ForEachTightPart(const Run& run, Visit visit) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= run.groups.size(); ++i) {
    if (i < run.groups.size() && !run.groups[i].loose) continue;
    const std::size_t end = run.EndOf(i - 1);
    if (end - begin >= kShortest) visit(begin, end);
    begin = end;
  }
}

/// The groups that the digits of cards are printed in, and the first of each.
constexpr std::size_t kFirstPrinted = 4;
constexpr std::array<std::array<std::size_t, 5>, 4> kPrinted = {
    {{4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}, {4, 4, 4, 4, 3}}};

/// Where digits end that begin with that group and are grouped so; 0: they are not.
std::size_t EndOfPrinted(const Run& run, std::size_t group,
                         const std::array<std::size_t, 5>& lengths) {
  std::size_t end = 0;
  for (const std::size_t length : lengths) {
    if (length == 0) break;
    if (group >= run.groups.size()) return 0;
    end = run.EndOf(group);
    if (end - run.groups[group].begin != length) return 0;
    ++group;
  }
  return end;
}

/// Calls `visit` with begin and end of what reads as a card number in groups as on a card.
template <typename Visit>
void ForEachPrinted(const Run& run, Visit visit) {
  for (std::size_t i = 0; i < run.groups.size(); ++i) {
    const std::size_t begin = run.groups[i].begin;
    if (run.EndOf(i) - begin != kFirstPrinted) continue;
    for (const auto& lengths : kPrinted) {
      const std::size_t end = EndOfPrinted(run, i, lengths);
      if (end == 0) continue;
      const std::string_view digits = run.digits;
      if (ReadsAsCardNumber(digits.substr(begin, end - begin))) visit(begin, end);
    }
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

/// The asterisk that takes as many bytes as the digit: the text behind it stays where it is.
void MaskDigit(std::size_t at, std::string* text) {
  switch (ByteAt(*text, at)) {
    case kOfFullwidth:
      text->replace(at, 3, "\xEF\xBC\x8A");
      return;
    case kOfArabic:
    case kOfExtendedArabic:
      text->replace(at, 2, "\xD9\xAD");
      return;
    default:
      (*text)[at] = '*';
  }
}

void Mask(const Run& run, std::size_t begin, std::size_t end, std::string* text) {
  for (std::size_t i = begin + kKeptInFront; i + kKeptBehind < end; ++i) {
    MaskDigit(run.positions[i], text);
  }
}

/// Masks what reads as a card number among the digits from `first` to `last`.
void MaskPart(const Run& run, std::size_t first, std::size_t last, Doubt doubt, std::string* text) {
  const std::string_view digits = std::string_view(run.digits).substr(first, last - first);
  const LuhnSums sums(digits);
  if (doubt == Doubt::kMasks && digits.size() <= kLongest && sums.Passes(0, digits.size())) {
    Mask(run, first, last, text);
  }
  for (std::size_t begin = 0; begin + kShortest <= digits.size(); ++begin) {
    const std::uint32_t lengths = LengthsOf(digits.substr(begin));
    for (std::size_t length = kShortest; length <= kLongest; ++length) {
      const std::size_t end = begin + length;
      if (end > digits.size()) break;
      if ((lengths >> length & 1U) != 0 && sums.Passes(begin, end)) {
        Mask(run, first + begin, first + end, text);
      }
    }
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

std::string MaskCardNumbers(std::string_view text, Doubt doubt) {
  std::string out(text);
  ForEachRun(text, [&](const Run& run) {
    ForEachTightPart(
        run, [&](std::size_t begin, std::size_t end) { MaskPart(run, begin, end, doubt, &out); });
    ForEachPrinted(run, [&](std::size_t begin, std::size_t end) { Mask(run, begin, end, &out); });
    return true;
  });
  return out;
}

bool HoldsCardNumber(std::string_view text) {
  bool holds = false;
  ForEachRun(text, [&](const Run& run) {
    const std::string_view digits = run.digits;
    const auto look = [&](std::size_t begin, std::size_t end) {
      holds = holds || ReadsAsCardNumber(digits.substr(begin, end - begin));
    };
    ForEachTightPart(run, look);
    for (std::size_t i = 0; i < run.groups.size(); ++i) look(run.groups[i].begin, run.EndOf(i));
    ForEachPrinted(run, [&](std::size_t begin, std::size_t end) {
      holds = holds || (begin == 0 && end == digits.size());
    });
    return !holds;
  });
  return holds;
}

}  // namespace tollbridge
