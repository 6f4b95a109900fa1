#ifndef TOLLBRIDGE_SANDBOX_API_PAYMENT_LINK_REQUEST_H_
#define TOLLBRIDGE_SANDBOX_API_PAYMENT_LINK_REQUEST_H_

#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {

/// Reads the body of POST /v1/paymentlinks/ (docs/interface.md#payment-link and
/// #optional-endpoints) into a link without id, times and project. Errors as in json_reader.h.
Result<PaymentLink> ReadPaymentLinkRequest(std::string_view body,
                                           Unknown unknown = Unknown::kRefused);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_PAYMENT_LINK_REQUEST_H_
