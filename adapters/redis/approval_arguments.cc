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
  arguments.emplace_back("approval", request.id.ToBytes());
  arguments.emplace_back("who", ShortenOwner(request.who));
  arguments.emplace_back("names", DigestsOf(request.names));
  arguments.emplace_back("approval_reason", ShortenReason(request.reason));
  arguments.emplace_back("approval_for", MillisText(request.good_for));
}

void AppendConfirmation(ScriptArguments& arguments, const ports::Confirmation& confirmation) {
  arguments.emplace_back("approval", confirmation.approval.ToBytes());
  arguments.emplace_back("names", DigestsOf(confirmation.names));
}

}  // namespace tollbridge::redis
