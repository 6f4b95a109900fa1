#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_TEXT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tollbridge::payment_service {

// Single JSON values as text. For the codec only.

/// Up to this magnitude every whole number is a double of its own.
inline constexpr std::int64_t kMaxExactInteger = std::int64_t{1} << 53;

/// A JSON string with its quotes. `text` is valid UTF-8, as protobuf strings are.
void AppendJsonString(std::string_view text, std::string* out);

/// A JSON number: a whole number without fraction or exponent up to kMaxExactInteger, else the
/// shortest text that reads back as the same double. False, and nothing appended, when it is not
/// finite.
bool AppendJsonNumber(double number, std::string* out);

/// The number as an integer, when it is a whole one within kMaxExactInteger.
std::optional<std::int64_t> WholeNumber(double number);

/// A decimal integer with nothing around it, within int64.
std::optional<std::int64_t> ParseInteger(std::string_view text);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_TEXT_H_
