#ifndef TOLLBRIDGE_ADAPTERS_REDIS_KEYSPACE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_KEYSPACE_H_

#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <string_view>

#include "adapters/redis/reply.h"
#include "services/domain/project.h"

namespace tollbridge::redis {

/// The version of the keys in a store: which they are, and what is in them. Another one is refused.
inline constexpr std::string_view kLayout = "3";

/// The key of the store's epoch: all that belongs to the store itself.
std::string EpochKey(std::string_view prefix);

/// Where things are in one Redis. All keys and the channel of a project begin with `<prefix>{<its
/// id>}:`: no script and no command of one project can name what is another's, and a project is one
/// slot. Immutable.
class Keyspace {
 public:
  /// `prefix`: of all keys of the installation. A project goes by its id, so it keeps its keys
  /// under another name.
  Keyspace(std::string_view prefix, const domain::Projects& projects);

  /// What all keys of the project of that name begin with. FAILED_PRECONDITION for one that is not
  /// configured.
  absl::StatusOr<std::string> Of(std::string_view project) const;
  /// Beginnings by the project's name.
  const std::map<std::string, std::string, std::less<>>& projects() const { return projects_; }
  const std::string& epoch_key() const { return epoch_key_; }

 private:
  std::map<std::string, std::string, std::less<>> projects_;
  std::string epoch_key_;
};

/// STORE_UNAVAILABLE when the id and the layout of an epoch are those of another version's store.
absl::Status CheckLayout(const Reply& epoch);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_KEYSPACE_H_
