#include "gateway/commands/typed_name.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <cstddef>

#include "base/core/text.h"

namespace tollbridge::gateway {
namespace {

constexpr std::size_t kLongestName = 80;
/// A version is `v1`; a CVC has three.
constexpr int kMostDigits = 2;

}  // namespace

bool LooksLikeAName(std::string_view word) {
  if (word.empty() || word.size() > kLongestName) return false;
  int digits = 0;
  for (const char c : word) {
    const bool digit = absl::ascii_isdigit(static_cast<unsigned char>(c));
    digits = digit ? digits + 1 : 0;
    if (digits > kMostDigits) return false;
    const bool mark = c == '-' || c == '_' || c == '.' || c == '/';
    if (!digit && !mark && !absl::ascii_isalpha(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

std::string Quoted(std::string_view word) {
  return LooksLikeAName(word) ? absl::StrCat(" '", std::string(word), "'") : std::string();
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  if (!LooksLikeAName(word)) return {};
  std::vector<std::string> lower;
  lower.reserve(known.size());
  for (const std::string& name : known) lower.push_back(absl::AsciiStrToLower(name));
  const std::string nearest = NearestName(absl::AsciiStrToLower(std::string(word)), lower);
  for (std::size_t i = 0; !nearest.empty() && i < known.size(); ++i) {
    if (lower[i] == nearest) return absl::StrCat("; did you mean '", known[i], "'?");
  }
  return {};
}

}  // namespace tollbridge::gateway
