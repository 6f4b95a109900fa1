#ifndef TOLLBRIDGE_SERVICES_WEBHOOKS_SETTINGS_H_
#define TOLLBRIDGE_SERVICES_WEBHOOKS_SETTINGS_H_

#include <cstdint>

#include "services/ports/clock.h"

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

namespace tollbridge::webhooks {

struct Settings {
  /// How long the hint log may take. The sender waits 4 s.
  ports::Millis answer_within{2'300};
  /// Webhooks of one project in the long run. Twice as many are taken at once: a busy shop sends
  /// some hundred a second, and its sender catches up after it was away.
  std::int64_t max_per_second = 500;
  /// Webhooks that wait for the hint log at a time. For more the answer is 503 at once, so that a
  /// slow broker costs no memory.
  std::int64_t max_waiting = 2048;
  /// Connections at a time: see http::ServerLimits.
  std::int64_t max_connections = 8192;
};

/// Binds what a configuration may set, with its bounds.
void Describe(config::Section& section, Settings* settings);

}  // namespace tollbridge::webhooks

#endif  // TOLLBRIDGE_SERVICES_WEBHOOKS_SETTINGS_H_
