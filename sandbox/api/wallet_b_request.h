#ifndef TOLLBRIDGE_SANDBOX_API_WALLET_B_REQUEST_H_
#define TOLLBRIDGE_SANDBOX_API_WALLET_B_REQUEST_H_

#include <string>
#include <string_view>

#include "base/core/uuid.h"
#include "sandbox/core/model.h"
#include "sandbox/core/result.h"

/// The bodies of wallet B's two calls. Errors as in json_reader.h.
namespace tollbridge::sandbox {

/// Body of docs/interface.md#wallet-b-token.
struct WalletBTokenRequest {
  std::string message;
  Uuid setup_token;
  Uuid transaction;
};

Result<WalletBTokenRequest> ReadWalletBTokenRequest(std::string_view body);

/// Body of docs/interface.md#wallet-b-payment. What it says of the browser is checked and not
/// needed.
struct WalletBPayment {
  Uuid vault_token;
  /// The wallet's device has authenticated the customer.
  bool with_cryptogram = false;
};

Result<WalletBPayment> ReadWalletBPayment(std::string_view body);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_WALLET_B_REQUEST_H_
