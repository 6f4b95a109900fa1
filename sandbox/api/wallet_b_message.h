#ifndef TOLLBRIDGE_SANDBOX_API_WALLET_B_MESSAGE_H_
#define TOLLBRIDGE_SANDBOX_API_WALLET_B_MESSAGE_H_

#include <string>
#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/result.h"

/// The payment token that wallet B hands to a merchant's page (walletPayMessage of
/// docs/interface.md#wallet-b-token). The real one is encrypted and opaque. The stand-in's form is
/// a JSON text:
///   {"protocolVersion": "sandbox-1", "signature": hex, "signedMessage": base64}
/// where signedMessage holds the JSON text
///   {"pan", "expirationMonth", "expirationYear", "authMethod", "cryptogram"?, "eciIndicator"?}.
namespace tollbridge::sandbox {

/// How the wallet knows its customer (docs/interface.md#wallet-b-encrypted).
enum class WalletBMethod {
  kPanOnly,        ///< a card in the account, not bound to a device
  kCryptogram3ds,  ///< bound to a device, comes with a cryptogram
};

/// `PAN_ONLY`, `CRYPTOGRAM_3DS`.
std::string_view Text(WalletBMethod method);

/// What is in a message. Lives for one call and is never kept.
struct WalletBCard {
  std::string pan;
  int expiration_month = 0;  ///< 1 to 12
  int expiration_year = 0;   ///< four digits
  WalletBMethod method = WalletBMethod::kPanOnly;
  /// Both empty with kPanOnly.
  std::string cryptogram;
  std::string eci_indicator;

  /// MMYYYY, as the card vault wants it.
  std::string Expiry() const;
};

/// The signature of a signedMessage: a checksum and no secret, it finds what was garbled on the
/// way.
std::string SignWalletBMessage(std::string_view signed_message);

/// The message that the stand-in's wallet makes of a card. A card bound to a device that names no
/// cryptogram gets a made-up one.
std::string MakeWalletBMessage(const WalletBCard& card);

/// Reads such a message. ValidationError, 422, for anything that is not of this form or was
/// changed since it was signed; it names the part that is wrong and repeats nothing. Whether the
/// card can be used is the vault's to say.
Result<WalletBCard> ReadWalletBMessage(std::string_view message);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_WALLET_B_MESSAGE_H_
