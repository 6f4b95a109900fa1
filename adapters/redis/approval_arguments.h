#ifndef TOLLBRIDGE_ADAPTERS_REDIS_APPROVAL_ARGUMENTS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_APPROVAL_ARGUMENTS_H_

#include "adapters/redis/script_arguments.h"
#include "services/ports/operation_types.h"

namespace tollbridge::redis {

/// Adds what scripts/approval.lua is told of a second person. Of names there are digests, so that a
/// record does not grow with what certificates have.
void AppendApproval(ScriptArguments& arguments, const ports::ApprovalRequest& request);
void AppendConfirmation(ScriptArguments& arguments, const ports::Confirmation& confirmation);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_APPROVAL_ARGUMENTS_H_
