#ifndef TOLLBRIDGE_BASE_NET_REVOCATION_H_
#define TOLLBRIDGE_BASE_NET_REVOCATION_H_

#include <absl/status/statusor.h>
#include <openssl/ssl.h>

#include <chrono>
#include <string>

/// Lists of certificates that were revoked before their end (RFC 5280, 5). Internal to base/net.
namespace tollbridge::net {

/// Has a context refuse peers of whose chain a certificate is on one of the lists in a file of PEM.
/// A list that has outlived itself stays in force for what is on it. When the first of them does
/// so; INVALID_ARGUMENT when the file or one of its lists cannot be read, when it has no list, or
/// none of an authority that the context trusts.
absl::StatusOr<std::chrono::system_clock::time_point> UseRevocationLists(SSL_CTX* context,
                                                                         const std::string& file);

/// Whether the lists of `context` have a certificate that the peer has shown. False where it has
/// shown none.
bool IsRevoked(SSL_CTX* context, const SSL* peer);

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_REVOCATION_H_
