#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_TIME_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_TIME_H_

#include <optional>
#include <string>
#include <string_view>

namespace google::protobuf {
class Timestamp;
}  // namespace google::protobuf

namespace tollbridge::payment_service {

// Date-times of the interface (ISO 8601). For the codec only.

/// "2026-01-02T03:04:05Z" with 0, 3, 6 or 9 digits of fraction. nullopt outside the years 1 to
/// 9999 or when nanos are out of range.
std::optional<std::string> FormatWireTime(const google::protobuf::Timestamp& time);

/// Reads "YYYY-MM-DDThh:mm[:ss[.fraction]][Z|+hh:mm|+hhmm|+hh]". Without a zone it is UTC; `T` and
/// `Z` may be small, `T` also a space; digits beyond nanoseconds are dropped. False, and `*time`
/// unchanged, for anything else.
bool ParseWireTime(std::string_view text, google::protobuf::Timestamp* time);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_TIME_H_
