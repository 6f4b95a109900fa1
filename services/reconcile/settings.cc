#include "services/reconcile/settings.h"

#include "base/config/config_schema.h"

namespace tollbridge::reconcile {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

void Describe(config::Section& section, Settings* settings) {
  section.Duration("poll_interval", &settings->poller.interval, milliseconds(10), minutes(5),
                   "Between two looks at the due queue");
  section.Duration("take_again_after", &settings->poller.take_again_after, milliseconds(100),
                   hours(1),
                   "When an order whose hint nobody has read comes again; then twice as long each "
                   "time, up to 64 times");
  section.Number("max_hints_per_second", &settings->poller.max_hints_per_second, 1, 100'000,
                 "Hints that the poller writes per second, for each project");
  section.Duration("drain_interval", &settings->drainer.interval, milliseconds(10), minutes(5),
                   "How often transitions of operations are brought to kafka.operations_topic");
  section.Duration("sweep_interval", &settings->sweep.interval, milliseconds(100), hours(24),
                   "Between two passes of the search sweep over a project; each asks again for as "
                   "long a time before the last");
  section.Duration("sweep_day_interval", &settings->sweep.day_interval, milliseconds(100),
                   hours(24), "Between passes that have the last 24 hours in them");
  section.Duration("sweep_first_period", &settings->sweep.first_period, hours(24), hours(24 * 4000),
                   "How far back the first pass goes, beside orders that are not final");
  section.Number("sweep_pages_per_second", &settings->sweep.pages_per_second, 1, 1'000,
                 "Searches of the sweep per second, for all projects together");
  section.Number("sweep_hints_per_second", &settings->sweep.hints_per_second, 1, 100'000,
                 "Hints that the sweep writes per second, for all projects together");
  section.Duration("sweep_lease", &settings->sweep.lease, seconds(1), hours(1),
                   "How long a project is left to a process that swept it and may have died");
}

}  // namespace tollbridge::reconcile
