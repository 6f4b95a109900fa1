#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_EVENT_LOG_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_EVENT_LOG_H_

#include <vector>

#include "services/ports/event_log.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::test {

/// Keeps what is published, in order. Used on one thread.
class FakeEventLog final : public ports::EventLog {
 public:
  Async<ports::EventPlace> Publish(const storage::v1::OutboxEntry& event,
                                   const ports::Context& context) override;

  /// Away: Publish is UNAVAILABLE at once, and the event does not come.
  void SetReachable(bool reachable) { reachable_ = reachable; }
  const std::vector<storage::v1::OutboxEntry>& published() const { return published_; }

 private:
  std::vector<storage::v1::OutboxEntry> published_;
  bool reachable_ = true;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_EVENT_LOG_H_
