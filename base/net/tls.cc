#include "base/net/tls.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/core/boot_clock.h"
#include "base/core/file_stamp.h"
#include "base/core/quiet_files.h"
#include "base/core/status_macros.h"
#include "base/core/tick.h"
#include "base/net/handshake_sizes.h"
#include "base/net/revocation.h"

namespace tollbridge::net {
namespace {

struct FreeSslContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using SslContext = std::unique_ptr<SSL_CTX, FreeSslContext>;

absl::Status Fail(const std::string& what) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  // OpenSSL has no text for what the system refused.
  const char* const reason = ERR_SYSTEM_ERROR(code) ? std::strerror(ERR_GET_REASON(code))
                             : code == 0            ? nullptr
                                                    : ERR_reason_error_string(code);
  return absl::InvalidArgumentError(
      absl::StrCat("TLS: ", what, ": ", reason == nullptr ? "unknown error" : reason));
}

absl::StatusOr<SslContext> MakeContext(const SSL_METHOD* method) {
  SslContext context(SSL_CTX_new(method));
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
    return Fail("no context");
  }
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  // Else OpenSSL would ask a terminal for the passphrase of an encrypted key, and wait.
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return -1; });
  return context;
}

absl::Status UseCertificate(SSL_CTX* context, const std::string& chain_file,
                            const std::string& key_file) {
  if (SSL_CTX_use_certificate_chain_file(context, chain_file.c_str()) != 1) {
    return Fail(absl::StrCat("certificate chain ", chain_file));
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Fail(absl::StrCat("private key ", key_file, " (an encrypted one cannot be used)"));
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    return Fail(absl::StrCat("private key ", key_file, " does not fit ", chain_file));
  }
  return absl::OkStatus();
}

struct Loaded {
  SslContext context;
  /// When the first of its lists of revoked certificates is out of date.
  std::chrono::system_clock::time_point lists_end = std::chrono::system_clock::time_point::max();
};

absl::StatusOr<Loaded> LoadClient(const TlsClientSettings& settings) {
  TB_ASSIGN_OR_RETURN(SslContext context, MakeContext(TLS_client_method()));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (settings.ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1) return Fail("system certificates");
  } else if (SSL_CTX_load_verify_file(context.get(), settings.ca_file.c_str()) != 1) {
    return Fail(absl::StrCat("CA file ", settings.ca_file));
  }
  if (!settings.certificate_chain_file.empty()) {
    TB_RETURN_IF_ERROR(
        UseCertificate(context.get(), settings.certificate_chain_file, settings.private_key_file));
  }
  return Loaded{std::move(context)};
}

/// What is offered is a list of texts, each after its length.
int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* size,
                   const unsigned char* offered, unsigned int offered_size, void* wanted_text) {
  const auto& wanted = *static_cast<const std::string*>(wanted_text);
  for (unsigned int i = 0; i < offered_size; i += 1U + offered[i]) {
    const unsigned int length = offered[i];
    if (length != wanted.size() || i + length >= offered_size) continue;
    if (std::memcmp(offered + i + 1, wanted.data(), length) != 0) continue;
    *chosen = offered + i + 1;
    *size = offered[i];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

absl::Status AskForCertificates(SSL_CTX* context, const std::string& ca_file) {
  if (SSL_CTX_load_verify_file(context, ca_file.c_str()) != 1) {
    return Fail(absl::StrCat("CA file of clients ", ca_file));
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // Also where they are encrypted, so that HandshakeSizes sees nothing of them.
  SSL_CTX_set_max_cert_list(context, long{HandshakeSizes::kMost});
  // A session would carry on what an authority that is trusted no more has vouched for.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  return absl::OkStatus();
}

/// `settings` outlive the context.
absl::StatusOr<Loaded> LoadServer(const TlsServerSettings& settings) {
  TB_ASSIGN_OR_RETURN(SslContext context, MakeContext(TLS_server_method()));
  // Who says hello and no more keeps none: there may be thousands.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  Loaded loaded;
  TB_RETURN_IF_ERROR(
      UseCertificate(context.get(), settings.certificate_chain_file, settings.private_key_file));
  if (!settings.peer_ca_file.empty()) {
    TB_RETURN_IF_ERROR(AskForCertificates(context.get(), settings.peer_ca_file));
  }
  if (!settings.peer_crl_file.empty()) {
    TB_ASSIGN_OR_RETURN(loaded.lists_end,
                        UseRevocationLists(context.get(), settings.peer_crl_file));
  }
  if (!settings.protocol.empty()) {
    // HTTP/2 forbids the others of TLS 1.2 (RFC 9113, 9.2.2); those of TLS 1.3 are all good.
    if (SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) {
      return Fail("ciphers");
    }
    SSL_CTX_set_alpn_select_cb(context.get(), &ChooseProtocol,
                               const_cast<std::string*>(&settings.protocol));
  }
  loaded.context = std::move(context);
  return loaded;
}

constexpr std::chrono::seconds kLookInterval{1};
/// Between two times that the same is told: that the files still cannot be used, or that a list of
/// revocations is out of date.
constexpr std::chrono::minutes kTellAgain{5};

}  // namespace

class TlsContext::Files {
 public:
  using Loader = std::function<absl::StatusOr<Loaded>()>;

  Files(std::vector<std::string> paths, Loader load, std::function<void(const absl::Status&)> told,
        std::function<BootTime()> now)
      : paths_(std::move(paths)),
        load_(std::move(load)),
        on_reload_(std::move(told)),
        now_(std::move(now)) {
    std::erase(paths_, "");
  }

  absl::Status Open() {
    const std::lock_guard lock(mutex_);
    return Read(StampOf(paths_));
  }

  std::uint64_t Look() {
    absl::Status reloaded;
    const bool tell = TakeChanged(&reloaded);
    if (tell && on_reload_) on_reload_(reloaded);
    const absl::Status outdated = Outdated();
    if (!outdated.ok() && on_reload_) on_reload_(outdated);
    const std::lock_guard lock(mutex_);
    return taken_;
  }

  bool Revoked(const SSL* session) {
    SslContext now;
    {
      const std::lock_guard lock(mutex_);
      SSL_CTX_up_ref(context_.get());
      now.reset(context_.get());
    }
    return SSL_get_SSL_CTX(session) != now.get() && IsRevoked(now.get(), session);
  }

  SSL* NewSession() {
    Look();
    const std::lock_guard lock(mutex_);
    return SSL_new(context_.get());
  }

 private:
  /// Whether there is something to tell of.
  bool TakeChanged(absl::Status* reloaded) {
    const std::lock_guard lock(mutex_);
    const BootTime now = now_();
    if (paths_.empty() || now < next_look_) return false;
    next_look_ = NextTick(now, kLookInterval);
    FileStamp stamp = StampOf(paths_);
    const bool changed = stamp.text != stamp_.text;
    if (settled_ && !changed) return false;
    // Of half a file of authorities the others would be refused.
    if (changed && !quiet_.Look(stamp, now)) return false;
    const bool was_good = good_;
    *reloaded = Read(std::move(stamp));
    const bool tell = changed || good_ != was_good || (!good_ && now >= refuse_again_);
    if (tell && good_) ++taken_;
    if (tell) refuse_again_ = now + kTellAgain;
    return tell;
  }

  /// Files that were changed a moment ago may be changed once more without that their times tell
  /// it, and what cannot be read now may be readable later: they are read again with the next look.
  absl::Status Read(FileStamp stamp) {
    stamp_ = std::move(stamp);
    absl::StatusOr<Loaded> loaded = stamp_.readable.ok()
                                        ? load_()
                                        : absl::StatusOr<Loaded>(absl::InvalidArgumentError(
                                              absl::StrCat("TLS: ", stamp_.readable.message())));
    good_ = loaded.ok();
    settled_ = good_ &&
               std::chrono::system_clock::now().time_since_epoch() - stamp_.newest > kLookInterval;
    if (!good_) return loaded.status();
    context_ = std::move(loaded->context);
    lists_end_ = loaded->lists_end;
    return absl::OkStatus();
  }

  /// Not OK when it is to be told that a list is out of date.
  absl::Status Outdated() {
    const std::lock_guard lock(mutex_);
    const BootTime now = now_();
    if (std::chrono::system_clock::now() < lists_end_ || now < tell_again_) {
      return absl::OkStatus();
    }
    tell_again_ = now + kTellAgain;
    return absl::FailedPreconditionError("TLS: a list of revoked certificates is out of date");
  }

  std::vector<std::string> paths_;
  const Loader load_;
  const std::function<void(const absl::Status&)> on_reload_;
  const std::function<BootTime()> now_;
  std::mutex mutex_;
  SslContext context_;
  std::chrono::system_clock::time_point lists_end_;
  BootTime tell_again_;
  /// When files that cannot be used are told of again.
  BootTime refuse_again_;
  std::uint64_t taken_ = 0;
  FileStamp stamp_;
  QuietFiles quiet_;
  bool settled_ = false;
  bool good_ = false;
  BootTime next_look_;
};

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::ForClient(
    const TlsClientSettings& settings) {
  if (settings.certificate_chain_file.empty() != settings.private_key_file.empty()) {
    return absl::InvalidArgumentError(
        "TLS: a client certificate needs its key, and a key its certificate");
  }
  auto files = std::make_unique<Files>(
      std::vector{settings.ca_file, settings.certificate_chain_file, settings.private_key_file},
      [settings] { return LoadClient(settings); }, settings.on_reload, settings.now);
  TB_RETURN_IF_ERROR(files->Open());
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(files)));
}

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::ForServer(
    const TlsServerSettings& settings) {
  // Contexts that are in use point into it.
  const auto kept = std::make_shared<const TlsServerSettings>(settings);
  auto files = std::make_unique<Files>(
      std::vector{settings.certificate_chain_file, settings.private_key_file, settings.peer_ca_file,
                  settings.peer_crl_file},
      [kept] { return LoadServer(*kept); }, settings.on_reload, settings.now);
  TB_RETURN_IF_ERROR(files->Open());
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(files)));
}

TlsContext::TlsContext(std::unique_ptr<Files> files) : files_(std::move(files)) {}
TlsContext::~TlsContext() = default;

SSL* TlsContext::NewSession() const { return files_->NewSession(); }

std::uint64_t TlsContext::Look() const { return files_->Look(); }

bool TlsContext::Revoked(const SSL* session) const { return files_->Revoked(session); }

}  // namespace tollbridge::net
