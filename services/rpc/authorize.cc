#include "services/rpc/authorize.h"

#include <string>
#include <string_view>

#include <absl/strings/str_cat.h>

#include "services/domain/errors.h"
#include "services/rpc/call.h"
#include "services/rpc/request_project.h"

namespace tollbridge::rpc {
namespace {

// Names what the caller lacks, and nothing of what others have. A name that is not configured is
// not repeated: it could be any text.
absl::Status Denied(const std::string& permission, std::string_view project) {
  const std::string where = project.empty()
                                ? "without a project that is configured"
                                : absl::StrCat("in the project '", std::string(project), "'");
  return domain::MakeError(
      absl::StatusCode::kPermissionDenied,
      absl::StrCat("this caller does not have the permission '", permission, "' ", where),
      {.reason = domain::reason::kPermissionDenied,
       .retry = domain::Retry::kAfterChange,
       .metadata = {{"permission", permission}, {"project", std::string(project)}},
       .retry_after = std::nullopt,
       .violations = {}});
}

}  // namespace

AsyncStatus Authorize::Handle(Call& call, Next next) {
  call.set_project(ProjectOf(projects_, call.request()));
  const std::string_view project = call.project_name();
  const std::string& permission = call.method().permission;
  if (!rules_.Allows(call.caller(), permission, project)) {
    refused_.Tell(call, domain::reason::kPermissionDenied, project);
    co_return Denied(permission, project);
  }
  co_return co_await next(call);
}

}  // namespace tollbridge::rpc
