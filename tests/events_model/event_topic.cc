#include "tests/events_model/event_topic.h"

namespace tollbridge::events_model {

Async<ports::EventPlace> EventLogOfProcess::Publish(const storage::v1::OutboxEntry& event,
                                                    const ports::Context& context) {
  EventTopic* const topic = &topic_;
  World& world = topic->world_;
  if (topic->refused.contains(event.key())) {
    co_return absl::InvalidArgumentError("the topic takes none so large");
  }
  const Time deadline = model::ToTime(context.deadline);
  const Sending sending = RollSending(world, topic->kafka_, deadline);
  if (sending.written) {
    world.At(sending.written_at, [topic, event] {
      ++topic->end_;
      topic->on_event_(event);
    });
  }
  co_await world.SleepUntil(sending.ends_at);
  if (!sending.answered) co_return absl::UnavailableError("Kafka has not answered");
  co_return ports::EventPlace{.partition = 0, .offset = topic->end_ - 1};
}

}  // namespace tollbridge::events_model
