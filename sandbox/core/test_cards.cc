#include "sandbox/core/test_cards.h"

#include <array>

namespace tollbridge::sandbox {
namespace {

// The networks are made up, as docs/interface.md names none; "network-a" is the one that supports
// the account name inquiry.
constexpr std::array<TestCard, 19> kCards{{
    {.pan = "4111111111111111",
     .brand = "network-a",
     .outcome = CardOutcome::kApproved,
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "approved; full name match"},
    {.pan = "4242424242424242",
     .brand = "network-a",
     .second_brand = "network-d",
     .outcome = CardOutcome::kApproved,
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "approved; carries two brands"},
    {.pan = "5555555555554444",
     .brand = "network-b",
     .outcome = CardOutcome::kApproved,
     .purpose = "approved; network without name inquiry"},
    {.pan = "371449635398431",
     .brand = "network-c",
     .outcome = CardOutcome::kApproved,
     .purpose = "approved; 15 digits"},
    {.pan = "4000000000000002",
     .brand = "network-a",
     .outcome = CardOutcome::kDeclined,
     .response_code = "05",
     .response_code_description = "do not honor",
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "declined: do not honor"},
    {.pan = "4000000000000515",
     .brand = "network-a",
     .outcome = CardOutcome::kDeclined,
     .response_code = "51",
     .response_code_description = "insufficient funds",
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "declined: insufficient funds"},
    {.pan = "4000000000000549",
     .brand = "network-a",
     .outcome = CardOutcome::kDeclined,
     .response_code = "54",
     .response_code_description = "expired card",
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "declined: expired card"},
    {.pan = "4000000000000598",
     .brand = "network-a",
     .outcome = CardOutcome::kDeclined,
     .response_code = "59",
     .response_code_description = "suspected fraud",
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "declined: suspected fraud"},
    {.pan = "4000000000003220",
     .brand = "network-a",
     .outcome = CardOutcome::kChallenge,
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "3-D Secure challenge required, passed by the customer"},
    {.pan = "4000000000003337",
     .brand = "network-a",
     .outcome = CardOutcome::kChallengeFails,
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "3-D Secure challenge that fails"},
    {.pan = "4000000000003774",
     .brand = "network-a",
     .outcome = CardOutcome::kApprovedLate,
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "accepted, approved after 30 s"},
    {.pan = "4000000000003915",
     .brand = "network-a",
     .outcome = CardOutcome::kIssuerError,
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "issuer error"},
    {.pan = "4000000000003923",
     .brand = "network-a",
     .outcome = CardOutcome::kAnswerLost,
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "answered 502, approved after 30 s"},
    {.pan = "4000000000000614",
     .brand = "network-a",
     .outcome = CardOutcome::kApproved,
     .aft_allowed = false,
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "account funding not allowed"},
    {.pan = "4000000000000622",
     .brand = "network-a",
     .outcome = CardOutcome::kApproved,
     .oct_allowed = false,
     .ani_status = "00",
     .ani_match = "01",
     .purpose = "card payout not allowed"},
    {.pan = "4000000000000713",
     .brand = "network-a",
     .outcome = CardOutcome::kApproved,
     .ani_status = "00",
     .ani_match = "50",
     .purpose = "approved; partial name match"},
    {.pan = "4000000000000721",
     .brand = "network-a",
     .outcome = CardOutcome::kApproved,
     .ani_status = "00",
     .ani_match = "99",
     .purpose = "approved; no name match"},
    {.pan = "4000000000000739",
     .brand = "network-a",
     .outcome = CardOutcome::kApproved,
     .ani_status = "01",
     .purpose = "approved; name inquiry not performed"},
    {.pan = "4000000000000747",
     .brand = "network-a",
     .outcome = CardOutcome::kApproved,
     .ani_status = "02",
     .purpose = "approved; issuer does not support name inquiry"},
}};

}  // namespace

std::span<const TestCard> TestCards() { return kCards; }

std::optional<std::size_t> FindTestCard(std::string_view pan) {
  for (std::size_t i = 0; i < kCards.size(); ++i) {
    if (kCards[i].pan == pan) return i;
  }
  return std::nullopt;
}

std::string TruncatePan(std::string_view pan) {
  constexpr std::size_t kFirst = 6;
  constexpr std::size_t kLast = 4;
  if (pan.size() <= kFirst + kLast) return std::string(pan.size(), '*');
  return std::string(pan.substr(0, kFirst)) + std::string(pan.size() - kFirst - kLast, '*') +
         std::string(pan.substr(pan.size() - kLast));
}

}  // namespace tollbridge::sandbox
