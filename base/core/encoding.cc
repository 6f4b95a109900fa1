#include "base/core/encoding.h"

#include <cstddef>

#include <openssl/crypto.h>

#include <absl/strings/escaping.h>

namespace tollbridge {

std::string Base64Encode(std::string_view raw) {
  return absl::Base64Escape(absl::string_view(raw.data(), raw.size()));
}

std::optional<std::string> Base64Decode(std::string_view text) {
  std::string out;
  if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &out)) return std::nullopt;
  return out;
}

std::string Base64UrlEncode(std::string_view raw) {
  return absl::WebSafeBase64Escape(absl::string_view(raw.data(), raw.size()));
}

std::optional<std::string> Base64UrlDecode(std::string_view text) {
  std::string out;
  if (!absl::WebSafeBase64Unescape(absl::string_view(text.data(), text.size()), &out)) {
    return std::nullopt;
  }
  // absl takes padding, white space and loose bits too: one value has one text only.
  if (Base64UrlEncode(out) != text) return std::nullopt;
  return out;
}

std::string HexEncode(std::string_view raw) {
  return absl::BytesToHexString(absl::string_view(raw.data(), raw.size()));
}

bool ConstantTimeEqual(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tollbridge
