#ifndef TOLLBRIDGE_SERVICES_DOMAIN_FORMATS_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_FORMATS_H_

#include <string_view>

namespace tollbridge::domain {

// The shapes that options.proto's Format names, one function each. UUIDs: base/core/uuid.h.

/// ISO 4217 code by its form: three upper-case letters.
bool IsCurrencyCode(std::string_view text);
/// Two upper-case letters: a country (ISO 3166-1 alpha-2) or a state, by its form.
bool IsTwoLetterCode(std::string_view text);
/// ISO 8601 duration with at least one part: PT1H, P20D, P2W, P1Y2M3DT4H5M6S. The last part may
/// have a fraction.
bool IsIso8601Duration(std::string_view text);
/// Absolute http or https URI with a host.
bool IsHttpUri(std::string_view text);
/// 1 to 128 printable ASCII characters.
bool IsIdempotencyKey(std::string_view text);
/// MMYYYY with a month of 01 to 12.
bool IsCardExpiry(std::string_view text);
/// 12 to 19 digits, the last of which is the check digit of the others (ISO/IEC 7812, Luhn).
bool IsCardNumber(std::string_view text);
/// Three or four digits.
bool IsCardSecurityCode(std::string_view text);
/// Labels of letters, digits and inner hyphens, parted by dots; 253 characters at most.
bool IsHostName(std::string_view text);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_FORMATS_H_
