#include "gateway/config/certificate_files.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/http/url.h"
#include "base/net/certificate_end.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/needs.h"
#include "gateway/config/stores.h"

namespace tollbridge::gateway {
namespace {

bool IsTls(const std::string& url) {
  const absl::StatusOr<http::Url> parsed = http::ParseUrl(url);
  return parsed.ok() && parsed->tls;
}

class Files {
 public:
  void Certificate(std::string use, const std::string& file, const std::string& key_file) {
    if (!file.empty()) all.push_back({std::move(use), file, key_file});
  }
  void Authorities(std::string use, const std::string& file) {
    if (!file.empty()) all.push_back({.use = std::move(use), .file = file, .authorities = true});
  }

  std::vector<CertificateFile> all;
};

void AddKafka(const Config& config, const Secrets& secrets, Files* files) {
  std::map<std::string, std::string, std::less<>> properties;
  for (auto& [name, value] : KafkaProperties(config, secrets)) properties[name] = std::move(value);
  // A key that needs a password is read by librdkafka alone.
  const std::string key =
      properties.contains("ssl.key.password") ? "" : properties["ssl.key.location"];
  files->Certificate("kafka.ssl.certificate.location", properties["ssl.certificate.location"], key);
  files->Authorities("kafka.ssl.ca.location", properties["ssl.ca.location"]);
}

}  // namespace

std::vector<CertificateFile> CertificateFiles(const Config& config, const Secrets& secrets) {
  const Needs needs = NeedsOf(config);
  Files files;
  if (const TlsConfig& tls = config.rpc.tls; config.HasRole("rpc") && tls.enabled) {
    files.Certificate("rpc.tls", tls.certificate_file, tls.private_key_file);
    files.Authorities("rpc.tls.client_ca_file", tls.ca_file);
  }
  if (const TlsConfig& tls = config.webhooks.tls; config.HasRole("webhooks") && tls.enabled) {
    files.Certificate("webhooks.tls", tls.certificate_file, tls.private_key_file);
  }
  for (const Store& store : StoresOf(config)) {
    const net::TlsClientSettings& tls = store.settings->tls;
    if (!needs.redis || !store.settings->tls_enabled) continue;
    files.Certificate(store.setting + ".tls", tls.certificate_chain_file, tls.private_key_file);
    files.Authorities(store.setting + ".tls.ca_file", tls.ca_file);
  }
  const payment_service::OriginSettings& origins = config.payment_service.origins;
  if (needs.payment_service &&
      (IsTls(origins.base_url) || IsTls(origins.vault_url) || IsTls(origins.wallet_token_url))) {
    files.Authorities("payment_service.ca_file", origins.ca_file);
  }
  if (needs.traces && IsTls(config.traces.otlp_endpoint)) {
    files.Authorities("traces.ca_file", config.traces.ca_file);
  }
  if (needs.kafka) AddKafka(config, secrets, &files);
  return std::move(files.all);
}

std::optional<std::chrono::system_clock::time_point> CertificateEnd(const CertificateFile& file) {
  if (file.authorities) return net::LastCertificateEnd(file.file);
  if (!file.key_file.empty() && !net::IsKeyOf(file.key_file, file.file)) return std::nullopt;
  return net::FirstCertificateEnd(file.file);
}

}  // namespace tollbridge::gateway
