#include "tests/support/fakes/fake_event_log.h"

namespace tollbridge::test {

Async<ports::EventPlace> FakeEventLog::Publish(const storage::v1::OutboxEntry& event,
                                               const ports::Context&) {
  if (!reachable_) co_return absl::UnavailableError("the event log is away");
  published_.push_back(event);
  co_return ports::EventPlace{.offset = static_cast<std::int64_t>(published_.size()) - 1};
}

}  // namespace tollbridge::test
