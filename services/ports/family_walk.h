#ifndef TOLLBRIDGE_SERVICES_PORTS_FAMILY_WALK_H_
#define TOLLBRIDGE_SERVICES_PORTS_FAMILY_WALK_H_

#include <string>
#include <vector>

#include "base/core/async.h"
#include "services/ports/context.h"
#include "services/ports/snapshot_store.h"

namespace tollbridge::ports {

struct FamilyPage {
  std::vector<FamilyState> families;
  /// What the next page is asked for with; empty after the last.
  std::string next;
};

/// Goes through all families of a project that have a snapshot or an outbox, settled ones too.
/// Changes no family. Per shard. UNAVAILABLE (reason STORE_UNAVAILABLE) when the store cannot be
/// asked, is not the server any more that the walk began on, or was not asked for a page for an
/// hour: begin again then.
class FamilyWalk {
 public:
  virtual ~FamilyWalk() = default;
  /// The page behind `cursor`, which may be empty, as `next` of the page before; the first one for
  /// an empty one. Each family is of one instant. What was kept all the time comes at least once,
  /// also where it was settled, or ceased to be, meanwhile; what came or went meanwhile may.
  virtual Async<FamilyPage> Next(const std::string& project, const std::string& cursor,
                                 const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_FAMILY_WALK_H_
