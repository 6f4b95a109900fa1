#ifndef TOLLBRIDGE_SANDBOX_API_ORDER_REQUEST_H_
#define TOLLBRIDGE_SANDBOX_API_ORDER_REQUEST_H_

#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/payments.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {

/// Reads the body of POST /v1/orders/ (docs/interface.md#order, request fields): every rule that
/// needs no project. Strict: a field that the interface does not name in a request is a
/// ValidationError, so that a client's slip shows here and not in production, unless it is kept.
Result<OrderDraft> ReadOrderRequest(std::string_view body, Unknown unknown = Unknown::kRefused);

/// Reads the body of PUT /v1/orders/{}/ (Variants::update_orders) over an order: fields that are
/// there take the place of what it has. What the service adds to an order is passed over, so that
/// an order can be sent as it was read. ValidationError where what is paid would change.
Result<void> ReadOrderUpdate(std::string_view body, Unknown unknown, Order* order);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_ORDER_REQUEST_H_
