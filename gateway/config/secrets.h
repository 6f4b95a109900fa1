#ifndef TOLLBRIDGE_GATEWAY_CONFIG_SECRETS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_SECRETS_H_

#include <absl/status/statusor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/core/live_text.h"
#include "gateway/config/config.h"
#include "gateway/config/key_files.h"
#include "gateway/config/needs.h"
#include "gateway/config/secret_file.h"
#include "gateway/config/trace_headers.h"

namespace tollbridge::gateway {

/// As their files have them now; empty where none is named.
struct StoreSecrets {
  LiveText password;
  LiveText sentinel_password;
};

/// What the configuration names by file, loaded as far as it is needed.
struct Secrets {
  /// Null where nobody needs them.
  std::shared_ptr<KeyFiles> operation_keys;
  /// By project name: first line is the key in force.
  std::map<std::string, std::shared_ptr<SecretFile>> api_keys;
  /// By project name; absent where a project takes no webhooks.
  std::map<std::string, std::shared_ptr<SecretFile>> webhook_tokens;
  /// By name of the store.
  std::map<std::string, StoreSecrets, std::less<>> stores;
  /// librdkafka properties, `name=value`.
  std::vector<std::string> kafka_properties;
  /// Of the exports of traces; null where no file is named.
  std::shared_ptr<TraceHeaders> trace_headers;

  /// Looks at the files of which it has something, as whoever asks for that does: so that the log
  /// says what is in force also where nobody asks. Any thread.
  void Look() const;
};

/// The lines of kafka.secret_properties_file; none where the configuration names no file. Errors as
/// LoadSecrets.
absl::StatusOr<std::vector<std::string>> LoadKafkaProperties(const Config& config);

/// Opens no file that is not needed. Fails naming the setting and the file of each that is wrong,
/// a line each, never with anything of its content.
absl::StatusOr<Secrets> LoadSecrets(const Config& config, const Needs& needs);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_SECRETS_H_
