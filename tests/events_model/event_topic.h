#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_EVENT_TOPIC_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_EVENT_TOPIC_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "services/ports/event_log.h"
#include "tests/events_model/hint_topic.h"
#include "tests/events_model/traits.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::events_model {

/// The topic of events.
class EventTopic {
 public:
  using OnEvent = std::function<void(const storage::v1::OutboxEntry&)>;

  EventTopic(World& world, KafkaState& kafka, OnEvent on_event)
      : world_(world), kafka_(kafka), on_event_(std::move(on_event)) {}

  /// Families whose events it takes none of, by their roots.
  std::set<std::string> refused;

 private:
  friend class EventLogOfProcess;
  World& world_;
  KafkaState& kafka_;
  OnEvent on_event_;
  std::int64_t end_ = 0;
};

/// Publishes for one process.
class EventLogOfProcess final : public ports::EventLog {
 public:
  explicit EventLogOfProcess(EventTopic& topic) : topic_(topic) {}
  Async<ports::EventPlace> Publish(const storage::v1::OutboxEntry& event,
                                   const ports::Context& context) override;

 private:
  EventTopic& topic_;
};

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_EVENT_TOPIC_H_
