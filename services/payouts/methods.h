#ifndef TOLLBRIDGE_SERVICES_PAYOUTS_METHODS_H_
#define TOLLBRIDGE_SERVICES_PAYOUTS_METHODS_H_

#include <vector>

#include "services/operations/method.h"

namespace tollbridge::payouts {

/// The service Payouts.
std::vector<operations::Method> PayoutMethods();

}  // namespace tollbridge::payouts

#endif  // TOLLBRIDGE_SERVICES_PAYOUTS_METHODS_H_
