#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_METHODS_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_METHODS_H_

#include <vector>

#include "services/operations/method.h"
#include "services/ports/clock.h"

namespace tollbridge::operations {

/// The service Operations. `look_timeout`: ResolvePorts::look_timeout.
std::vector<Method> OperationMethods(ports::Millis look_timeout);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_METHODS_H_
