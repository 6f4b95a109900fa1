#ifndef TOLLBRIDGE_ADAPTERS_HTTP_TLS_H_
#define TOLLBRIDGE_ADAPTERS_HTTP_TLS_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace tollbridge::http {

/// What a TLS client needs. All files are PEM.
struct TlsClientSettings {
  /// Certificates to trust; empty = those of the system.
  std::string ca_file;
  /// Client certificate with its chain, and its key; both or neither.
  std::string certificate_chain_file;
  std::string private_key_file;
};

/// What a TLS server needs. All files are PEM.
struct TlsServerSettings {
  std::string certificate_chain_file;
  std::string private_key_file;
};

/// Loaded TLS material, TLS 1.2 at least. Immutable after loading, so connections of all shards
/// share one. To rotate, load a new one and hand it out: connections made before keep what they
/// have.
class TlsContext {
 public:
  /// INVALID_ARGUMENT naming the file that cannot be read or used. Reads files: not on a shard in
  /// service.
  static absl::StatusOr<std::shared_ptr<const TlsContext>> ForClient(const TlsClientSettings&);
  static absl::StatusOr<std::shared_ptr<const TlsContext>> ForServer(const TlsServerSettings&);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// OpenSSL's SSL_CTX; stays ours.
  ssl_ctx_st* native() const { return native_; }

 private:
  explicit TlsContext(ssl_ctx_st* native) : native_(native) {}
  ssl_ctx_st* native_;
};

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_ADAPTERS_HTTP_TLS_H_
