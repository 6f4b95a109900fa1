#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_REQUESTS_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_REQUESTS_H_

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "adapters/payment_service/transport.h"
#include "base/http/message.h"
#include "services/ports/payment_service.h"

namespace tollbridge::payment_service {

// What the client functions share. For them only.

inline constexpr std::string_view kOrdersPath = "/v1/orders/";
inline constexpr std::string_view kSearchPath = "/v1/search/orders/";

/// Path of an order, or of what `rest` names below it.
std::string OrderPath(std::string_view order_id, std::string_view rest = "");

/// Makes it a request with a JSON body.
void SetJson(std::string body, http::Request* request);

/// A mutation that could not even be written down: kNotSent.
ports::Answer Unsendable(const absl::Status& why);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_REQUESTS_H_
