#include "services/webhooks/path_tokens.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <set>

#include "base/core/encoding.h"

namespace tollbridge::webhooks {
namespace {

absl::Status Invalid(const ProjectTokens& of, std::string_view rule) {
  std::string message = "webhook tokens of project ";
  message.append(of.project->name);
  if (!of.file.empty()) message.append(": ").append(of.file);
  message.append(": ").append(rule);
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
      return Invalid(each, "at most two can be live");
    }
    for (const std::string& token : each.tokens) {
      if (token.size() < kMinTokenLength)
        return Invalid(each, "at least 128 bits, which are 22 characters");
      if (!std::all_of(token.begin(), token.end(), IsTokenCharacter)) {
        return Invalid(each, "letters, digits, '-' and '_' only");
      }
      if (!seen.insert(token).second) return Invalid(each, "each token once only");
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
