#ifndef TOLLBRIDGE_SERVICES_RPC_CALLER_H_
#define TOLLBRIDGE_SERVICES_RPC_CALLER_H_

#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::rpc {

/// Identities of callers who have no certificate. No certificate can take one of them.
inline constexpr std::string_view kLocalCaller = "local";
inline constexpr std::string_view kAnonymousCaller = "anonymous";

/// Who calls, as the connection proves it; what the caller says of itself has no part in it.
struct Caller {
  /// What log lines and records of operators' decisions call it: the first of `names`, else
  /// "local" or "anonymous". Printable ASCII, at most 512 bytes.
  std::string identity;
  /// Subject alternative names of the certificate: URIs first, then DNS names in lower case. A URI
  /// has a colon and a DNS name has none, so neither can be taken for the other.
  std::vector<std::string> names;
  /// A certificate with a usable name, signed by an authority of the server's, was shown.
  bool authenticated = false;
  /// The connection is plaintext.
  bool local = false;
};

/// A caller over plaintext.
Caller LocalCaller();

/// A caller over TLS with the names of its verified certificate. Names that are not usable are left
/// out: too long, not printable ASCII, or one of the identities above. With none left it is
/// anonymous and not authenticated; the common name is not looked at.
Caller CertifiedCaller(const std::vector<std::string>& uris,
                       const std::vector<std::string>& dns_names);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_CALLER_H_
