#include "sandbox/core/card_vault.h"

#include <algorithm>
#include <chrono>

#include "base/core/card_numbers.h"
#include "sandbox/core/result.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kMaxNameBytes = 256;

bool AllDigits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// The first instant at which a card with this expiry (MMYYYY) is no longer good.
std::optional<Time> EndOf(std::string_view expiry) {
  if (expiry.size() != 6 || !AllDigits(expiry)) return std::nullopt;
  const int month = (expiry[0] - '0') * 10 + (expiry[1] - '0');
  int year = 0;
  for (const char c : expiry.substr(2)) year = year * 10 + (c - '0');
  if (month < 1 || month > 12) return std::nullopt;
  using namespace std::chrono;
  const year_month last(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)));
  return sys_days((last + months(1)) / 1);
}

}  // namespace

Uuid CardVault::IssueSetupToken(const Uuid& project, const Uuid& order, const Uuid& transaction) {
  const Uuid token = simulation_->ids.NewUuid();
  setup_tokens_[token] = {.project = project,
                          .order = order,
                          .transaction = transaction,
                          .issued = simulation_->clock.Now()};
  simulation_->timeline.After(kSetupTokenValidity + Millis{1},
                              [this, token] { setup_tokens_.erase(token); });
  return token;
}

const CardVault::SetupToken* CardVault::FindGood(const Uuid& setup_token) const {
  const auto found = setup_tokens_.find(setup_token);
  if (found == setup_tokens_.end()) return nullptr;
  if (simulation_->clock.Now() > found->second.issued + kSetupTokenValidity) return nullptr;
  return &found->second;
}

Result<void> CardVault::Check(const CardEntry& card) const {
  if (card.pan.empty()) return Invalid("pan is required");
  if (card.pan.size() < 12 || card.pan.size() > 19 || !AllDigits(card.pan) ||
      !PassesLuhn(card.pan)) {
    return Invalid("pan is not a card number");
  }
  if (!FindTestCard(card.pan)) return Invalid("pan is not one of the sandbox's test cards");
  const std::optional<Time> end = EndOf(card.expiry);
  if (!end) return Invalid("expiry is required and must have the form MMYYYY");
  if (*end <= simulation_->clock.Now()) return Invalid("expiry is past");
  if (card.cardholder_name.size() > kMaxNameBytes) return Invalid("name is longer than 256 bytes");
  return {};
}

Result<VaultCard> CardVault::Store(const Uuid& project, const Uuid& setup_token,
                                   const CardEntry& card) {
  const SetupToken* token = FindGood(setup_token);
  if (token == nullptr || token->project != project) {
    return Invalid("setup_token is not known, was used, or is older than 300 seconds");
  }
  SB_RETURN_IF_ERROR(Check(card));
  const SetupToken spent = *token;
  setup_tokens_.erase(setup_token);
  const VaultCard& stored = Keep(project, card);
  stored_.push_back({.at = simulation_->clock.Now(),
                     .setup = spent,
                     .vault_token = stored.token,
                     .cause = simulation_->cause});
  return stored;
}

const VaultCard& CardVault::Keep(const Uuid& project, const CardEntry& card) {
  VaultCard stored;
  stored.token = simulation_->ids.NewUuid();
  stored.project_id = project;
  stored.test_card = *FindTestCard(card.pan);
  stored.truncated_pan = TruncatePan(card.pan);
  stored.expiry = card.expiry;
  stored.cardholder_name = card.cardholder_name;
  return cards_.emplace(stored.token, std::move(stored)).first->second;
}

const VaultCard* CardVault::Find(const Uuid& project, const Uuid& vault_token) const {
  const auto found = cards_.find(vault_token);
  if (found == cards_.end() || found->second.project_id != project) return nullptr;
  return &found->second;
}

std::optional<Uuid> CardVault::StoredBy(const Uuid& first_transaction) const {
  const auto found = first_transactions_.find(first_transaction);
  if (found == first_transactions_.end()) return std::nullopt;
  return found->second;
}

void CardVault::Clear() {
  setup_tokens_.clear();
  cards_.clear();
  stored_.clear();
  first_transactions_.clear();
}

}  // namespace tollbridge::sandbox
