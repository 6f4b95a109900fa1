#include "services/payments/options.h"

#include <chrono>

#include "base/config/config_schema.h"

namespace tollbridge::payments {

using std::chrono::hours;
using std::chrono::milliseconds;

void Describe(config::Section& section, PaymentOptions* options) {
  section.Flag(
      "mark_descriptions", &options->mark_descriptions,
      "Append a mark to the description of refunds, partial captures and partial voids, by "
      "which they are found again when an answer is lost; without it more of those end "
      "in review");
}

void Describe(config::Section& section, WatchSettings* watch) {
  section.Duration("watch_interval", &watch->interval, milliseconds(100), hours(1),
                   "How often WatchOrder looks for changes that nobody told it of");
}

}  // namespace tollbridge::payments
