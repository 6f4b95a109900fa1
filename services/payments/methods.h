#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_METHODS_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_METHODS_H_

#include <functional>
#include <vector>

#include "services/operations/method.h"
#include "services/payments/options.h"
#include "services/payments/watch_order.h"

namespace tollbridge::payments {

/// The service Payments. `draining`: whether the process is about to end; called on any shard.
std::vector<operations::Method> PaymentMethods(
    const PaymentOptions& options, WatchSettings watch = {},
    std::function<bool()> draining = [] { return false; });

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_METHODS_H_
