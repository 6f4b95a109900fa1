#ifndef TOLLBRIDGE_ADAPTERS_REDIS_FAMILY_WALK_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_FAMILY_WALK_H_

#include <string>
#include <vector>

#include "adapters/redis/script_runner.h"
#include "services/ports/family_walk.h"

namespace tollbridge::redis {

/// Finds families with SCAN, and outboxes whose family is gone, and reads a hundred at a time; then
/// the hashes of settled ones; then what left those since the walk began. A page is a few round
/// trips.
class RedisFamilyWalk : public ports::FamilyWalk {
 public:
  /// `scripts` lives on the same shard.
  explicit RedisFamilyWalk(ScriptRunner& scripts) : scripts_(scripts) {}

  Async<ports::FamilyPage> Next(const std::string& project, const std::string& cursor,
                                const ports::Context& context) override;

 private:
  Async<ports::FamilyPage> NextKeys(const std::string& project, const std::string& keys,
                                    bool outboxes, std::string cursor,
                                    const ports::Context& context);
  Async<ports::FamilyPage> NextSettled(const std::string& project, const std::string& keys,
                                       std::string number, const ports::Context& context);
  Async<ports::FamilyPage> NextLeft(const std::string& project, const std::string& keys,
                                    std::string place, const ports::Context& context);
  AsyncStatus LoadInto(const std::string& project, const std::string& keys,
                       std::vector<std::string> families, const ports::Context& context,
                       ports::FamilyPage* page);

  ScriptRunner& scripts_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_FAMILY_WALK_H_
