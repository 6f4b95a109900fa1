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

/// Bounds how often the reader may ask the payment service, per project: so many reads a second, of
/// which a share for orders that nobody knows anything of. Webhooks are sent by whoever knows the
/// path, so that a flood of made-up order ids takes no more than the share, and nothing from the
/// orders that we know. One shard.
class ReadBudget {
 public:
  /// Whose reads.
  enum class Share {
    kKnown,    ///< of an order that something is known of: a snapshot, an operation, its family
    kUnknown,  ///< of any other
  };

  /// Both are reads a second, at least 1 each.
  ReadBudget(double per_second, double unknown_per_second);

  /// Takes one read. How long to wait before it is made, `longest_wait` at most; nullopt when it
  /// would be longer: then nothing was taken.
  std::optional<ports::Millis> Take(std::string_view project, Share share, BootTime now,
                                    ports::Millis longest_wait);
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

  BootClock::duration spacing_;
  BootClock::duration unknown_spacing_;
  std::map<std::string, Project, std::less<>> projects_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_READ_BUDGET_H_
