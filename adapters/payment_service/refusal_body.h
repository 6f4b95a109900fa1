#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_REFUSAL_BODY_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_REFUSAL_BODY_H_

#include <span>
#include <string>
#include <string_view>

#include "base/http/message.h"
#include "services/domain/refusal.h"

namespace tollbridge::payment_service {

/// Reads a non-2xx answer (docs/interface.md#errors): the error object where there is one,
/// Retry-After in seconds where it was sent. Never fails; what is not there stays empty. A text
/// that repeats one of the `confidential` values of the exchange is left out, and says so.
domain::Refusal ReadRefusal(const http::Response& response,
                            std::span<const std::string> confidential = {});

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_REFUSAL_BODY_H_
