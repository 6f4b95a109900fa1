#ifndef TOLLBRIDGE_BASE_NET_TLS_H_
#define TOLLBRIDGE_BASE_NET_TLS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/core/boot_clock.h"

struct ssl_st;

namespace tollbridge::net {

/// What a TLS client needs. All files are PEM.
struct TlsClientSettings {
  /// Certificates to trust; empty = those of the system.
  std::string ca_file;
  /// Client certificate with its chain, and its key; both or neither.
  std::string certificate_chain_file;
  std::string private_key_file;
  /// It is called as that of TlsServerSettings is.
  std::function<void(const absl::Status&)> on_reload = {};
  /// The boot-time clock, for tests.
  std::function<BootTime()> now = &BootClock::now;
};

/// What a TLS server needs. All files are PEM.
struct TlsServerSettings {
  std::string certificate_chain_file;
  std::string private_key_file;
  /// Authorities of the peers' certificates. When set, a peer that shows none of theirs is refused
  /// by the handshake, and no session is resumed: each connection shows its certificate anew.
  std::string peer_ca_file = {};
  /// Lists of revoked certificates, one of each authority in peer_ca_file: a peer of whose chain
  /// one is on a list is refused by the handshake too. A list whose time is over stays in force;
  /// every five minutes on_reload is told of it. Empty: none is asked for.
  std::string peer_crl_file = {};
  /// The protocol that is spoken, as "h2"; a peer that offers others only is refused. Empty:
  /// nothing is said of it.
  std::string protocol = {};
  /// The files have changed: OK, new connections use them; or why they cannot be used, and what was
  /// there before stays in force: that is told every five minutes while it lasts. Any thread; may
  /// be empty.
  std::function<void(const absl::Status&)> on_reload = {};
  /// The boot-time clock, for tests.
  std::function<BootTime()> now = &BootClock::now;
};

/// Subject alternative names of a certificate, as they stand in it.
struct CertificateNames {
  std::vector<std::string> uris;
  std::vector<std::string> dns_names;
};

/// TLS material from files, TLS 1.2 at least, for the connections of all shards. The files are
/// looked at when a connection is made, once a second at most, and read again when they have
/// changed and nobody has written to them for a second; connections made before keep what they
/// have. A pair that does not fit, as while both are being written, is not used. The system's
/// certificates are read once.
class TlsContext {
 public:
  /// INVALID_ARGUMENT naming the file that cannot be read or used.
  static absl::StatusOr<std::shared_ptr<const TlsContext>> ForClient(const TlsClientSettings&);
  static absl::StatusOr<std::shared_ptr<const TlsContext>> ForServer(const TlsServerSettings&);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// OpenSSL's SSL for one connection; the caller's. nullptr when there is no memory. Any thread.
  ssl_st* NewSession() const;
  /// Looks at the files as for a connection, where none may be made for long. How often other files
  /// have been taken so far. Any thread.
  std::uint64_t Look() const;
  /// Whether the lists that are in force now have a certificate that the peer of a session of ours
  /// has shown, and those that it was checked by had not. Any thread that has the session.
  bool Revoked(const ssl_st* session) const;

 private:
  class Files;
  explicit TlsContext(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_TLS_H_
