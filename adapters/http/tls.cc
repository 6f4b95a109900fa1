#include "adapters/http/tls.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace tollbridge::http {
namespace {

struct FreeSslContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using SslContext = std::unique_ptr<SSL_CTX, FreeSslContext>;

absl::Status Fail(const std::string& what) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return absl::InvalidArgumentError(
      absl::StrCat("TLS: ", what, ": ", reason == nullptr ? "unknown error" : reason));
}

absl::StatusOr<SslContext> MakeContext(const SSL_METHOD* method) {
  SslContext context(SSL_CTX_new(method));
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
    return Fail("no context");
  }
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  return context;
}

absl::Status UseCertificate(SSL_CTX* context, const std::string& chain_file,
                            const std::string& key_file) {
  if (SSL_CTX_use_certificate_chain_file(context, chain_file.c_str()) != 1) {
    return Fail(absl::StrCat("certificate chain ", chain_file));
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Fail(absl::StrCat("private key ", key_file));
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    return Fail(absl::StrCat("private key ", key_file, " does not fit ", chain_file));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::ForClient(
    const TlsClientSettings& settings) {
  absl::StatusOr<SslContext> context = MakeContext(TLS_client_method());
  if (!context.ok()) return context.status();
  SSL_CTX_set_verify(context->get(), SSL_VERIFY_PEER, nullptr);
  if (settings.ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context->get()) != 1) return Fail("system certificates");
  } else if (SSL_CTX_load_verify_file(context->get(), settings.ca_file.c_str()) != 1) {
    return Fail(absl::StrCat("CA file ", settings.ca_file));
  }
  if (settings.certificate_chain_file.empty() != settings.private_key_file.empty()) {
    return absl::InvalidArgumentError(
        "TLS: a client certificate needs its key, and a key its certificate");
  }
  if (!settings.certificate_chain_file.empty()) {
    if (absl::Status status = UseCertificate(context->get(), settings.certificate_chain_file,
                                             settings.private_key_file);
        !status.ok()) {
      return status;
    }
  }
  return std::shared_ptr<const TlsContext>(new TlsContext(context->release()));
}

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::ForServer(
    const TlsServerSettings& settings) {
  absl::StatusOr<SslContext> context = MakeContext(TLS_server_method());
  if (!context.ok()) return context.status();
  if (absl::Status status = UseCertificate(context->get(), settings.certificate_chain_file,
                                           settings.private_key_file);
      !status.ok()) {
    return status;
  }
  return std::shared_ptr<const TlsContext>(new TlsContext(context->release()));
}

TlsContext::~TlsContext() { SSL_CTX_free(native_); }

}  // namespace tollbridge::http
