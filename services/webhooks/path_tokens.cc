#include "services/webhooks/path_tokens.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <set>

#include "base/core/encoding.h"

namespace tollbridge::webhooks {
namespace {

absl::Status Invalid(const domain::Project& project, std::string_view rule) {
  std::string message = "webhook tokens of project ";
  message.append(project.name).append(": ").append(rule);
  return absl::InvalidArgumentError(message);
}

bool IsTokenCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
}

}  // namespace

absl::StatusOr<PathTokens> PathTokens::Create(std::vector<ProjectTokens> projects) {
  std::set<std::string_view> seen;
  for (const ProjectTokens& each : projects) {
    if (each.tokens.size() > kMaxTokensPerProject) {
      return Invalid(*each.project, "at most two can be live");
    }
    for (const std::string& token : each.tokens) {
      if (token.size() < kMinTokenLength) return Invalid(*each.project, "at least 128 bits");
      if (!std::all_of(token.begin(), token.end(), IsTokenCharacter)) {
        return Invalid(*each.project, "letters, digits, '-' and '_' only");
      }
      if (!seen.insert(token).second) return Invalid(*each.project, "each token once only");
    }
  }
  return PathTokens(std::move(projects));
}

const domain::Project* PathTokens::Find(std::string_view token) const {
  const domain::Project* found = nullptr;
  for (const ProjectTokens& each : projects_) {
    for (const std::string& known : each.tokens) {
      // No early way out: how long it takes tells nothing about which token came close.
      if (ConstantTimeEqual(known, token)) found = each.project;
    }
  }
  return found;
}

}  // namespace tollbridge::webhooks
