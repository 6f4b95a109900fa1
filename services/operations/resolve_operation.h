#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_RESOLVE_OPERATION_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_RESOLVE_OPERATION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/operations/conclusion.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/operation_registry.h"
#include "services/ports/payment_service.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// Longest note that a transition keeps, in bytes; what is longer is cut.
inline constexpr std::size_t kLongestNote = 200;

/// Who calls, as the connection proves it; and all names that it proves.
struct Person {
  std::string identity;
  std::vector<std::string> names;
};

/// What closing an operation takes.
struct ResolvePorts {
  ports::OperationRegistry& registry;
  ports::PaymentService& service;
  ports::Clock& clock;
  telemetry::Metrics& metrics;
  const PlanTable& plans;
  const Conclusions& conclusions;
  /// What bounds reading the evidence once more, and how long a quarantine is.
  const Settings& settings;
};

/// Operations.ResolveOperation: a person closes an operation in NEEDS_REVIEW, or one in UNKNOWN
/// whose quarantine is over by the store's clock and by this process' own
/// (docs/design/operations.md#rule-8 and #rule-10). `who` is the caller, whose identity is kept
/// with the note in the transition; card numbers in the note are masked.
///
/// With Settings::resolve_needs_approval nothing is closed: all is checked, and a second person is
/// asked, FAILED_PRECONDITION APPROVAL_NEEDED (#rule-19). The same again asks nothing new.
///
/// The evidence of the last step is read once more. RESOLUTION_DONE: what it shows becomes the
/// outcome, known as RECOVERED; when it shows nothing the key answers RESULT_NOT_KEPT.
/// RESOLUTION_NOT_EXECUTED lets the key run again, so it is refused when the evidence shows that it
/// happened, or the record keeps an outcome already (a late effect, an amount that differs), which
/// RESOLUTION_DONE keeps without a look. Review records, to which no key leads, are closed without
/// one. The answer tells what was seen. With `validate_only` that is all; an operation that had a
/// transition meanwhile, or since `last_transition`, is not closed.
///
/// The request fulfils ResolveOperationViolations. NOT_FOUND OPERATION_NOT_FOUND, also for one of
/// another project; FAILED_PRECONDITION OPERATION_NOT_IN_REVIEW in any other state, with RetryInfo
/// while the quarantine lasts, OPERATION_CHANGED and OPERATION_HAPPENED; UNAVAILABLE when the store
/// cannot be asked: then it may have been closed all the same.
Async<v1::ResolveOperationResponse> ResolveOperation(ResolvePorts ports,
                                                     const domain::Project& project,
                                                     const v1::ResolveOperationRequest& request,
                                                     Person who, ports::Context context);

/// The same of a decision that is made: `close` has all but what the record and its evidence say.
/// With CloseRequest::ask the operation comes back as it was, but for its approval; with
/// CloseRequest::confirm also what OperationRegistry::Confirm answers.
Async<v1::ResolveOperationResponse> CloseByPerson(ResolvePorts ports,
                                                  const domain::Project& project,
                                                  ports::CloseRequest close,
                                                  ports::Context context);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_RESOLVE_OPERATION_H_
