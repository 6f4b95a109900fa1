#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_FINDINGS_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_FINDINGS_H_

#include <absl/status/status.h>
#include <absl/strings/str_split.h>

#include <string>
#include <vector>

namespace tollbridge::gateway {

/// What check-config found: errors make it fail, warnings do not, and what was seen to be well says
/// that it was looked at.
struct Findings {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<std::string> well;

  void Add(const absl::Status& status) {
    if (!status.ok()) errors.emplace_back(status.message());
  }
  /// Of a status that tells one thing a line.
  void AddLines(const absl::Status& status) {
    if (status.ok()) return;
    for (const auto& line : std::vector<std::string>(absl::StrSplit(status.message(), '\n'))) {
      errors.emplace_back(line);
    }
  }
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_FINDINGS_H_
