#include "adapters/redis/role.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <string_view>

#include "adapters/redis/errors.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {

absl::StatusOr<std::size_t> ReplicasOfPrimary(const Reply& role) {
  TB_RETURN_IF_ERROR(StatusOf(role));
  if (role.type != Reply::Type::kArray || role.elements.empty()) return UnexpectedReply("ROLE");
  if (role.elements[0].text != "master") {
    return absl::FailedPreconditionError(
        absl::StrCat("not the primary: its role is ", role.elements[0].text));
  }
  if (role.elements.size() < 3) return UnexpectedReply("ROLE");
  return role.elements[2].elements.size();
}

absl::Status CheckIsPrimary(const Reply& role) { return ReplicasOfPrimary(role).status(); }

absl::Status CheckNotDemoted(const Reply& reply) {
  if (reply.type != Reply::Type::kError) return absl::OkStatus();
  std::string_view text = reply.text;
  if (text.starts_with('-')) text.remove_prefix(1);
  if (!text.starts_with("READONLY ") && !text.starts_with("MASTERDOWN ")) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("not the primary any more: ", std::string(text)));
}

}  // namespace tollbridge::redis
