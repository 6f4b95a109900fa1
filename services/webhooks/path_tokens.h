#ifndef TOLLBRIDGE_SERVICES_WEBHOOKS_PATH_TOKENS_H_
#define TOLLBRIDGE_SERVICES_WEBHOOKS_PATH_TOKENS_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "services/domain/project.h"

namespace tollbridge::webhooks {

/// A token shorter than this cannot hold 128 bits as base64url.
inline constexpr std::size_t kMinTokenLength = 22;
/// Live at the same time while rotating.
inline constexpr std::size_t kMaxTokensPerProject = 2;

/// The secrets in the path of a project's webhooks. CREDENTIAL.
struct ProjectTokens {
  const domain::Project* project = nullptr;
  std::vector<std::string> tokens = {};
  /// Where they come from, for errors; may be empty.
  std::string file = {};
};

/// Which project a path token belongs to. Immutable.
class PathTokens {
 public:
  /// INVALID_ARGUMENT, with project and file and without the token in it, when a token is too
  /// short, has a character other than letters, digits, '-', '_', is given twice, or a project has
  /// more than two.
  static absl::StatusOr<PathTokens> Create(std::vector<ProjectTokens> projects);

  /// nullptr when it is nobody's. Compares with every token, in time that depends on the lengths
  /// only.
  const domain::Project* Find(std::string_view token) const;

 private:
  explicit PathTokens(std::vector<ProjectTokens> projects) : projects_(std::move(projects)) {}

  std::vector<ProjectTokens> projects_;
};

}  // namespace tollbridge::webhooks

#endif  // TOLLBRIDGE_SERVICES_WEBHOOKS_PATH_TOKENS_H_
