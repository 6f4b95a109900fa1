#ifndef TOLLBRIDGE_SANDBOX_API_TRANSACTION_REQUEST_H_
#define TOLLBRIDGE_SANDBOX_API_TRANSACTION_REQUEST_H_

#include "sandbox/api/customer_request.h"
#include "sandbox/core/model.h"
#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {

/// Reads the element of `transactions` in POST /v1/orders/ (docs/interface.md#transaction and
/// #flows). `customer` is nullptr when the order has none. The cvc is checked and dropped; a
/// receiver's account number that is a card number is kept masked.
/// Refuses with MissingInformationToCreateTransaction where a flow needs more.
Transaction ReadTransaction(JsonReader& fields, const CustomerFacts* customer);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_TRANSACTION_REQUEST_H_
