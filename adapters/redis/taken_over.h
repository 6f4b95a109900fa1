#ifndef TOLLBRIDGE_ADAPTERS_REDIS_TAKEN_OVER_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_TAKEN_OVER_H_

#include <cstdint>
#include <map>
#include <string>

#include "adapters/redis/command_executor.h"

namespace tollbridge::redis {

/// Over which connection the records of a project were taken out of a stream. Another server may
/// have given a place to another record, so nothing is dropped by its place behind a reconnect:
/// what is there comes again, as copies.
class TakenOver {
 public:
  /// The connection outlives it.
  explicit TakenOver(const CommandExecutor& connection) : connection_(connection) {}

  /// Records are taken over the connection that there is now.
  void Note(const std::string& project) { generations_[project] = connection_.generation(); }
  /// Whether they were, and it is still the same.
  bool IsStill(const std::string& project) const {
    const auto found = generations_.find(project);
    return found != generations_.end() && found->second == connection_.generation();
  }

 private:
  const CommandExecutor& connection_;
  std::map<std::string, std::uint64_t> generations_;  ///< CommandExecutor::generation()
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_TAKEN_OVER_H_
