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
inline constexpr std::string_view kLayout = "5";

/// The key of the store's epoch: all that belongs to the store itself.
std::string EpochKey(std::string_view prefix);

/// A project that is kept in a store.
struct KeptProject {
  Uuid id;
  std::string keys;  ///< what all of them begin with
};

/// Where things are in one Redis. All keys and the channel of a project begin with `<prefix>{<its
/// id>}:`: no script and no command of one project can name what is another's, and a project is one
/// slot. Immutable.
class Keyspace {
 public:
  /// `prefix`: of all keys of the installation. `projects`: that are kept here. One goes by its id,
  /// so it keeps its keys under another name.
  Keyspace(std::string_view prefix, const domain::Projects& projects);

  /// What all keys of the project of that name begin with. FAILED_PRECONDITION for one that is not
  /// kept here.
  absl::StatusOr<std::string> Of(std::string_view project) const;
  /// What the keys of any project would begin with here.
  std::string KeysOf(const Uuid& project) const;
  /// By name.
  const std::map<std::string, KeptProject, std::less<>>& projects() const { return projects_; }
  const std::string& epoch_key() const { return epoch_key_; }

 private:
  std::string prefix_;
  std::map<std::string, KeptProject, std::less<>> projects_;
  std::string epoch_key_;
};

/// STORE_UNAVAILABLE when the id and the layout of an epoch are those of another version's store.
absl::Status CheckLayout(const Reply& epoch);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_KEYSPACE_H_
