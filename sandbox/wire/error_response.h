#ifndef TOLLBRIDGE_SANDBOX_WIRE_ERROR_RESPONSE_H_
#define TOLLBRIDGE_SANDBOX_WIRE_ERROR_RESPONSE_H_

#include <string>
#include <string_view>

#include "base/http/message.h"
#include "sandbox/core/model.h"
#include "sandbox/core/result.h"

namespace tollbridge::sandbox {

/// {"error": {"status", "type", "value"}} (docs/interface.md#errors).
http::Response ToResponse(const ApiError& error);
/// The answer, or that of its error.
http::Response ToResponse(Result<http::Response> answer);

/// The answer without the `type` of its error object, where it has one
/// (Variants::errors_without_type).
http::Response WithoutErrorType(http::Response response);

/// The answer to a request that never reaches the service, as the HTTP server asks for it:
/// malformed, too large, too slow.
http::Response ToResponse(int status, std::string_view reason);

/// A JSON answer.
http::Response JsonResponse(int status, std::string body);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_WIRE_ERROR_RESPONSE_H_
