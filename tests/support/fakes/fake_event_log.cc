#include "tests/support/fakes/fake_event_log.h"

namespace tollbridge::test {

AsyncStatus FakeEventLog::Publish(const storage::v1::OutboxEntry& event, const ports::Context&) {
  if (!reachable_) co_return absl::UnavailableError("the event log is away");
  published_.push_back(event);
  co_return absl::OkStatus();
}

}  // namespace tollbridge::test
