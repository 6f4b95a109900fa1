#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_CONFIRM_OPERATION_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_CONFIRM_OPERATION_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/operations/resolve_operation.h"
#include "services/ports/context.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// Operations.ConfirmOperation: a second person answers what was asked, named by its id, so that
/// nothing is confirmed but what was seen (docs/design/operations.md#rule-19). What may run then
/// runs when its key comes again; what ResolveOperation asked is carried out, as it would have,
/// with `who` as the one that closes. Once more it changes nothing.
///
/// The request fulfils its rules. FAILED_PRECONDITION APPROVAL_OVER where that is not asked, or no
/// longer; ANOTHER_IDENTITY_NEEDED where `who` shares a name with who asked, or has none; and of
/// what is to be closed all that ResolveOperation answers, OPERATION_CHANGED after any transition.
Async<v1::ConfirmOperationResponse> ConfirmOperation(ResolvePorts ports,
                                                     const domain::Project& project,
                                                     const v1::ConfirmOperationRequest& request,
                                                     Person who, ports::Context context);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_CONFIRM_OPERATION_H_
