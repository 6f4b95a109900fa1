#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_METHODS_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_METHODS_H_

#include <vector>

#include "services/operations/method.h"
#include "services/operations/settings.h"

namespace tollbridge::operations {

/// The service Operations. `settings`: ResolvePorts::settings.
std::vector<Method> OperationMethods(Settings settings);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_METHODS_H_
