#include "services/rpc/authorize.h"

#include <string>
#include <string_view>

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "services/domain/errors.h"
#include "services/rpc/call.h"

namespace tollbridge::rpc {
namespace {

namespace pb = google::protobuf;

// The configured project that a request is about; nullptr when it names none of them.
const domain::Project* ProjectOf(const domain::Projects& projects, const pb::Message& request) {
  const pb::FieldDescriptor* field = request.GetDescriptor()->FindFieldByName("project");
  if (field == nullptr || field->is_repeated() ||
      field->type() != pb::FieldDescriptor::TYPE_STRING) {
    return nullptr;
  }
  std::string scratch;
  return projects.Find(request.GetReflection()->GetStringReference(request, field, &scratch));
}

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
  const domain::Project* found = ProjectOf(projects_, call.request());
  const std::string_view project = found == nullptr ? std::string_view() : found->name;
  const std::string& permission = call.method().permission;
  if (!rules_.Allows(call.caller(), permission, project)) {
    refused_.Tell(call, domain::reason::kPermissionDenied, project);
    co_return Denied(permission, project);
  }
  absl::Status status = co_await next(call);
  co_return status;
}

}  // namespace tollbridge::rpc
