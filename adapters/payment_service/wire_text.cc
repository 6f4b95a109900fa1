#include "adapters/payment_service/wire_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

#include <absl/strings/str_cat.h>

namespace tollbridge::payment_service {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// The letter after the backslash, or 0 when the byte has no short escape.
char ShortEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->reserve(out->size() + text.size() + 2);
  *out += '"';
  std::size_t plain = 0;  // Where the run of bytes that need no escape begins.
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out->append(text.substr(plain, i - plain));
    plain = i + 1;
    *out += '\\';
    if (const char letter = ShortEscape(text[i]); letter != 0) {
      *out += letter;
    } else {
      *out += "u00";
      *out += kHex[byte >> 4];
      *out += kHex[byte & 0xf];
    }
  }
  out->append(text.substr(plain));
  *out += '"';
}

bool AppendJsonNumber(double number, std::string* out) {
  if (!std::isfinite(number)) return false;
  if (const auto whole = WholeNumber(number)) {
    absl::StrAppend(out, *whole);
    return true;
  }
  std::array<char, 32> buffer;  // The shortest form of a double has at most 24 characters.
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  *out += text;
  // Beyond kMaxExactInteger digits alone would read as an integer, which is not what this is.
  if (text.find_first_of(".e") == std::string_view::npos) *out += ".0";
  return true;
}

std::optional<std::int64_t> WholeNumber(double number) {
  constexpr auto kBound = static_cast<double>(kMaxExactInteger);
  if (!(number >= -kBound && number <= kBound) || std::trunc(number) != number) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

}  // namespace tollbridge::payment_service
