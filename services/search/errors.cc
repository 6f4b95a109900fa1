#include "services/search/errors.h"

#include "services/domain/errors.h"

namespace tollbridge::search {
namespace {

absl::Status Make(absl::StatusCode code, std::string_view reason, domain::Retry retry,
                  std::string_view message) {
  return domain::MakeError(code, message,
                           {.reason = reason,
                            .retry = retry,
                            .metadata = {},
                            .retry_after = std::nullopt,
                            .violations = {}});
}

}  // namespace

absl::Status Unreadable(std::string_view message) {
  return Make(absl::StatusCode::kDataLoss, domain::reason::kUpstreamUnreadable,
              domain::Retry::kSafeSameKey, message);
}

absl::Status ReportIncomplete(std::string_view message) {
  return Make(absl::StatusCode::kDataLoss, domain::reason::kReportIncomplete,
              domain::Retry::kSafeSameKey, message);
}

absl::Status TooManyResults(std::string_view message) {
  return Make(absl::StatusCode::kOutOfRange, domain::reason::kTooManyResults,
              domain::Retry::kAfterChange, message);
}

}  // namespace tollbridge::search
