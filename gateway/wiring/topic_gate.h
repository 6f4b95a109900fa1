#ifndef TOLLBRIDGE_GATEWAY_WIRING_TOPIC_GATE_H_
#define TOLLBRIDGE_GATEWAY_WIRING_TOPIC_GATE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/topics.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "gateway/config/config.h"

namespace tollbridge::gateway {

/// Whether the topics of this process's roles are such that what is acknowledged lasts
/// (docs/design/events.md#events). In production nothing is produced until that is known, and
/// topics that would lose are refused; elsewhere a difference is a warning. Lives on one shard.
class TopicGate {
 public:
  explicit TopicGate(const Config& config);

  /// Looks once, unless all is settled. FAILED_PRECONDITION in production when topics would lose,
  /// or may not be looked at. OK also when nobody answers, or a topic is not there yet: it is to be
  /// called again then, and the gate stays as it is.
  AsyncStatus Look(kafka::TopicAdmin& admin, BootTime deadline);
  /// What Look concludes from what it was told.
  absl::Status Judge(const absl::StatusOr<std::vector<kafka::TopicDifference>>& differences);

  /// Nothing is left to look at.
  bool settled() const { return settled_; }
  /// Whether something may be produced; for Producer.
  std::shared_ptr<const std::atomic<bool>> open() const { return open_; }

 private:
  /// In the log, once for the same reason in a row.
  void Say(std::string_view event, std::string reason);
  void Settle();

  const std::vector<kafka::TopicSpec> specs_;
  const bool strict_;
  const std::shared_ptr<std::atomic<bool>> open_;
  bool settled_ = false;
  std::string said_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_TOPIC_GATE_H_
