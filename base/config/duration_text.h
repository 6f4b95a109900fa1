#ifndef TOLLBRIDGE_BASE_CONFIG_DURATION_TEXT_H_
#define TOLLBRIDGE_BASE_CONFIG_DURATION_TEXT_H_

#include <chrono>
#include <string>
#include <string_view>

namespace tollbridge::config {

/// `10s` and the like; whole number of the largest unit that fits.
std::string FormatDuration(std::chrono::milliseconds value);

/// False when the text is no duration.
bool ParseDuration(std::string_view text, std::chrono::milliseconds* out);

}  // namespace tollbridge::config

#endif  // TOLLBRIDGE_BASE_CONFIG_DURATION_TEXT_H_
