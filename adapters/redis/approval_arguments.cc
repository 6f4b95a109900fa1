#include "adapters/redis/approval_arguments.h"

#include <string>
#include <vector>

#include "adapters/redis/record_format.h"
#include "base/core/uuid.h"

namespace tollbridge::redis {
namespace {

std::string DigestsOf(const std::vector<std::string>& names) {
  std::string digests;
  for (const std::string& name : names) digests += Uuid::V5(Uuid(), name).ToBytes();
  return digests;
}

}  // namespace

void AppendApproval(ScriptArguments& arguments, const ports::ApprovalRequest& request) {
  arguments.Add("approval", request.id.ToBytes());
  arguments.Add("who", ShortenOwner(request.who));
  arguments.Add("names", DigestsOf(request.names));
  arguments.Add("approval_reason", ShortenReason(request.reason));
  arguments.Add("approval_for", MillisText(request.good_for));
}

void AppendConfirmation(ScriptArguments& arguments, const ports::Confirmation& confirmation) {
  arguments.Add("approval", confirmation.approval.ToBytes());
  arguments.Add("names", DigestsOf(confirmation.names));
}

}  // namespace tollbridge::redis
