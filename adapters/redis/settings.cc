#include "adapters/redis/settings.h"

#include <chrono>

#include "base/config/config_schema.h"

namespace tollbridge::redis {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

void Describe(config::Section& section, Settings* settings) {
  section.Text("address", &settings->address,
               "HOST:PORT of the primary; not used with sentinels, leave it out then");
  section.TextList("sentinels", &settings->sentinels,
                   "HOST:PORT of each Sentinel, which are asked for the primary's address at every "
                   "connect; empty uses address");
  section.Text("sentinel_master", &settings->connection.sentinel.master,
               "What the Sentinels call the primary; required with sentinels");
  section.Text("sentinel_username", &settings->connection.sentinel.user,
               "ACL user at the Sentinels; empty for their default user");
  section.Text("sentinel_password_file", &settings->sentinel_password_file,
               "File with the password for the Sentinels; empty for none");
  section.Text("username", &settings->connection.user, "ACL user; empty for the default user");
  section.Text("password_file", &settings->password_file, "File with the password; empty for none");
  section.Number("database", &settings->connection.database, 0, 1'000, "Database to SELECT");
  config::Section& tls = section.Sub("tls", "TLS to Redis and to the Sentinels");
  tls.Flag("enabled", &settings->tls_enabled, "Connect with TLS, host name checked");
  tls.Text("ca_file", &settings->tls.ca_file,
           "Certificates to trust, PEM; empty trusts the system's");
  tls.Text("certificate_file", &settings->tls.certificate_chain_file, "Client certificate, PEM");
  tls.Text("private_key_file", &settings->tls.private_key_file,
           "Key of the client certificate, PEM");
  section.Flag("allow_plaintext_beyond_loopback", &settings->allow_plaintext_beyond_loopback,
               "In production: connect without TLS to an address that is not loopback");
  section.Text("key_prefix", &settings->key_prefix, "Begins every key");
  section.Duration("outcomes_kept", &settings->store.outcomes_kept, minutes(1), hours(24 * 400),
                   "How long closed operations are kept; 100 a second for 72 h are 26 million");
  section.Duration("keys_kept", &settings->store.keys_kept, minutes(1), hours(24 * 400),
                   "For how long after that a key is refused with RESULT_NOT_KEPT and never runs "
                   "again");
  section.Number("max_undrained", &settings->store.max_undrained, 1'000, 1'000'000'000,
                 "Transitions of a project that wait for the operations topic; with more of them "
                 "no mutation is taken");
  section.Number("min_replicas", &settings->store.min_replicas, 0, 16,
                 "Replicas that must have a claim before anything is sent to the payment service");
  section.Duration("replica_timeout", &settings->store.replica_timeout, milliseconds(1),
                   seconds(10),
                   "How long a claim waits for min_replicas; it fails when they are too late");
  section.Duration("memory_lost_doubt", &settings->store.memory_lost_doubt, minutes(1),
                   hours(24 * 400),
                   "For how long after Redis lost its memory evidence is read before an unknown "
                   "operation runs; at least as long as callers repeat a key");
  section.Duration("failover_doubt", &settings->store.failover_doubt, seconds(1), hours(24 * 30),
                   "The same after Redis restarted or failed over: its last writes may be missing");
}

}  // namespace tollbridge::redis
