#ifndef TOLLBRIDGE_SERVICES_EVENTS_READ_BUDGET_H_
#define TOLLBRIDGE_SERVICES_EVENTS_READ_BUDGET_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/boot_clock.h"
#include "services/ports/clock.h"

namespace tollbridge::events {

/// Bounds how often the readers of all processes may ask the payment service, per project: so many
/// attempts a second, of which a part for orders that nobody knows anything of. Webhooks are sent
/// by whoever knows the path, so that a flood of made-up order ids takes no more than that part,
/// and nothing from the orders that we know. This one gives out the share of its process. One
/// shard.
class ReadBudget {
 public:
  /// Whose reads.
  enum class Share {
    kKnown,    ///< of an order that something is known of: a snapshot, an operation, its family
    kUnknown,  ///< of any other
  };

  /// Both are attempts a second of all processes, at least 1 each. The share is whole until
  /// SetShare.
  ReadBudget(double per_second, double unknown_per_second);

  /// Has this process take so much of both from now on: above 0, 1 at most.
  void SetShare(double share);

  /// Takes the first attempt at a read. How long to wait before it is made, `longest_wait` at most;
  /// nullopt when it would be longer: then nothing was taken.
  std::optional<ports::Millis> Take(std::string_view project, Share share, BootTime now,
                                    ports::Millis longest_wait);
  /// Takes a further attempt, which is made now whatever is left: those who come after it wait the
  /// longer.
  void Charge(std::string_view project, BootTime now);
  /// Says when to come again after nothing was taken, counted from now. Each call gives a later
  /// one, so that those who wait come one after the other.
  ports::Millis RetryDelay(std::string_view project, Share share, BootTime now);

 private:
  /// Evenly spaced turns; up to a second's worth of them may have been left unused.
  struct Turns {
    BootTime next{};
    BootTime next_wait{};
  };
  struct Project {
    Turns all;
    Turns unknown;
  };
  Project& Find(std::string_view project);

  double per_second_;
  double unknown_per_second_;
  BootClock::duration spacing_;
  BootClock::duration unknown_spacing_;
  std::map<std::string, Project, std::less<>> projects_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_READ_BUDGET_H_
