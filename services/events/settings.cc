#include "services/events/settings.h"

#include "base/config/config_schema.h"

namespace tollbridge::events {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

void Describe(config::Section& section, Settings* settings) {
  section.Choice<Encoding>("encoding", &settings->encoding,
                           {{"protobuf", Encoding::kProtobuf},
                            {"json", Encoding::kJson},
                            {"confluent", Encoding::kConfluent}},
                           "Of the events' payload; confluent is protobuf as clients of a schema "
                           "registry read it");
  section.Number("schema_id", &settings->schema_id, 0, 2'147'483'647,
                 "What the schema registry calls the schema of events; required with the encoding "
                 "confluent, 0 with any other");
  section.Choice<CustomerData>("customer_data", &settings->customer_data,
                               {{"none", CustomerData::kNone}, {"full", CustomerData::kFull}},
                               "Whether events carry customer, extra and cardholder_name");
  section.Duration(
      "baseline_window", &settings->baseline_window, minutes(1), hours(24 * 90),
      "Of an order seen for the first time, what happened longer ago is not published");
  section.Duration("snapshot_retention", &settings->snapshot_retention, hours(1), hours(24 * 4000),
                   "How long a snapshot is kept after its last change");
  section.Duration("shortest_read_interval", &settings->shortest_read_interval, milliseconds(100),
                   hours(1), "Between reads of a young order that nobody hints at");
  section.Duration("longest_read_interval", &settings->longest_read_interval, seconds(1), hours(24),
                   "Between reads of one that is an hour old and not final; of older ones up to 24 "
                   "times as long");
  section.Number("max_reads_per_second", &settings->max_reads_per_second, 1, 100'000,
                 "Attempts at reads of one project's orders, by the readers of all processes "
                 "together: each has as large a share as it has of the topic of hints");
  section.Number("max_unknown_reads_per_second", &settings->max_unknown_reads_per_second, 1,
                 100'000,
                 "The part for orders that no operation, snapshot or sweep knows: a flood of "
                 "made-up webhooks takes no more");
  section.Duration("heartbeat_interval", &settings->heartbeat_interval, milliseconds(0), hours(1),
                   "Between two heartbeats of each partition of events, which say how far it is "
                   "complete; 0s: none");
  section.Duration("heartbeat_margin", &settings->heartbeat_margin, milliseconds(100), hours(1),
                   "Heartbeats vouch for what was noticed this much before all hints were "
                   "finished: longer than a hint is under way to its topic (10 s), and than clocks "
                   "of the gateway's hosts differ");
}

}  // namespace tollbridge::events
