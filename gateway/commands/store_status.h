#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_STORE_STATUS_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_STORE_STATUS_H_

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/server_info.h"
#include "base/core/wall_time.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "gateway/config/stores.h"

/// What a store says of itself, for a person who asks whether it is doubted
/// (docs/design/operations.md#rule-12).
namespace tollbridge::gateway {

/// From when to when something is doubted, by Redis' clock; none where both are the beginning of
/// time.
struct Doubt {
  WallTime since;
  WallTime until;
};

struct StoreStatus {
  struct Project {
    std::string name;
    /// Its own, beside that of the store; nullopt: it is not on the store's list.
    std::optional<Doubt> own;
  };

  std::string name;     ///< of the configuration; empty for the only one
  std::string address;  ///< as it is configured, or "NAME at the Sentinels"
  std::string redis_version;
  WallTime now;       ///< by Redis' clock
  std::string epoch;  ///< its id; empty: there is none
  std::string layout;
  /// The process that answers is the one that the epoch was written or renewed for.
  bool same_server = false;
  Doubt doubt;
  /// Why it began, as the epoch keeps it: one of telemetry::kEpochCauses. Empty: not kept.
  std::string cause;
  /// The same of the earlier doubt, or "unknown", where that one lasts longer; else empty.
  std::string lasting;
  std::vector<Project> projects;

  redis::MemoryUse memory;
  std::size_t replicas = 0;  ///< connected and in step
  std::size_t min_replicas{};
  std::vector<std::string> warnings;  ///< of CheckServer

  /// How long it would be doubted, by the configuration.
  std::chrono::milliseconds memory_lost_doubt{};
  std::chrono::milliseconds failover_doubt{};
};

/// Who reads what a store says.
enum class Reader {
  kPerson,   ///< also of a store that may not be used: why is among the warnings
  kGateway,  ///< as one that starts in the configured environment
};

/// Asks the store's primary, on one connection; changes nothing. UNAVAILABLE when it does not
/// answer or has the keys of another version, FAILED_PRECONDITION for a Redis Cluster or a replica,
/// and for kGateway in production also for every warning there is.
absl::StatusOr<StoreStatus> ReadStoreStatus(const Config& config, const Store& store,
                                            const Secrets& secrets,
                                            Reader reader = Reader::kPerson);

/// Whether something is doubted now, or will be as soon as a gateway comes by.
bool IsDoubtful(const StoreStatus& status);

/// Why the store is doubted, or was last. An epoch of a version that did not keep it tells when
/// alone: then it is taken from how long, a guess after the settings were changed.
std::string CauseOf(const StoreStatus& status);

std::string StoreText(const StoreStatus& status);
boost::json::object StoreJson(const StoreStatus& status);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_STORE_STATUS_H_
