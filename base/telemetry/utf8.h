#ifndef TOLLBRIDGE_BASE_TELEMETRY_UTF8_H_
#define TOLLBRIDGE_BASE_TELEMETRY_UTF8_H_

#include <string>
#include <string_view>

namespace tollbridge::telemetry {

/// The text with each byte that is not part of well-formed UTF-8 replaced by U+FFFD, so that a log
/// line is JSON whatever a caller sent.
std::string WellFormedUtf8(std::string_view text);

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_UTF8_H_
