#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_ENGINE_WORK_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_ENGINE_WORK_H_

#include <memory>
#include <string>

#include "services/operations/engine.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/context.h"
#include "services/ports/operation_store.h"

/// What the parts of the engine hand on. For engine*.cc only.
namespace tollbridge::operations {

/// One call, from its plan to its answer.
struct Engine::Work {
  Plan plan;
  const PlanRegistration* registration = nullptr;
  ports::OperationIdentity identity;
  std::string owner;
  ports::Context context;  ///< the caller's
  std::shared_ptr<void> counted;
};

/// What the end of an operation comes to, for the record and for the caller.
struct Engine::Conclusion {
  ports::FinishRequest finish;
  Reply reply;
  /// In force when it was made.
  std::shared_ptr<const OperationKeys> keys;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_ENGINE_WORK_H_
