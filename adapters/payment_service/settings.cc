#include "adapters/payment_service/settings.h"

#include <chrono>

#include "base/config/config_schema.h"

namespace tollbridge::payment_service {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

void Describe(config::Section& section, OriginSettings* origins) {
  section.Text("base_url", &origins->base_url, "Origin of the payment service, http or https");
  section.Text("vault_url", &origins->vault_url,
               "Where the payment service stores cards, http or https, with a path where it has "
               "one; empty: cards are not stored, and such calls fail as not sent");
  section.Text("wallet_token_url", &origins->wallet_token_url,
               "Where the payment service exchanges wallet B payloads, likewise; empty: they are "
               "not exchanged, and such calls fail as not sent");
  section.Text("ca_file", &origins->ca_file,
               "Certificates to trust, PEM; empty trusts those of the system");
}

void Describe(config::Section& section, Settings* settings) {
  section.Number("max_connections", &settings->client.max_connections, 1, 10'000,
                 "Connections of a shard, in use and idle; half of them at most for reports, "
                 "which callers may read slowly");
  section.Duration("max_pool_wait", &settings->client.max_pool_wait, milliseconds(1), minutes(1),
                   "Longest wait for a free connection");
  section.Duration("connect_timeout", &settings->client.connect_timeout, milliseconds(10),
                   minutes(1), "For resolve, connect and TLS handshake");
  section.Number("max_in_flight", &settings->rate_gate.max_in_flight, 1, 100'000,
                 "Exchanges under way on a shard; more are not sent");
  section.Number("read_attempts", &settings->retry.max_attempts, 1, 10,
                 "Attempts of a read in all");
  section.Number("mutation_attempts", &settings->retry.max_unsent_attempts, 1, 10,
                 "Attempts of a mutation in all; the next one is made only when no connection came "
                 "about, so that no byte of it can have left");
  section.Number("retry_budget_percent", &settings->retry.budget_percent, 0, 100,
                 "Further attempts of both kinds, at most, in percent of the first attempts of a "
                 "shard; a few more are allowed after quiet times");
  section.Number("breaker_failures", &settings->breaker.failures, 1, 1'000,
                 "Failures in a row on a shard after which nothing is sent for a while");
  section.Duration("breaker_open", &settings->breaker.open_for, milliseconds(10), hours(1),
                   "How long that while is, until a probe is sent");
  section.Number("breaker_probes", &settings->breaker.probes, 1, 100,
                 "Probes under way at a time on a shard; one that is answered ends it");
  section.Duration("rate_limit_pause", &settings->rate_gate.first_pause, milliseconds(10),
                   minutes(10),
                   "How long a project's calls are not sent after a 429 without Retry-After; "
                   "doubles with each further one");
  section.Duration("rate_limit_longest_pause", &settings->rate_gate.longest_pause, milliseconds(10),
                   hours(1), "The longest such pause");
  section.Text("wallet_a_name", &settings->wallet_names.wallet_a,
               "What the payment service calls wallet A in paths and payment_method");
  section.Text("wallet_b_name", &settings->wallet_names.wallet_b,
               "What the payment service calls wallet B in paths and payment_method");
}

}  // namespace tollbridge::payment_service
