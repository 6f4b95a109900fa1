#include "services/domain/errors.h"

#include <google/protobuf/message_lite.h>

#include "google/rpc/error_details.pb.h"

namespace tollbridge::domain {
namespace {

// Who defines the reasons, as google.rpc.ErrorInfo wants to know.
constexpr std::string_view kErrorDomain = "tollbridge";

// Debian's absl::string_view is a type of its own on Debian 12.
absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

void Attach(std::string_view url, const google::protobuf::MessageLite& detail,
            absl::Status& status) {
  // By view: the constructor from std::string&& is a template that only the distribution's own
  // compiler gives the name it has in the library.
  const std::string bytes = detail.SerializeAsString();
  status.SetPayload(View(url), absl::Cord(View(bytes)));
}

/// Empty where there is none.
google::rpc::ErrorInfo InfoOf(const absl::Status& status) {
  const auto payload = status.GetPayload(View(kErrorInfoUrl));
  google::rpc::ErrorInfo info;
  if (payload.has_value() && !info.ParseFromString(std::string(*payload))) info.Clear();
  return info;
}

}  // namespace

std::string_view RetryText(Retry retry) {
  switch (retry) {
    case Retry::kNever:
      return "NEVER";
    case Retry::kSafeSameKey:
      return "SAFE_SAME_KEY";
    case Retry::kAfterChange:
      return "AFTER_CHANGE";
  }
  return "NEVER";
}

absl::Status MakeError(absl::StatusCode code, std::string_view message, const ErrorDetail& detail) {
  absl::Status status(code, View(message));
  google::rpc::ErrorInfo info;
  info.set_reason(std::string(detail.reason));
  info.set_domain(std::string(kErrorDomain));
  for (const auto& [name, value] : detail.metadata) (*info.mutable_metadata())[name] = value;
  (*info.mutable_metadata())["retry"] = std::string(RetryText(detail.retry));
  Attach(kErrorInfoUrl, info, status);

  if (detail.retry_after.has_value()) {
    google::rpc::RetryInfo retry;
    const auto millis = detail.retry_after->count();
    retry.mutable_retry_delay()->set_seconds(millis / 1000);
    retry.mutable_retry_delay()->set_nanos(static_cast<std::int32_t>(millis % 1000) * 1'000'000);
    Attach(kRetryInfoUrl, retry, status);
  }
  if (!detail.violations.empty()) {
    google::rpc::BadRequest bad;
    for (const FieldViolation& violation : detail.violations) {
      auto* out = bad.add_field_violations();
      out->set_field(violation.field);
      out->set_description(violation.rule);
    }
    Attach(kBadRequestUrl, bad, status);
  }
  return status;
}

absl::Status InvalidRequest(std::vector<FieldViolation> violations) {
  std::string message = "the request breaks " + std::to_string(violations.size()) +
                        (violations.size() == 1 ? " rule" : " rules");
  // The first one in words, for people who see the message only.
  if (!violations.empty()) {
    message += ": " + violations.front().field + ": " + violations.front().rule;
  }
  return MakeError(absl::StatusCode::kInvalidArgument, message,
                   {.reason = reason::kInvalidRequest,
                    .retry = Retry::kAfterChange,
                    .metadata = {},
                    .retry_after = std::nullopt,
                    .violations = std::move(violations)});
}

absl::Status OperationNotFound() {
  return MakeError(absl::StatusCode::kNotFound, "no operation has this id, or it is no longer kept",
                   {.reason = reason::kOperationNotFound, .retry = Retry::kNever});
}

std::string ReasonOf(const absl::Status& status) { return InfoOf(status).reason(); }

std::string MetadataOf(const absl::Status& status, std::string_view name) {
  const google::rpc::ErrorInfo info = InfoOf(status);
  const auto found = info.metadata().find(std::string(name));
  return found == info.metadata().end() ? std::string() : found->second;
}

}  // namespace tollbridge::domain
