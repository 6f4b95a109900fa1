#include "gateway/wiring/topic_gate.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <utility>

#include "base/telemetry/log.h"
#include "gateway/config/topic_specs.h"

namespace tollbridge::gateway {

TopicGate::TopicGate(const Config& config)
    : specs_(TopicSpecsOfRoles(config)),
      strict_(config.IsProduction()),
      open_(std::make_shared<std::atomic<bool>>(!strict_ || specs_.empty())),
      settled_(specs_.empty()) {}

AsyncStatus TopicGate::Look(kafka::TopicAdmin& admin, BootTime deadline) {
  if (settled_) co_return absl::OkStatus();
  const auto differences = co_await admin.CheckTopics(specs_, deadline);
  co_return Judge(differences);
}

absl::Status TopicGate::Judge(
    const absl::StatusOr<std::vector<kafka::TopicDifference>>& differences) {
  if (!differences.ok()) {
    const std::string reason(differences.status().message());
    if (strict_ && absl::IsPermissionDenied(differences.status())) {
      return absl::FailedPreconditionError(
          absl::StrCat("the topics may not be looked at, and could lose events: ", reason));
    }
    Say("kafka_topics_not_checked", reason);
    if (!strict_ && !absl::IsUnavailable(differences.status())) Settle();
    return absl::OkStatus();
  }
  std::vector<std::string> losing;
  std::vector<std::string> others;
  bool missing = false;
  for (const kafka::TopicDifference& difference : *differences) {
    missing = missing || difference.property == "exists";
    (kafka::WouldLose(difference) ? losing : others).push_back(TextOf(difference));
  }
  if (strict_ && !losing.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the topics would lose events: ", absl::StrJoin(losing, "; ")));
  }
  others.insert(others.begin(), losing.begin(), losing.end());
  if (!others.empty()) Say("kafka_topic_setting", absl::StrJoin(others, "; "));
  if (!missing) Settle();
  return absl::OkStatus();
}

void TopicGate::Settle() {
  settled_ = true;
  open_->store(true, std::memory_order_release);
}

void TopicGate::Say(std::string_view event, std::string reason) {
  if (reason == said_) return;
  telemetry::Log(telemetry::Severity::kWarning, event, {{"reason", reason}});
  said_ = std::move(reason);
}

}  // namespace tollbridge::gateway
