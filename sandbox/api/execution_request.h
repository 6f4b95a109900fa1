#ifndef TOLLBRIDGE_SANDBOX_API_EXECUTION_REQUEST_H_
#define TOLLBRIDGE_SANDBOX_API_EXECUTION_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/uuid.h"
#include "sandbox/core/model.h"
#include "sandbox/core/payments.h"
#include "sandbox/core/result.h"

/// Bodies of the calls on an order that exists. Each reader refuses what the interface does not
/// name in it, as ValidationError.
namespace tollbridge::sandbox {

/// Body of .../initiate/: the stored card.
Result<Uuid> ReadInitiateRequest(std::string_view body);

/// Body of .../authenticate/.
struct AuthenticateRequest {
  Uuid vault_token;
  /// The outcome of an external 3-D Secure provider: all of its values, or none.
  std::optional<ExternalAuthentication> external;
};
Result<AuthenticateRequest> ReadAuthenticateRequest(std::string_view body);

/// Body of refunds and of partial captures and voids (docs/interface.md#optional-endpoints).
struct AmountRequest {
  std::int64_t amount = 0;  ///< smallest currency unit, at least 1
  std::optional<std::string> description;
};
Result<AmountRequest> ReadAmountRequest(std::string_view body);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_EXECUTION_REQUEST_H_
