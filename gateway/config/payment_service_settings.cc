#include "gateway/config/payment_service_settings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace tollbridge::gateway {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kCreateRefund = "create_refund";
constexpr std::string_view kPartialCapture = "partial_capture";
constexpr std::string_view kPartialVoid = "partial_void";
constexpr std::string_view kCreatePaymentLink = "create_payment_link";
constexpr std::string_view kListCurrencies = "list_currencies";
constexpr std::array kExtensions = {kCreateRefund, kPartialCapture, kPartialVoid,
                                    kCreatePaymentLink, kListCurrencies};

bool Has(const PaymentServiceConfig& service, std::string_view extension) {
  return std::ranges::find(service.extensions, extension) != service.extensions.end();
}

}  // namespace

std::vector<std::string> AllExtensions() { return {kExtensions.begin(), kExtensions.end()}; }

void DescribePaymentService(config::Section& section, PaymentServiceConfig* service) {
  section.Text("base_url", &service->base_url, "Origin of the payment service, http or https");
  section.Text("vault_url", &service->vault_url,
               "Where the payment service stores cards, http or https, with a path where it has "
               "one; empty: cards are not stored, and such calls fail as not sent");
  section.Text("wallet_token_url", &service->wallet_token_url,
               "Where the payment service exchanges wallet B payloads, likewise; empty: they are "
               "not exchanged, and such calls fail as not sent");
  section.Text("ca_file", &service->ca_file,
               "Certificates to trust, PEM; empty trusts those of the system");
  section.TextList("extensions", &service->extensions,
                   "Optional endpoints that this payment service offers, any of " +
                       absl::StrJoin(AllExtensions(), ", ") +
                       "; without one its calls answer UNIMPLEMENTED");
  section.Flag(
      "mark_descriptions", &service->mark_descriptions,
      "Append a mark to the description of refunds, partial captures and partial voids, by "
      "which they are found again when an answer is lost; without it more of those end "
      "in review");
  section.Number("max_connections", &service->max_connections, 1, 10'000,
                 "Connections of a shard, in use and idle");
  section.Duration("max_pool_wait", &service->max_pool_wait, milliseconds(1), minutes(1),
                   "Longest wait for a free connection");
  section.Duration("connect_timeout", &service->connect_timeout, milliseconds(10), minutes(1),
                   "For resolve, connect and TLS handshake");
  section.Number("max_in_flight", &service->max_in_flight, 1, 100'000,
                 "Exchanges under way on a shard; more are not sent");
  section.Number("read_attempts", &service->read_attempts, 1, 10, "Attempts of a read in all");
  section.Number("mutation_attempts", &service->mutation_attempts, 1, 10,
                 "Attempts of a mutation in all; the next one is made only when no connection came "
                 "about, so that no byte of it can have left");
  section.Number("retry_budget_percent", &service->retry_budget_percent, 0, 100,
                 "Further attempts of both kinds, at most, in percent of the first attempts of a "
                 "shard; a few more are allowed after quiet times");
  section.Number("breaker_failures", &service->breaker_failures, 1, 1'000,
                 "Failures in a row on a shard after which nothing is sent for a while");
  section.Duration("breaker_open", &service->breaker_open, milliseconds(10), hours(1),
                   "How long that while is, until a probe is sent");
  section.Number("breaker_probes", &service->breaker_probes, 1, 100,
                 "Probes under way at a time on a shard; one that is answered ends it");
  section.Duration("rate_limit_pause", &service->rate_limit_pause, milliseconds(10), minutes(10),
                   "How long a project's calls are not sent after a 429 without Retry-After; "
                   "doubles with each further one");
  section.Duration("rate_limit_longest_pause", &service->rate_limit_longest_pause, milliseconds(10),
                   hours(1), "The longest such pause");
  section.Text("wallet_a_name", &service->wallet_a_name,
               "What the payment service calls wallet A in paths and payment_method");
  section.Text("wallet_b_name", &service->wallet_b_name,
               "What the payment service calls wallet B in paths and payment_method");
}

std::vector<std::string> PaymentServiceProblems(const PaymentServiceConfig& service) {
  std::vector<std::string> problems;
  std::set<std::string> named;
  for (const std::string& extension : service.extensions) {
    if (std::ranges::find(kExtensions, extension) == kExtensions.end()) {
      std::string problem =
          absl::StrCat("payment_service.extensions: there is no extension '", extension, "'");
      const std::string nearest = config::NearestName(extension, AllExtensions());
      if (!nearest.empty()) absl::StrAppend(&problem, "; is '", nearest, "' meant?");
      problems.push_back(std::move(problem));
    } else if (!named.insert(extension).second) {
      problems.push_back(absl::StrCat("payment_service.extensions: names '", extension, "' twice"));
    }
  }
  if (service.rate_limit_pause > service.rate_limit_longest_pause) {
    problems.emplace_back(
        "payment_service.rate_limit_pause: must not be longer than rate_limit_longest_pause");
  }
  for (const auto& [name, value] : {std::pair{"wallet_a_name", &service.wallet_a_name},
                                    std::pair{"wallet_b_name", &service.wallet_b_name}}) {
    if (value->empty()) problems.push_back(absl::StrCat("payment_service.", name, ": is required"));
  }
  return problems;
}

payments::PaymentOptions MakePaymentOptions(const PaymentServiceConfig& service) {
  return {.create_refund = Has(service, kCreateRefund),
          .partial_capture = Has(service, kPartialCapture),
          .partial_void = Has(service, kPartialVoid),
          .create_payment_link = Has(service, kCreatePaymentLink),
          .list_currencies = Has(service, kListCurrencies),
          .mark_descriptions = service.mark_descriptions};
}

payment_service::RetrySettings MakeRetrySettings(const PaymentServiceConfig& service) {
  return {.max_attempts = static_cast<int>(service.read_attempts),
          .max_unsent_attempts = static_cast<int>(service.mutation_attempts),
          .budget_percent = static_cast<int>(service.retry_budget_percent)};
}

payment_service::BreakerSettings MakeBreakerSettings(const Config& config) {
  const PaymentServiceConfig& service = config.payment_service;
  payment_service::BreakerSettings settings{.failures = static_cast<int>(service.breaker_failures),
                                            .open_for = service.breaker_open,
                                            .probes = static_cast<int>(service.breaker_probes)};
  settings.patience =
      std::min(settings.patience, milliseconds(config.operations.settings.attempt_deadline));
  return settings;
}

payment_service::RateGateSettings MakeRateGateSettings(const PaymentServiceConfig& service) {
  return {.max_in_flight = static_cast<std::size_t>(service.max_in_flight),
          .first_pause = service.rate_limit_pause,
          .longest_pause = service.rate_limit_longest_pause};
}

}  // namespace tollbridge::gateway
