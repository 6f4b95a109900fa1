#include "gateway/config/plaintext_check.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>

#include "base/http/url.h"
#include "gateway/config/listen_address.h"
#include "gateway/config/needs.h"
#include "gateway/config/stores.h"

namespace tollbridge::gateway {
namespace {

using Problems = std::vector<std::string>;

/// What is no address is told elsewhere.
bool IsBeyondLoopback(const std::string& text) {
  const absl::StatusOr<Address> address = ParseAddress(text, "");
  return address.ok() && !address->is_loopback();
}

std::string Refusal(const std::string& setting, const std::string& section, std::string_view how) {
  return absl::StrCat(
      setting, ": is plaintext beyond loopback, which production refuses: ", std::string(how),
      ", or ", section,
      ".allow_plaintext_beyond_loopback: true says that something else protects it");
}

void CheckListeners(const Config& config, Problems* problems) {
  const auto check = [&](const std::string& section, const std::string& listen, bool tls,
                         bool allowed, std::string_view how) {
    if (tls || allowed || !IsBeyondLoopback(listen)) return;
    problems->push_back(Refusal(section + ".listen", section, how));
  };
  if (config.HasRole("rpc")) {
    check("rpc", config.rpc.listen, config.rpc.tls.enabled,
          config.rpc.allow_plaintext_beyond_loopback, "configure rpc.tls");
  }
  if (config.HasRole("webhooks")) {
    check("webhooks", config.webhooks.listen, config.webhooks.tls.enabled,
          config.webhooks.allow_plaintext_beyond_loopback, "configure webhooks.tls");
  }
  check("metrics", config.metrics.listen, false, config.metrics.allow_plaintext_beyond_loopback,
        "listen on loopback");
}

void CheckStores(const Config& config, Problems* problems) {
  for (const Store& store : StoresOf(config)) {
    const redis::Settings& settings = *store.settings;
    if (settings.tls_enabled || settings.allow_plaintext_beyond_loopback) continue;
    const bool beyond = settings.sentinels.empty()
                            ? IsBeyondLoopback(settings.address)
                            : std::ranges::any_of(settings.sentinels, &IsBeyondLoopback);
    if (!beyond) continue;
    problems->push_back(
        Refusal(store.setting + (settings.sentinels.empty() ? ".address" : ".sentinels"),
                store.setting, absl::StrCat("configure ", store.setting, ".tls")));
  }
}

void CheckTraces(const Config& config, Problems* problems) {
  if (config.traces.otlp_endpoint.empty() || config.traces.allow_plaintext_beyond_loopback) return;
  const absl::StatusOr<http::Url> url = http::ParseUrl(config.traces.otlp_endpoint);
  if (!url.ok() || url->tls || Address{.host = url->host}.is_loopback()) return;
  problems->push_back(Refusal("traces.otlp_endpoint", "traces", "use https"));
}

}  // namespace

std::vector<std::string> PlaintextProblems(const Config& config) {
  Problems problems;
  if (!config.IsProduction()) return problems;
  const Needs needs = NeedsOf(config);
  CheckListeners(config, &problems);
  if (needs.redis) CheckStores(config, &problems);
  if (needs.traces) CheckTraces(config, &problems);
  return problems;
}

std::string KafkaPlaintextProblem(const Config& config, const kafka::ClientSettings& settings) {
  if (!config.IsProduction() || config.kafka.allow_plaintext_beyond_loopback) return "";
  if (std::ranges::none_of(config.kafka.brokers, &IsBeyondLoopback)) return "";
  const auto protocol = settings.librdkafka.find("security.protocol");
  if (protocol != settings.librdkafka.end()) {
    const std::string value = absl::AsciiStrToLower(protocol->second);
    if (value == "ssl" || value == "sasl_ssl") return "";
  }
  return Refusal("kafka.brokers", "kafka", "set security.protocol=ssl or sasl_ssl in properties");
}

}  // namespace tollbridge::gateway
