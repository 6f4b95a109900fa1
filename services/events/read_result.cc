#include "services/events/read_result.h"

#include <google/protobuf/message.h>

#include <string>

#include "google/rpc/error_details.pb.h"
#include "services/domain/errors.h"

namespace tollbridge::events {

namespace {

/// An HTTP answer came: its status is in the metadata (domain::ToError).
bool WasAnswered(const absl::Status& error) {
  const auto payload = error.GetPayload(domain::kErrorInfoUrl.data());
  google::rpc::ErrorInfo info;
  return payload && info.ParseFromString(std::string(*payload)) &&
         info.metadata().contains("provider_status");
}

bool CanPass(const absl::Status& error) {
  return absl::IsUnavailable(error) || absl::IsDeadlineExceeded(error) ||
         absl::IsCancelled(error) || absl::IsResourceExhausted(error);
}

}  // namespace

ReadOutcome OutcomeOfRead(const absl::Status& error) {
  const std::string reason = domain::ReasonOf(error);
  if (reason == domain::reason::kOrderNotFound) return ReadOutcome::kNotFound;
  if (reason == domain::reason::kUpstreamCredentials ||
      reason == domain::reason::kUpstreamRateLimited) {
    return ReadOutcome::kProjectRefused;
  }
  if (reason == domain::reason::kUpstreamUnreadable) return ReadOutcome::kUnreadable;
  // Nothing was asked, by our own doing: that says nothing of the order. An open breaker says when
  // it asks again.
  const bool held_back =
      reason == domain::reason::kNotSent || reason == domain::reason::kOverloaded ||
      (reason == domain::reason::kUpstreamUnavailable && !WasAnswered(error) && RetryAfter(error));
  if (held_back) return ReadOutcome::kOutage;
  if (WasAnswered(error) || !CanPass(error)) return ReadOutcome::kFailed;
  return ReadOutcome::kNoAnswer;
}

bool IsAnswer(ReadOutcome outcome) {
  return outcome != ReadOutcome::kOverBudget && outcome != ReadOutcome::kPutOff &&
         outcome != ReadOutcome::kNoAnswer && outcome != ReadOutcome::kOutage;
}

ReadOutcome OutcomeOfInfrastructure(const absl::Status& error) {
  return CanPass(error) ? ReadOutcome::kOutage : ReadOutcome::kFailed;
}

ReadResult InfrastructureFailure(const absl::Status& error, std::size_t published) {
  return {.outcome = OutcomeOfInfrastructure(error), .cause = error, .published = published};
}

std::string_view MetricOf(ReadOutcome outcome) {
  switch (outcome) {
    case ReadOutcome::kOrphan:
      return "orphan";
    case ReadOutcome::kNotFound:
      return "not_found";
    case ReadOutcome::kProjectRefused:
      return "refused";
    case ReadOutcome::kOlder:
    case ReadOutcome::kOverBudget:
    case ReadOutcome::kPutOff:
      return {};
    default:
      return "failed";
  }
}

std::optional<std::chrono::milliseconds> RetryAfter(const absl::Status& error) {
  const auto payload = error.GetPayload(domain::kRetryInfoUrl.data());
  google::rpc::RetryInfo info;
  if (!payload || !info.ParseFromString(std::string(*payload))) return std::nullopt;
  return std::chrono::seconds(info.retry_delay().seconds()) +
         std::chrono::milliseconds(info.retry_delay().nanos() / 1'000'000);
}

}  // namespace tollbridge::events
