// Amounts and currencies: what calls asked for, what came of it, and what their callers were told.

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/chaos/auditor/audit_parts.h"

namespace tollbridge::chaos {
namespace {

struct Money {
  std::int64_t amount = 0;
  std::string currency;

  auto operator<=>(const Money&) const = default;
};

std::string InWords(const Money& money) {
  return std::to_string(money.amount) + " " +
         (money.currency.empty() ? "of no currency" : money.currency);
}

std::string InWords(const std::set<Money>& all) {
  std::string text;
  for (const Money& money : all) text += (text.empty() ? "" : " or ") + InWords(money);
  return text.empty() ? "nothing" : text;
}

/// A card is stored for a transaction, and of no amount.
bool IsOfAnAmount(const OperationView& view) {
  return view.rpc != "StoreCard" && view.rpc != "ExchangeWalletBToken";
}

/// A refund, and a capture or void of a part, is in the currency of its order; what names no amount
/// is of all that its order is of.
Money AskedBy(const AuditIndex& index, const Told& told) {
  Money asked{told.amount, told.currency};
  const auto order = index.orders.find(told.order);
  if (!asked.currency.empty() || order == index.orders.end()) return asked;
  asked.currency = order->second->currency;
  if (asked.amount == 0) asked.amount = order->second->amount;
  return asked;
}

/// What the operation may be for. A key is that of the first request that came with it: where a
/// call was told a result, or that there may be one, its request was that.
std::set<Money> AskedOf(const AuditIndex& index, const OperationView& view) {
  std::set<Money> possible;
  std::set<Money> proven;
  for (const Told* told : view.told) {
    if (told->reason == "IDEMPOTENCY_KEY_REUSED") continue;
    const Word word = WordOf(*told);
    const bool proves = word == Word::kResult || word == Word::kPending;
    (proves ? proven : possible).insert(AskedBy(index, *told));
  }
  return proven.empty() ? possible : proven;
}

std::set<Money> ToldOf(const OperationView& view) {
  std::set<Money> all;
  for (const Told* told : view.told) {
    if (!told->told_currency.empty()) all.insert({told->told_amount, told->told_currency});
  }
  return all;
}

/// Compares what is there with what those asked for whose it can be.
void CompareDone(const AuditIndex& index, const std::vector<const OperationView*>& owners,
                 const std::string& what, const Money& done, Report* report) {
  std::set<Money> asked;
  std::set<Money> told;
  std::string names;
  for (const OperationView* view : owners) {
    asked.merge(AskedOf(index, *view));
    told.merge(ToldOf(*view));
    names += (names.empty() ? "" : ", ") + view->Name();
  }
  // Of what no caller asked for it is said that nobody did.
  if (asked.empty()) return;
  ++report->figures["amounts compared, of effects"];
  if (asked.contains(done)) return;
  report->contradictions.push_back({contradiction::kOtherAmountDone, owners.front()->id,
                                    names + " asked for " + InWords(asked) + "; " + what +
                                        " at the payment service is of " + InWords(done) +
                                        "; told " + InWords(told)});
}

void CompareDone(const AuditIndex& index, const std::vector<const OperationView*>& owners,
                 const Effect& effect, Report* report) {
  CompareDone(index, owners, effect.effect + " " + effect.result, {effect.amount, effect.currency},
              report);
}

/// The keys whose effect it can be: the one to which it was answered, or else each that asked.
std::vector<const OperationView*> OwnersOf(const std::vector<const OperationView*>& asked,
                                           const Effect& effect) {
  std::vector<const OperationView*> answered;
  for (const OperationView* view : asked) {
    if (view->WasAnswered(effect.result)) answered.push_back(view);
  }
  return answered.empty() ? asked : answered;
}

/// A result that shows an order or a link shows its amount. That of a wallet's payment shows the
/// order only where it was recovered.
void CompareTold(const AuditIndex& index, const OperationView& view, const Told& told,
                 Report* report) {
  if (told.result.empty()) return;
  if (view.rpc == "ExecuteWalletBPayment" && told.told_currency.empty()) return;
  ++report->figures["amounts compared, of results"];
  const Money asked = AskedBy(index, told);
  const Money shown{told.told_amount, told.told_currency};
  if (asked == shown) return;
  report->contradictions.push_back({contradiction::kOtherAmountTold, view.id,
                                    view.Name() + " asked for " + InWords(asked) +
                                        " and was told " + told.result + " of " + InWords(shown)});
}

void CompareByOperation(const AuditIndex& index, Report* report) {
  for (const auto* by_operation : {&index.refunds, &index.payouts, &index.links}) {
    for (const auto& [operation, effects] : *by_operation) {
      const auto view = index.operations.find(operation);
      if (view == index.operations.end()) continue;
      for (const Effect* effect : effects) CompareDone(index, {&view->second}, *effect, report);
    }
  }
  for (const auto& [operation, orders] : index.marked) {
    const auto view = index.operations.find(operation);
    if (view == index.operations.end()) continue;
    for (const KnownOrder* order : orders) {
      CompareDone(index, {&view->second}, "order " + order->id, {order->amount, order->currency},
                  report);
    }
  }
}

}  // namespace

void CheckAmounts(const AuditIndex& index, Report* report) {
  CompareByOperation(index, report);
  for (const auto& [target, effects] : index.effects) {
    const auto asked = index.asked.find(target);
    if (asked == index.asked.end() || target.effect == "card") continue;
    for (const Effect* effect : effects) {
      CompareDone(index, OwnersOf(asked->second, *effect), *effect, report);
    }
  }
  for (const auto& [id, view] : index.operations) {
    if (!IsOfAnAmount(view)) continue;
    for (const Told* told : view.told) CompareTold(index, view, *told, report);
  }
}

}  // namespace tollbridge::chaos
