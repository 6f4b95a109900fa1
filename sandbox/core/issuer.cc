#include "sandbox/core/issuer.h"

#include "sandbox/core/test_cards.h"

namespace tollbridge::sandbox {
namespace {

std::string_view DescribeStatus(std::string_view status) {
  if (status == "00") return "performed";
  if (status == "01") return "requested but not performed";
  return "requested but issuer does not support it";
}

std::string_view DescribeMatch(std::string_view match) {
  if (match == "01") return "full match";
  if (match == "50") return "partial match";
  return "no match";
}

}  // namespace

IssuerDecision AskIssuer(const TestCard& card, const Transaction& transaction, bool authenticated) {
  using Kind = IssuerDecision::Kind;
  const std::string& type = transaction.transaction_type;
  const bool permitted = (type != "aft" || card.aft_allowed) && (type != "oct" || card.oct_allowed);
  if (!permitted) return {Kind::kDeclined, kNotPermitted};
  switch (card.outcome) {
    case CardOutcome::kDeclined:
      return {Kind::kDeclined, {card.response_code, card.response_code_description}};
    case CardOutcome::kIssuerError:
      return {Kind::kFailed, kUnavailable};
    case CardOutcome::kApprovedLate:
      return {Kind::kApprovedLate, kApproved};
    case CardOutcome::kAnswerLost:
      return {Kind::kAnswerLost, kApproved};
    case CardOutcome::kChallenge:
      if (!authenticated) return {Kind::kDeclined, kAuthenticationNeeded};
      break;
    case CardOutcome::kChallengeFails:
      return {Kind::kDeclined, kAuthenticationFailed};
    case CardOutcome::kApproved:
      break;
  }
  return {};
}

void SetOutcome(const IssuerAnswer& answer, Transaction* transaction) {
  transaction->response_code = answer.code;
  transaction->response_code_description = answer.description;
}

void WriteCard(const VaultCard& card, Transaction* transaction) {
  transaction->payment_method_brand = TestCards()[card.test_card].brand;
  transaction->details["truncated_pan"] = card.truncated_pan;
  transaction->details["card_expiry"] = card.expiry;
  if (!card.cardholder_name.empty()) {
    transaction->details["cardholder_name"] = card.cardholder_name;
  }
}

void WriteNameInquiry(const VaultCard& card, Transaction* transaction) {
  const TestCard& test_card = TestCards()[card.test_card];
  if (transaction->amount != 0 || test_card.ani_status.empty() || card.cardholder_name.empty()) {
    return;
  }
  boost::json::object results;
  results["status"] = test_card.ani_status;
  results["status_description"] = DescribeStatus(test_card.ani_status);
  if (!test_card.ani_match.empty()) {
    results["match"] = test_card.ani_match;
    results["match_description"] = DescribeMatch(test_card.ani_match);
  }
  transaction->details["ani_results"] = std::move(results);
}

}  // namespace tollbridge::sandbox
