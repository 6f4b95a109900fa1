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

/// Whether the link that was told first may be forgotten for good: nothing at the service shows it,
/// so a key that waited until the store was doubted no longer makes another. A failover forgets
/// none, since a link is told when a replica has it.
bool MayForgetLink(const AuditIndex& index, const OperationView& view, const Told& first,
                   const Told& second) {
  if (view.rpc != "CreatePaymentLink") return false;
  const auto between = [&](TimeMs at) { return at >= first.began && at <= second.began; };
  const bool lost = std::ranges::any_of(index.history->disturbances, [&](const Disturbance& one) {
    return LosesMemory(one) && one.what != "store_failed_over" && between(one.at);
  });
  return lost && std::ranges::any_of(view.told, [&](const Told* told) {
           return told->reason == "STORE_DOUBTFUL" && between(told->at);
         });
}

/// Whether an owner that nobody waited for any more recorded its answer anew: what had been found
/// meanwhile, and told, went with the memory.
bool AnsweredAnew(const AuditIndex& index, const OperationView& view, const Told& before,
                  const Told& told) {
  if (before.knowledge != "RECOVERED" || told.knowledge != "ANSWERED") return false;
  const bool lost = std::ranges::any_of(index.history->disturbances, [&](const Disturbance& one) {
    return LosesMemory(one) && one.at >= before.at && one.at <= told.at;
  });
  return lost && std::ranges::any_of(view.told, [&](const Told* one) {
           return one->result.empty() && one->began <= before.at;
         });
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
    if (told->result != before->result && MayForgetLink(index, view, *before, *told)) {
      report->notes.push_back({"link_forgotten", view.id,
                               view.Name() + " was told " + before->result + ", and " +
                                   told->result + " after the store was doubted no longer"});
    } else if (told->result != before->result) {
      Add(report, contradiction::kTwoResults, view.id,
          view.Name() + " was told order " + before->result + " and then " + told->result);
    } else if (told->digest != before->digest) {
      // An answer that the store could not take was told as it came; then evidence decides.
      const bool read_after = told->knowledge == "RECOVERED";
      const bool read_meanwhile = before->knowledge == "RECOVERED" && told->began <= before->at;
      const bool excused =
          ((read_after || read_meanwhile) && index.DisturbedBetween(view.first, told->at)) ||
          AnsweredAnew(index, view, *before, *told);
      if (!excused) {
        Add(report, contradiction::kReplayDiffers, view.id,
            view.Name() + " was answered other bytes (" + before->knowledge + ", then " +
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

bool PayoutHappened(const AuditIndex& index, const OperationView& view, const std::string& result) {
  if (!CreateHappened(index, view, result)) return false;
  const std::string& status = index.orders.at(result)->transaction_status;
  if (status == "new") return false;
  return status != "completed" || index.PayoutOf(view.id, result) != nullptr;
}

bool LinkHappened(const AuditIndex& index, const OperationView& view, const std::string& result) {
  const auto own = index.links.find(view.id);
  return own != index.links.end() && std::ranges::count(own->second, result, &Effect::result) > 0;
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
  if (view.rpc == "CreatePayout") return PayoutHappened(index, view, result);
  if (view.rpc == "CreatePaymentLink") return LinkHappened(index, view, result);
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
    const bool not_kept = std::ranges::any_of(
        view.told, [](const Told* told) { return told->reason == "RESULT_NOT_KEPT"; });
    if (not_kept && index.EffectsOf(view) == 0) {
      Add(report, contradiction::kToldWithoutEffect, id,
          view.Name() + " was told that it was done, and the service has nothing of it");
    }
    const std::string result = view.Result();
    if (result.empty()) continue;
    ++report->figures["told a result"];
    if (!Happened(index, view, result)) {
      Add(report, contradiction::kToldWithoutEffect, id,
          view.Name() + " was told order " + result + ", of which the service knows nothing");
    }
  }
  for (const auto& [target, asked] : index.asked) CheckShared(asked, report);
}

namespace {

/// A key pays out once, whatever became of its earlier runs. Beyond the bound a late one can come
/// beside it: then a person must have been told of its order.
void CheckPayouts(const AuditIndex& index, const AuditOptions& options, Report* report) {
  for (const auto& [operation, effects] : index.payouts) {
    if (operation.empty()) continue;
    const OperationView& view = index.operations.at(operation);
    const auto known_late = [&](const Effect* effect) {
      return options.late_beyond_bound && view.orphans.contains(effect->order) &&
             !view.review_records.empty();
    };
    const std::ptrdiff_t late = std::ranges::count_if(effects, known_late);
    if (std::ssize(effects) - late < 2) continue;
    Add(report, contradiction::kDouble, operation,
        std::to_string(effects.size()) + " payouts of " + view.Name());
  }
}

/// A link that nobody was given cannot be paid, so a run whose answer was lost may have left one
/// beside the one that was told, or that waits under its key. Where memory was lost, how many runs
/// there were is not known.
void CheckLinks(const AuditIndex& index, Report* report) {
  for (const auto& [operation, links] : index.links) {
    if (operation.empty()) continue;
    const OperationView& view = index.operations.at(operation);
    const std::size_t given = view.Result().empty() && view.FinalState() != "DONE" ? 0 : 1;
    report->figures["payment links that nobody was given"] += links.size() - given;
    const std::size_t most = std::max<std::size_t>(1, given + view.RunsNobodyCanJudge());
    if (links.size() <= most || index.MemoryLostDuring(view)) continue;
    Add(report, contradiction::kDouble, operation,
        std::to_string(links.size()) + " payment links of " + view.Name() + ", which has " +
            std::to_string(view.RunsNobodyCanJudge()) + " runs whose answer was lost");
  }
}

}  // namespace

void CheckDoubles(const AuditIndex& index, const AuditOptions& options, Report* report) {
  CheckPayouts(index, options, report);
  CheckLinks(index, report);
  for (const auto& [target, effects] : index.effects) {
    if (effects.size() < 2) continue;
    std::string keys;
    const auto asked = index.asked.find(target);
    if (asked != index.asked.end()) {
      for (const OperationView* view : asked->second) keys += " " + view->Name();
    }
    Add(report, contradiction::kDouble, target.order,
        std::to_string(effects.size()) + " times " + target.effect + " on transaction " +
            target.transaction + ":" + keys);
  }
  for (const auto& [operation, effects] : index.refunds) {
    if (operation.empty() || effects.size() < 2) continue;
    Add(report, contradiction::kDouble, operation,
        std::to_string(effects.size()) + " refunds of " + index.operations.at(operation).Name());
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
  // That an order of a payout is an orphan says nothing of a payout.
  const bool orphaned = !view.orphans.empty() && view.rpc != "CreatePayout";
  if (!view.review_records.empty() || orphaned) return false;
  if (word == Word::kResult || word == Word::kPending) return false;
  if (IsUnreadable(view.rpc) && (view.RunsNobodyCanJudge() > 0 || index.MemoryLostDuring(view))) {
    return false;
  }
  const bool recorded = !index.MemoryLostDuring(view);
  const bool outdated = word == Word::kNotExecuted && view.IsOutdated(*view.LastDenial(), recorded);
  // Of a later run the store may have forgotten everything, and its caller was told nothing.
  if (state == "NOT_EXECUTED") return recorded || (word != Word::kSilence && !outdated);
  if (state == "DONE") {
    return word == Word::kRefused || (word == Word::kNotExecuted && !outdated);
  }
  if (!state.empty()) return false;
  // Nothing on record: forgotten with the memory, or never begun.
  return recorded || (word != Word::kSilence && !outdated);
}

/// Whether a caller was told that nothing was done by a call that began after a result of the key
/// had been told. A result that the store could not take is forgotten where nothing can be read
/// back, unless a record says that it was done.
bool IsDeniedAfterResult(const AuditIndex& index, const OperationView& view) {
  const auto result = std::ranges::find_if(
      view.told, [](const Told* told) { return WordOf(*told) == Word::kResult; });
  if (result == view.told.end() || index.MemoryLostDuring(view)) return false;
  const bool may_be_forgotten = IsUnreadable(view.rpc) && view.RunsNobodyCanJudge() > 0;
  return std::ranges::any_of(view.told, [&](const Told* told) {
    return WordOf(*told) == Word::kNotExecuted && !WasNotTakenUp(*told) &&
           told->began > (*result)->at &&
           (!may_be_forgotten || view.StateAt(told->began) == "DONE");
  });
}

}  // namespace

void CheckDenied(const AuditIndex& index, Report* report) {
  std::set<const OperationView*> denied;
  const auto deny = [&](const OperationView& view, const std::string& why) {
    denied.insert(&view);
    Add(report, contradiction::kDenied, view.id, view.Name() + why);
  };
  const auto deny_all = [&](const OperationView& view) {
    const std::string state = view.FinalState();
    const char* told = view.Result().empty() ? "no result" : "that nothing was done";
    deny(view, " is " + (state.empty() ? "not on record" : state) + " and was told " + told +
                   ", and its effect is there");
  };
  for (const auto& [id, view] : index.operations) {
    if (IsDeniedAfterResult(index, view)) {
      deny(view, " was told a result, and then, when called anew, that nothing was done");
    } else if (!view.told.empty() && !TargetOf(view) && index.EffectsOf(view) > 0 &&
               SaysNo(index, view)) {
      deny_all(view);
    }
  }
  for (const auto& [target, asked] : index.asked) {
    if (!index.effects.contains(target)) continue;
    const bool by_all =
        std::ranges::all_of(asked, [&](const OperationView* view) { return SaysNo(index, *view); });
    const bool said = std::ranges::any_of(
        asked, [&](const OperationView* view) { return denied.contains(view); });
    if (by_all && !said) deny_all(*asked.front());
  }
}

namespace {

/// A payout to a card stores it for its own order.
bool IsCardOfPayout(const AuditIndex& index, const Target& target) {
  const auto order = index.orders.find(target.order);
  if (target.effect != "card" || order == index.orders.end()) return false;
  const auto view = index.operations.find(OperationOfMark(order->second->mark));
  return view != index.operations.end() && view->second.rpc == "CreatePayout";
}

}  // namespace

void CheckOwners(const AuditIndex& index, Report* report) {
  const auto add = [report](const Effect& effect) {
    Add(report, contradiction::kEffectWithoutOperation, effect.order,
        effect.effect + " " + effect.result + " by " + effect.cause + ", which nobody asked for");
  };
  for (const auto& [target, effects] : index.effects) {
    if (!index.asked.contains(target) && !IsCardOfPayout(index, target)) add(*effects.front());
  }
  for (const auto* by_operation : {&index.refunds, &index.payouts, &index.links}) {
    const auto nobodys = by_operation->find("");
    if (nobodys == by_operation->end()) continue;
    for (const Effect* effect : nobodys->second) add(*effect);
  }
  for (const auto& [operation, orders] : index.marked) {
    const auto view = index.operations.find(operation);
    if (view != index.operations.end() && !view->second.told.empty()) continue;
    Add(report, contradiction::kEffectWithoutOperation, orders.front()->id,
        "the order carries the mark of " + operation + ", which nobody asked for");
  }
}

}  // namespace tollbridge::chaos
