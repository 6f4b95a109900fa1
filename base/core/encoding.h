#ifndef TOLLBRIDGE_BASE_CORE_ENCODING_H_
#define TOLLBRIDGE_BASE_CORE_ENCODING_H_

#include <optional>
#include <string>
#include <string_view>

namespace tollbridge {

/// Base64 with padding (RFC 4648, section 4), as HTTP Basic authentication wants it.
std::string Base64Encode(std::string_view raw);
/// nullopt when the text is not base64 of the same form.
std::optional<std::string> Base64Decode(std::string_view text);
/// Encodes for URLs and file names, without padding (RFC 4648, section 5).
std::string Base64UrlEncode(std::string_view raw);
/// nullopt when the text is not base64 of that form.
std::optional<std::string> Base64UrlDecode(std::string_view text);
/// Lower-case hexadecimal.
std::string HexEncode(std::string_view raw);
/// Compares in time that depends on the lengths only. For secrets.
bool ConstantTimeEqual(std::string_view a, std::string_view b);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_ENCODING_H_
