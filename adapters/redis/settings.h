#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SETTINGS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SETTINGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/connection.h"
#include "adapters/redis/script_runner.h"
#include "base/net/tls.h"

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

namespace tollbridge::redis {

/// Where Redis is, and how operations are kept in it.
struct Settings {
  static constexpr std::string_view kDefaultAddress = "127.0.0.1:6379";
  /// Not used with `sentinels`, and then refused unless it is the default.
  std::string address = std::string(kDefaultAddress);
  /// HOST:PORT of each Sentinel; empty: the primary is at `address`.
  std::vector<std::string> sentinels;
  std::string sentinel_password_file;
  std::string password_file;
  /// Of all keys of the installation, so that several may use one Redis.
  std::string key_prefix = "tb:";
  bool tls_enabled = false;
  bool allow_plaintext_beyond_loopback = false;
  net::TlsClientSettings tls;
  /// Its hosts, passwords and TLS come from the above.
  ConnectionOptions connection;
  OperationStoreOptions store;
};

/// Binds what a configuration may set, with its bounds.
void Describe(config::Section& section, Settings* settings);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SETTINGS_H_
