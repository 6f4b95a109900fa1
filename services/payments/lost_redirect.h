#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_LOST_REDIRECT_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_LOST_REDIRECT_H_

#include <string>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::payments {

/// What to do, in words, when the redirect_url of a payment that was started went with its answer
/// (docs/design/operations.md#rule-15). `order` is the payment's.
std::string WhatToDoWithoutRedirect(const common::v1::Order& order);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_LOST_REDIRECT_H_
