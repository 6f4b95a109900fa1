#include "adapters/payment_service/answers.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/json_pieces.h"
#include "adapters/payment_service/refusal_body.h"
#include "services/domain/errors.h"
#include "services/domain/refusal.h"

namespace tollbridge::payment_service {
namespace {

bool IsSuccess(const http::Response& response) {
  return response.status >= 200 && response.status < 300;
}

/// OK when the body is the message that was asked for, and not an error object under a status that
/// says success.
absl::Status Decode(const http::Response& response, google::protobuf::Message* message,
                    DecodeReport* report_out, int max_depth) {
  DecodeReport own_report;
  DecodeReport& report = report_out != nullptr ? *report_out : own_report;
  const absl::Status read = FromWire(response.body, message, &report, max_depth);
  if (!read.ok()) return read;
  if (report.error_object) {
    return absl::DataLossError("a success status with an error object");
  }
  return absl::OkStatus();
}

domain::NoAnswer WhyHeldBack(HeldBackBy by) {
  switch (by) {
    case HeldBackBy::kRateLimit:
      return domain::NoAnswer::kRateLimit;
    case HeldBackBy::kInFlight:
      return domain::NoAnswer::kInFlight;
    case HeldBackBy::kBreaker:
      break;
  }
  return domain::NoAnswer::kBreaker;
}

/// Why there is no answer, in words of ours.
std::string WhyUnanswered(const ExchangeResult& result) {
  const bool not_sent = result.fate == http::Fate::kNotSent;
  switch (result.error.code()) {
    case absl::StatusCode::kDeadlineExceeded:
      return "deadline passed";
    case absl::StatusCode::kDataLoss:
      return "the answer was cut off or malformed";
    // Our own pipe says these.
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kFailedPrecondition:
      return std::string(result.error.message());
    default:
      if (result.held_back) return std::string(result.error.message());
      return not_sent ? "no connection to the payment service" : "the connection was lost";
  }
}

absl::Status NotTheServices404() {
  return domain::MakeError(
      absl::StatusCode::kUnavailable,
      // What follows the colon is for the log alone.
      "the payment service answered 404 with a body that is not its own: is "
      "payment_service.base_url right?",
      {.reason = domain::reason::kUpstreamUnreadable, .retry = domain::Retry::kSafeSameKey});
}

/// The same request can only be answered alike, so it is not said to be safe.
absl::Status TooLarge(const ExchangeResult& result) {
  const std::string how_large =
      result.fate == http::Fate::kAnswered
          ? absl::StrCat("it has ", result.response.body.size(), " bytes, and at most ",
                         kMaxJsonBytes, " are read")
          : std::string(result.error.message());
  return domain::MakeError(
      absl::StatusCode::kInternal,
      absl::StrCat("the payment service gave an answer that is too large to be read: ", how_large),
      {.reason = domain::reason::kUpstreamUnreadable, .retry = domain::Retry::kAfterChange});
}

}  // namespace

bool IsNotFound(const ExchangeResult& result) {
  if (result.fate != http::Fate::kAnswered || result.response.status != 404) return false;
  return result.response.body.empty() || MembersOf(result.response.body).has_value();
}

bool IsTooLarge(const ExchangeResult& result) {
  if (result.fate == http::Fate::kUnknown) return absl::IsResourceExhausted(result.error);
  return result.fate == http::Fate::kAnswered && IsSuccess(result.response) &&
         result.response.body.size() > kMaxJsonBytes;
}

ports::Answer ReadMutation(const ExchangeResult& result,
                           std::shared_ptr<google::protobuf::Message> message,
                           DecodeReport* report) {
  ports::Answer answer;
  if (result.fate != http::Fate::kAnswered) {
    answer.fate = result.fate == http::Fate::kNotSent ? ports::Answer::Fate::kNotSent
                                                      : ports::Answer::Fate::kUnknown;
    answer.cause = WhyUnanswered(result);
    answer.heard = std::string(result.error.message());
    if (result.held_back) answer.retry_after = result.held_back->retry_after;
    return answer;
  }
  if (!IsSuccess(result.response)) {
    answer.refusal = ReadRefusal(result.response, result.confidential);
    const bool before_all =
        domain::MeaningOf(answer.refusal, false) == domain::RefusalMeaning::kNotExecuted;
    answer.fate = answer.refusal.has_error_object() || before_all ? ports::Answer::Fate::kRefused
                                                                  : ports::Answer::Fate::kUnknown;
    answer.cause = "HTTP status " + std::to_string(result.response.status) +
                   (answer.refusal.has_error_object() ? "" : " without an error object");
    return answer;
  }
  const absl::Status decoded = Decode(result.response, message.get(), report, kMaxJsonDepth);
  if (!decoded.ok()) {
    answer.fate = ports::Answer::Fate::kUnknown;
    answer.refusal.http_status = result.response.status;
    answer.cause = "an answer that cannot be read: " + std::string(decoded.message());
    return answer;
  }
  answer.fate = ports::Answer::Fate::kAnswered;
  answer.result = std::move(message);
  return answer;
}

absl::Status CheckAnswered(const ExchangeResult& result) {
  if (result.held_back) {
    return domain::ToError(WhyHeldBack(result.held_back->by), result.held_back->retry_after);
  }
  if (IsTooLarge(result)) return TooLarge(result);
  if (result.fate != http::Fate::kAnswered) {
    return domain::ToError(absl::IsDeadlineExceeded(result.error) ? domain::NoAnswer::kLate
                                                                  : domain::NoAnswer::kUnreached);
  }
  if (IsSuccess(result.response)) return absl::OkStatus();
  if (result.response.status == 404 && !IsNotFound(result)) return NotTheServices404();
  return domain::ToError(ReadRefusal(result.response, result.confidential));
}

absl::Status ReadAnswer(const ExchangeResult& result, google::protobuf::Message* message,
                        DecodeReport* report, int max_depth) {
  const absl::Status answered = CheckAnswered(result);
  if (!answered.ok()) return answered;
  const absl::Status decoded = Decode(result.response, message, report, max_depth);
  return decoded.ok() ? decoded : UnreadableAnswer();
}

ports::Answer NotTheAnswer(const ExchangeResult& result, std::string_view what) {
  ports::Answer answer;
  answer.fate = ports::Answer::Fate::kUnknown;
  answer.refusal.http_status = result.response.status;
  answer.cause = std::string(what);
  return answer;
}

absl::Status UnreadableAnswer() { return domain::ToError(domain::NoAnswer::kUnreadable); }

}  // namespace tollbridge::payment_service
