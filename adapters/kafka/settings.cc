#include "adapters/kafka/settings.h"

#include <chrono>

#include "base/config/config_schema.h"

namespace tollbridge::kafka {

using std::chrono::minutes;
using std::chrono::seconds;

void Describe(config::Section& section, Settings* settings) {
  section.TextList("brokers", &settings->brokers, "HOST:PORT of brokers to begin with");
  section.TextList("properties", &settings->properties,
                   "Further librdkafka properties as name=value, for TLS and SASL; none that is "
                   "secret");
  section.Text("secret_properties_file", &settings->secret_properties_file,
               "File with further properties, one name=value a line: passwords belong here");
  section.Flag("allow_plaintext_beyond_loopback", &settings->allow_plaintext_beyond_loopback,
               "In production: connect without TLS to brokers that are not on loopback");
  section.Text("hints_topic", &settings->hints_topic, "Topic of hints");
  section.Text("events_topic", &settings->events_topic,
               "Topic of the domain events of all projects that name none of their own");
  section.Text(
      "test_events_topic", &settings->test_events_topic,
      "Topic of those of test orders, so that rights on it can be others; empty: the same");
  section.Text("dead_letter_topic", &settings->dead_letter_topic, "Topic of hints nobody can use");
  section.Text("operations_topic", &settings->operations_topic,
               "Topic of what became of operations, for audit");
  section.Text("group", &settings->group, "Consumer group that reads the hints");
  section.Flag("static_membership", &settings->static_membership,
               "Whether a process of the role events that is back under its process.name within "
               "session_timeout keeps its partitions, and the others are not stopped. Names must "
               "be different and lasting, as those of a stateful set are");
  section.Duration("session_timeout", &settings->session_timeout, seconds(1), minutes(5),
                   "When the group takes a process that is not heard of for dead and gives its "
                   "partitions to others; brokers refuse less than their "
                   "group.min.session.timeout.ms");
  section.Number("partitions", &settings->partitions, 1, 10'000,
                 "Partitions of the topics when they are created; never changed afterwards");
  section.Number("replication", &settings->replication, 1, 32, "Replicas of the topics");
}

}  // namespace tollbridge::kafka
