#include "services/webhooks/settings.h"

#include <chrono>

#include "base/config/config_schema.h"

namespace tollbridge::webhooks {

using std::chrono::milliseconds;

void Describe(config::Section& section, Settings* settings) {
  section.Duration("answer_within", &settings->answer_within, milliseconds(100), milliseconds(2400),
                   "503 when the hint is not on Kafka by then; the sender gives up after 4 s");
  section.Number("max_per_second", &settings->max_per_second, 1, 1'000'000,
                 "Webhooks of one project taken in per second; more get 429");
  section.Number("max_waiting", &settings->max_waiting, 1, 1'000'000,
                 "Webhooks that wait for Kafka at a time; more get 503 at once");
  section.Number("max_connections", &settings->max_connections, 16, 1'000'000,
                 "Connections at a time; for more, those are closed that have sent nothing whole "
                 "for longest");
}

}  // namespace tollbridge::webhooks
