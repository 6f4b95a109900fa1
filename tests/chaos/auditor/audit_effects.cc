// What callers were told, against what the payment service has done.

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "tests/chaos/auditor/audit_parts.h"

namespace tollbridge::chaos {
namespace {

void Add(Report* report, const char* kind, const std::string& subject, const std::string& text) {
  report->contradictions.push_back({kind, subject, text});
}

std::string Name(const OperationView& view) {
  return view.rpc + (view.told.empty() ? "" : " with key " + view.told.front()->key);
}

/// One key, several results: the same order, and the same bytes unless the first ones were lost.
void CompareResults(const AuditIndex& index, const OperationView& view, Report* report) {
  const Told* before = nullptr;
  for (const Told* told : view.told) {
    if (told->result.empty()) continue;
    if (before == nullptr) {
      before = told;
      continue;
    }
    if (told->result != before->result) {
      Add(report, contradiction::kTwoResults, view.id,
          Name(view) + " was told order " + before->result + " and then " + told->result);
    } else if (told->digest != before->digest) {
      // An answer that the store could not take was told as it came; then evidence decides.
      const bool excused =
          told->knowledge == "RECOVERED" && index.DisturbedBetween(view.first, told->at);
      if (!excused) {
        Add(report, contradiction::kReplayDiffers, view.id,
            Name(view) + " was answered other bytes (" + before->knowledge + ", then " +
                told->knowledge + ")");
      }
    }
    before = told;
  }
}

bool CreateHappened(const AuditIndex& index, const OperationView& view, const std::string& result) {
  const auto order = index.orders.find(result);
  return order != index.orders.end() && OperationOfMark(order->second->mark) == view.id;
}

bool PaymentHappened(const AuditIndex& index, const OperationView& view,
                     const std::string& result) {
  const auto order = index.orders.find(result);
  if (order == index.orders.end() || result != view.order) return false;
  if (order->second->transaction_status == "new") return false;
  return order->second->transaction_status != "completed" || index.EffectsOf(view) > 0;
}

bool FollowUpHappened(const AuditIndex& index, const OperationView& view,
                      const std::string& result) {
  const auto effect = index.by_result.find(result);
  if (effect == index.by_result.end() || effect->second->order != view.order) return false;
  if (view.rpc == "CreateRefund") {
    const auto own = index.refunds.find(view.id);
    return own != index.refunds.end() && std::ranges::count(own->second, effect->second) > 0;
  }
  const auto target = TargetOf(view);
  return target && TargetOf(*effect->second) == *target;
}

bool Happened(const AuditIndex& index, const OperationView& view, const std::string& result) {
  if (view.rpc == "CreateOrder") return CreateHappened(index, view, result);
  const auto target = TargetOf(view);
  return target && target->effect == "charge" ? PaymentHappened(index, view, result)
                                              : FollowUpHappened(index, view, result);
}

/// Several keys that were told one effect: it is the service's answer to one of them at most. What
/// evidence shows cannot say whose it was.
void CheckShared(const std::vector<const OperationView*>& asked, Report* report) {
  std::vector<const OperationView*> told;
  std::size_t answered = 0;
  for (const OperationView* view : asked) {
    if (view->Result().empty()) continue;
    told.push_back(view);
    answered += std::ranges::any_of(view->told,
                                    [](const Told* one) { return one->knowledge == "ANSWERED"; })
                    ? 1U
                    : 0U;
  }
  if (told.size() < 2) return;
  std::string keys;
  for (const OperationView* view : told) keys += (keys.empty() ? "" : ", ") + view->id;
  if (answered > 1) {
    Add(report, contradiction::kSharedEffect, told.front()->order,
        "one effect was told as the answer to " + keys);
  } else {
    report->notes.push_back({"shared_by_evidence", told.front()->order,
                             "one effect, found by reading for more than its key: " + keys});
  }
}

}  // namespace

void CheckResults(const AuditIndex& index, Report* report) {
  for (const auto& [id, view] : index.operations) {
    CompareResults(index, view, report);
    const std::string result = view.Result();
    if (result.empty()) continue;
    ++report->figures["told a result"];
    if (!Happened(index, view, result)) {
      Add(report, contradiction::kToldWithoutEffect, id,
          Name(view) + " was told order " + result + ", of which the service knows nothing");
    }
  }
  for (const auto& [target, asked] : index.asked) CheckShared(asked, report);
}

void CheckDoubles(const AuditIndex& index, Report* report) {
  for (const auto& [target, effects] : index.effects) {
    if (effects.size() < 2) continue;
    std::string keys;
    const auto asked = index.asked.find(target);
    if (asked != index.asked.end()) {
      for (const OperationView* view : asked->second) keys += " " + Name(*view);
    }
    Add(report, contradiction::kDouble, target.order,
        std::to_string(effects.size()) + " times " + target.effect + " on transaction " +
            target.transaction + ":" + keys);
  }
  for (const auto& [operation, effects] : index.refunds) {
    if (operation.empty() || effects.size() < 2) continue;
    Add(report, contradiction::kDouble, operation,
        std::to_string(effects.size()) + " refunds of " + Name(index.operations.at(operation)));
  }
  for (const auto& [operation, orders] : index.marked) {
    std::set<std::string> marks;
    for (const KnownOrder* order : orders) {
      if (marks.insert(order->mark).second) continue;
      Add(report, contradiction::kDouble, operation, "two orders carry the mark " + order->mark);
    }
  }
}

namespace {

/// Whether all that anybody can know of the operation is that it did nothing.
bool SaysNo(const AuditIndex& index, const OperationView& view) {
  const std::string state = view.FinalState();
  const Word word = view.LastWord();
  if (!view.review_records.empty() || !view.orphans.empty()) return false;
  if (word == Word::kResult || word == Word::kPending) return false;
  if (state == "NOT_EXECUTED") return true;
  if (state == "DONE") return word == Word::kRefused || word == Word::kNotExecuted;
  if (!state.empty()) return false;
  // Nothing on record: forgotten with the memory, or never begun.
  return word != Word::kSilence || !index.MemoryLostDuring(view);
}

}  // namespace

void CheckDenied(const AuditIndex& index, Report* report) {
  const auto deny = [report](const OperationView& view) {
    const std::string state = view.FinalState();
    Add(report, contradiction::kDenied, view.id,
        Name(view) + " is " + (state.empty() ? "not on record" : state) +
            " and was told no result, and its effect is there");
  };
  for (const auto& [id, view] : index.operations) {
    if (view.told.empty() || TargetOf(view)) continue;
    if (index.EffectsOf(view) > 0 && SaysNo(index, view)) deny(view);
  }
  for (const auto& [target, asked] : index.asked) {
    if (!index.effects.contains(target)) continue;
    const bool denied =
        std::ranges::all_of(asked, [&](const OperationView* view) { return SaysNo(index, *view); });
    if (denied) deny(*asked.front());
  }
}

void CheckOwners(const AuditIndex& index, Report* report) {
  const auto add = [report](const Effect& effect) {
    Add(report, contradiction::kEffectWithoutOperation, effect.order,
        effect.effect + " " + effect.result + " by " + effect.cause + ", which nobody asked for");
  };
  for (const auto& [target, effects] : index.effects) {
    if (!index.asked.contains(target)) add(*effects.front());
  }
  const auto unmarked = index.refunds.find("");
  if (unmarked != index.refunds.end()) {
    for (const Effect* effect : unmarked->second) add(*effect);
  }
  for (const auto& [operation, orders] : index.marked) {
    const auto view = index.operations.find(operation);
    if (view != index.operations.end() && !view->second.told.empty()) continue;
    Add(report, contradiction::kEffectWithoutOperation, orders.front()->id,
        "the order carries the mark of " + operation + ", which nobody asked for");
  }
}

}  // namespace tollbridge::chaos
