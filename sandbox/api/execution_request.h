#ifndef TOLLBRIDGE_SANDBOX_API_EXECUTION_REQUEST_H_
#define TOLLBRIDGE_SANDBOX_API_EXECUTION_REQUEST_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/uuid.h"
#include "sandbox/core/model.h"
#include "sandbox/core/payments.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/json_reader.h"

/// Bodies of the calls on an order that exists. Each reader refuses what the interface does not
/// name in it, as ValidationError, unless it is kept.
namespace tollbridge::sandbox {

/// Body of .../initiate/: the stored card.
Result<Uuid> ReadInitiateRequest(std::string_view body, Unknown unknown);

/// Body of .../authenticate/.
struct AuthenticateRequest {
  Uuid vault_token;
  /// The outcome of an external 3-D Secure provider: all of its values, or none.
  std::optional<ExternalAuthentication> external;
};
Result<AuthenticateRequest> ReadAuthenticateRequest(std::string_view body, Unknown unknown);

/// Body of refunds and of partial captures and voids (docs/interface.md#optional-endpoints).
struct AmountRequest {
  std::int64_t amount = 0;  ///< smallest currency unit, at least 1
  std::optional<std::string> description;
  /// What the interface does not name, for the order that is made.
  boost::json::object unknown;
};
Result<AmountRequest> ReadAmountRequest(std::string_view body, Unknown unknown);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_EXECUTION_REQUEST_H_
