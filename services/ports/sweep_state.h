#ifndef TOLLBRIDGE_SERVICES_PORTS_SWEEP_STATE_H_
#define TOLLBRIDGE_SERVICES_PORTS_SWEEP_STATE_H_

#include <optional>
#include <string>

#include "base/core/async.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "tollbridge/storage/v1/sweep.pb.h"

namespace tollbridge::ports {

/// Keeps how far the search sweep of each project is, and who sweeps it
/// (docs/design/events.md#reconciliation). Leases run by the store's clock. Per shard. UNAVAILABLE
/// (reason STORE_UNAVAILABLE) when the store cannot be asked.
class SweepState {
 public:
  virtual ~SweepState() = default;
  /// Takes the project for `token` until `lease` ends, and gives its progress; empty when there is
  /// none. nullopt when another token has it. Whoever dies with a lease loses nothing: the next one
  /// goes on from what was saved last.
  virtual Async<std::optional<storage::v1::SweepProgress>> Take(const std::string& project,
                                                                const std::string& token,
                                                                Millis lease,
                                                                const Context& context) = 0;
  /// Saves the progress and begins the lease anew; a lease of 0 gives the project up. False, and
  /// nothing saved, when the project is another's or nobody's, or the store may have gone back
  /// since it was taken: what was written for a page that counts may be gone then.
  virtual Async<bool> Save(const std::string& project, const std::string& token, Millis lease,
                           const storage::v1::SweepProgress& progress, const Context& context) = 0;
  /// The progress, whoever has the project; empty when there is none.
  virtual Async<storage::v1::SweepProgress> Load(const std::string& project,
                                                 const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_SWEEP_STATE_H_
