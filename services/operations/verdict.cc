#include "services/operations/verdict.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "base/core/card_numbers.h"
#include "services/domain/refusal.h"
#include "services/operations/answers.h"

namespace tollbridge::operations {
namespace {

constexpr std::string_view kRefused = "refused";
constexpr std::string_view kHttp = ": HTTP ";

Verdict Unknown(std::string reason) {
  return {v1::OPERATION_STATE_UNKNOWN, std::move(reason), absl::OkStatus()};
}

/// The type comes from outside, so it is masked and cut.
std::string Describe(std::string_view what, const domain::Refusal& refusal) {
  constexpr std::size_t kLongestType = 64;
  std::string text(what);
  text.append(kHttp).append(std::to_string(refusal.http_status));
  if (!refusal.type.empty()) {
    text.append(" ").append(MaskCardNumbers(refusal.type).substr(0, kLongestType));
  }
  return text;
}

Verdict JudgeRefusal(const domain::Refusal& refusal, const Circumstances& circumstances) {
  switch (domain::MeaningOf(refusal, circumstances.fresh_order)) {
    case domain::RefusalMeaning::kNotExecuted:
      return {v1::OPERATION_STATE_NOT_EXECUTED, Describe("not executed", refusal),
              refusal.http_status == 404 ? MakeOwnError(OwnError::kNotVisibleYet, "")
                                         : domain::ToError(refusal)};
    case domain::RefusalMeaning::kRefused:
      return {.state = v1::OPERATION_STATE_DONE,
              .reason = Describe(kRefused, refusal),
              .error = domain::ToError(refusal),
              .evidence_first = circumstances.earlier_unproven || circumstances.doubtful,
              .perhaps_copied = domain::NamesState(refusal)};
    case domain::RefusalMeaning::kUnknown:
      break;
  }
  return Unknown(Describe("no definite answer", refusal));
}

}  // namespace

Verdict JudgeAnswer(const ports::Answer& answer, const Circumstances& circumstances) {
  switch (answer.fate) {
    case ports::Answer::Fate::kNotSent:
      return {v1::OPERATION_STATE_NOT_EXECUTED, "not sent: " + answer.cause,
              MakeOwnError(OwnError::kNotSent, "", answer.retry_after,
                           answer.heard.empty() ? answer.cause : answer.heard)};
    case ports::Answer::Fate::kAnswered:
      if (answer.result == nullptr) return Unknown("an answer without content");
      return {v1::OPERATION_STATE_DONE, "answered", absl::OkStatus()};
    case ports::Answer::Fate::kRefused:
      return JudgeRefusal(answer.refusal, circumstances);
    case ports::Answer::Fate::kUnknown:
      break;
  }
  Verdict unknown = Unknown("no definite answer: " + answer.cause);
  unknown.heard = answer.heard;
  return unknown;
}

bool IsOfRefusal(std::string_view reason) {
  return reason.starts_with(kRefused) && reason.substr(kRefused.size()).starts_with(kHttp);
}

Verdict WithoutEvidence(const StepKind& kind, Verdict verdict) {
  if (verdict.state == v1::OPERATION_STATE_UNKNOWN) {
    return {.state = v1::OPERATION_STATE_NOT_EXECUTED,
            .reason = verdict.reason + "; cannot be read back",
            .error = MakeOwnError(OwnError::kAnswerLost, ""),
            .unproven = true};
  }
  if (!verdict.evidence_first) return verdict;
  verdict.evidence_first = false;
  if (kind.spends_setup_token) {
    // The earlier run is one that the record knows, or that a doubtful store may have forgotten.
    verdict.error = MakeOwnError(OwnError::kSetupTokenSpent, "", std::nullopt, verdict.reason);
  }
  return verdict;
}

Verdict OfPreparation(Verdict verdict) {
  // No effect of the operation can be by it.
  verdict.unproven = false;
  if (verdict.state != v1::OPERATION_STATE_DONE || verdict.error.ok()) return verdict;
  verdict.state = v1::OPERATION_STATE_NOT_EXECUTED;
  verdict.evidence_first = false;
  return verdict;
}

Verdict CompareAmounts(const ports::StepTarget& requested, const PlanResult& result) {
  if (requested.amount.has_value() && result.amount.has_value() &&
      *requested.amount != *result.amount) {
    return {v1::OPERATION_STATE_NEEDS_REVIEW, ports::review::kAmountDiffers, absl::OkStatus()};
  }
  if (!requested.currency.empty() && !result.currency.empty() &&
      requested.currency != result.currency) {
    return {v1::OPERATION_STATE_NEEDS_REVIEW, ports::review::kCurrencyDiffers, absl::OkStatus()};
  }
  return {v1::OPERATION_STATE_DONE, "answered", absl::OkStatus()};
}

}  // namespace tollbridge::operations
