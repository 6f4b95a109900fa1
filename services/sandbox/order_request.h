#ifndef TOLLBRIDGE_SERVICES_SANDBOX_ORDER_REQUEST_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_ORDER_REQUEST_H_

#include <optional>
#include <string_view>
#include <variant>

#include "services/sandbox/error_response.h"
#include "services/sandbox/model.h"

namespace tollbridge::sandbox {

/// Reads the body of POST /v1/orders/ (interface document, section Order, request fields) into an
/// order without ids and times. Strict: a field that the document does not name in a request is a
/// ValidationError, so that a client's slip shows here and not in production.
std::variant<Order, ApiError> ReadOrderRequest(std::string_view body);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_ORDER_REQUEST_H_
