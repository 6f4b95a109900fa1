#ifndef TOLLBRIDGE_SANDBOX_API_CUSTOMER_REQUEST_H_
#define TOLLBRIDGE_SANDBOX_API_CUSTOMER_REQUEST_H_

#include <string>

#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {

/// What of a customer decides whether a transaction can be created.
struct CustomerFacts {
  std::string country;  ///< empty: not given
  bool has_state = false;
  /// The first field that account funding needs and that is not there (docs/interface.md#flows);
  /// empty: none.
  std::string missing_for_account_funding;
};

/// Checks the customer of POST /v1/orders/ (docs/interface.md#customer) and writes what the
/// transaction's rules need.
void ReadCustomer(JsonReader& fields, CustomerFacts* facts);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_CUSTOMER_REQUEST_H_
