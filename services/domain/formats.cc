#include "services/domain/formats.h"

#include <algorithm>
#include <cstddef>

#include <boost/url/parse.hpp>
#include <boost/url/scheme.hpp>
#include <boost/url/url_view.hpp>

#include "base/core/card_numbers.h"

namespace tollbridge::domain {
namespace {

constexpr std::size_t kMaxIdempotencyKey = 128;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Takes digits with at most one fraction from the front of `text`. False when there are none.
bool TakeNumber(std::string_view& text, bool& fraction) {
  std::size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  if (digits == 0) return false;
  text.remove_prefix(digits);
  fraction = !text.empty() && (text.front() == '.' || text.front() == ',');
  if (!fraction) return true;
  text.remove_prefix(1);
  digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  text.remove_prefix(digits);
  return digits > 0;
}

// Reads parts like 1Y2M3D whose letters come in the order of `letters`, to the end of `text`.
bool ReadParts(std::string_view text, std::string_view letters) {
  if (text.empty()) return false;
  while (!text.empty()) {
    bool fraction = false;
    if (!TakeNumber(text, fraction) || text.empty()) return false;
    const std::size_t at = letters.find(text.front());
    if (at == std::string_view::npos) return false;
    letters.remove_prefix(at + 1);
    text.remove_prefix(1);
    if (fraction && !text.empty()) return false;
  }
  return true;
}

}  // namespace

bool IsCurrencyCode(std::string_view text) {
  return text.size() == 3 && std::all_of(text.begin(), text.end(), IsUpper);
}

bool IsTwoLetterCode(std::string_view text) {
  return text.size() == 2 && std::all_of(text.begin(), text.end(), IsUpper);
}

bool IsIso8601Duration(std::string_view text) {
  if (text.size() < 3 || text.front() != 'P') return false;
  text.remove_prefix(1);
  if (text.back() == 'W') return ReadParts(text, "W");
  const std::size_t time = text.find('T');
  if (time == std::string_view::npos) return ReadParts(text, "YMD");
  const std::string_view date = text.substr(0, time);
  // A fraction may only be in the last part of all, and the part after T is later than any date
  // part.
  const bool date_ok = date.empty() || (date.find_first_of(".,") == std::string_view::npos &&
                                        ReadParts(date, "YMD"));
  return date_ok && ReadParts(text.substr(time + 1), "HMS");
}

bool IsHttpUri(std::string_view text) {
  const auto uri = boost::urls::parse_uri({text.data(), text.size()});
  if (!uri.has_value()) return false;
  const boost::urls::scheme scheme = uri->scheme_id();
  if (scheme != boost::urls::scheme::http && scheme != boost::urls::scheme::https) return false;
  const bool port_out_of_range = !uri->port().empty() && uri->port_number() == 0;
  return uri->has_authority() && !uri->encoded_host().empty() && !port_out_of_range;
}

bool IsIdempotencyKey(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdempotencyKey &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool IsCardExpiry(std::string_view text) {
  if (text.size() != 6 || !std::all_of(text.begin(), text.end(), IsDigit)) return false;
  const int month = (text[0] - '0') * 10 + (text[1] - '0');
  return month >= 1 && month <= 12;
}

bool IsCardNumber(std::string_view text) {
  constexpr std::size_t kShortest = 12;
  constexpr std::size_t kLongest = 19;
  return text.size() >= kShortest && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), IsDigit) && PassesLuhn(text);
}

bool IsCardSecurityCode(std::string_view text) {
  return (text.size() == 3 || text.size() == 4) && std::all_of(text.begin(), text.end(), IsDigit);
}

bool IsHostName(std::string_view text) {
  constexpr std::size_t kLongestName = 253;
  constexpr std::size_t kLongestLabel = 63;
  if (text.empty() || text.size() > kLongestName) return false;
  const auto in_label = [](char c) {
    return IsDigit(c) || IsUpper(c) || (c >= 'a' && c <= 'z') || c == '-';
  };
  while (true) {
    const std::size_t dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    if (label.empty() || label.size() > kLongestLabel || label.front() == '-' ||
        label.back() == '-' || !std::all_of(label.begin(), label.end(), in_label)) {
      return false;
    }
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace tollbridge::domain
