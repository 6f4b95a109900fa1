// What came late, what was orphaned, and what is not closed.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/auditor/audit_parts.h"

namespace tollbridge::chaos {
namespace {

void Add(Report* report, const char* kind, const std::string& subject, const std::string& text) {
  report->contradictions.push_back({kind, subject, text});
}

/// The order that is the outcome of a create; empty when it has none.
std::string OutcomeOf(const OperationView& view) {
  const std::string told = view.Result();
  if (!told.empty()) return told;
  if (view.FinalState() != "DONE") return "";
  for (auto line = view.lines.rbegin(); line != view.lines.rend(); ++line) {
    if ((*line)->orphan.empty() && !(*line)->order.empty()) return (*line)->order;
  }
  return "";
}

/// Whether an order that carries the operation's mark is accounted for.
bool Accounted(const AuditIndex& index, const OperationView& view, const std::string& order) {
  if (view.orphans.contains(order)) return true;
  const std::string state = view.FinalState();
  const std::string outcome = OutcomeOf(view);
  if (outcome == order) return true;
  // Refused to be known: said elsewhere (denied, unresolved), or forgotten with the memory.
  if (outcome.empty() && state != "DONE") return true;
  return outcome.empty() ? index.marked.at(view.id).size() == 1 : false;
}

/// Whether someone who looks finds the late effect.
bool Found(const OperationView& view, const std::string& order) {
  const std::string state = view.FinalState();
  if (!view.review_records.empty()) return true;
  // An orphan that was paid out is for a person; the order alone is nothing.
  if (view.orphans.contains(order) && view.rpc != "CreatePayout") return true;
  if (state == "NEEDS_REVIEW" || state == "UNKNOWN" || state == "RUNNING") return true;
  if (view.rpc == "CreateOrder" || view.rpc == "CreatePayout") return OutcomeOf(view) == order;
  return state == "DONE" && view.LastWord() != Word::kRefused;
}

struct LateEffect {
  const OperationView* view = nullptr;
  std::string order;
  TimeMs at = 0;
  bool found = false;
};

/// Of a create: the order came when its attempt was closed as not executed.
bool CameLate(const OperationView& view, const KnownOrder& order) {
  const std::int64_t attempt = AttemptOfMark(order.mark);
  return std::ranges::any_of(view.lines, [&](const OperationLine* line) {
    return line->to == "NOT_EXECUTED" && line->attempt == attempt && line->orphan.empty() &&
           line->at < order.created;
  });
}

/// What the clocks of Redis and the payment service may differ by: they are the machine's, read at
/// different moments.
constexpr TimeMs kClockDifference = 100;

/// Of the rest: when it came, all operations that asked for it were closed as not executed, or
/// (where absence alone does not close) as absent.
bool CameLate(const OperationView& view, TimeMs at) {
  const std::string state = view.StateAt(at);
  if (view.StateAt(at + kClockDifference) != state) return false;
  if (state == "NOT_EXECUTED") return true;
  return state == "NEEDS_REVIEW" && view.lines.back()->review_reason == "ABSENT_NOT_REPEATABLE";
}

/// Whether it may have been this operation that was at work then. An accepted payment is in the
/// ledger a second after its operation was done.
bool WasAtWork(const OperationView& view, TimeMs at) {
  const std::string state = view.StateAt(at);
  return state == "RUNNING" || state == "UNKNOWN" ||
         (state == "DONE" && view.LastWord() != Word::kRefused);
}

/// Of what is known by a mark: refunds, payouts. An operation whose own answer was the effect was
/// at work when it came, whatever records were lost with the memory.
void AddLate(const AuditIndex& index,
             const std::map<std::string, std::vector<const Effect*>>& by_operation,
             std::vector<LateEffect>* late) {
  for (const auto& [operation, effects] : by_operation) {
    const auto found = index.operations.find(operation);
    if (found == index.operations.end()) continue;
    const OperationView& view = found->second;
    for (const Effect* effect : effects) {
      if (view.WasAnswered(effect->result) || !CameLate(view, effect->at)) continue;
      late->push_back({&view, effect->result, effect->at, Found(view, effect->result)});
    }
  }
}

std::vector<LateEffect> LateEffects(const AuditIndex& index) {
  std::vector<LateEffect> late;
  for (const auto& [operation, orders] : index.marked) {
    const auto view = index.operations.find(operation);
    // An order of a payout is no effect yet.
    if (view == index.operations.end() || view->second.rpc == "CreatePayout") continue;
    for (const KnownOrder* order : orders) {
      if (view->second.WasAnswered(order->id) || !CameLate(view->second, *order)) continue;
      late.push_back({&view->second, order->id, order->created, Found(view->second, order->id)});
    }
  }
  for (const auto& [target, effects] : index.effects) {
    const auto asked = index.asked.find(target);
    // Of what cannot be read back, NOT_EXECUTED does not say that nothing is to come.
    if (asked == index.asked.end() || target.effect == "card") continue;
    const auto& views = asked->second;
    const TimeMs at = effects.front()->at;
    const std::string& result = effects.front()->result;
    const bool nobody = std::ranges::none_of(views, [&](const OperationView* view) {
      return WasAtWork(*view, at) || WasAtWork(*view, at + kClockDifference) ||
             view->WasAnswered(result) || index.WasForgotten(*view, result);
    });
    const auto closed = std::ranges::find_if(
        views, [at](const OperationView* view) { return CameLate(*view, at); });
    if (!nobody || closed == views.end()) continue;
    const bool found = std::ranges::any_of(
        views, [&](const OperationView* view) { return Found(*view, effects.front()->result); });
    late.push_back({*closed, effects.front()->result, at, found});
  }
  AddLate(index, index.refunds, &late);
  AddLate(index, index.payouts, &late);
  return late;
}

/// Whether a transaction ended without money moved: the ledger has nothing of it.
bool EndedUnpaid(const KnownOrder& order) {
  return order.transaction_status == "declined" || order.transaction_status == "expired";
}

/// Whether the transaction that the operation starts was started and ended unpaid.
bool WasUnpaid(const AuditIndex& index, const OperationView& view) {
  if (view.rpc == "CreatePayout") {
    const auto own = index.marked.find(view.id);
    return own != index.marked.end() &&
           std::ranges::any_of(own->second,
                               [](const KnownOrder* order) { return EndedUnpaid(*order); });
  }
  const std::optional<Target> target = TargetOf(view);
  if (!target) return false;
  return std::ranges::any_of(index.history->orders, [&](const KnownOrder& order) {
    return order.transaction == view.transaction && EndedUnpaid(order);
  });
}

/// Whether the result carries the mark of the operation, a refund or a payout.
bool HasItsMark(const AuditIndex& index, const OperationView& view, const std::string& result) {
  if (view.rpc == "CreatePayout") return index.PayoutOf(view.id, result) != nullptr;
  const auto own = index.refunds.find(view.id);
  return own != index.refunds.end() &&
         std::ranges::find(own->second, result, &Effect::result) != own->second.end();
}

/// Why an effect was taken for a late one that was none. But for refunds and payouts, evidence
/// names the transaction, not the operation.
std::optional<std::string> ExplainFalseAlarm(const AuditIndex& index, const OperationView& view) {
  const std::string told = view.Result();
  if (!told.empty() && index.EffectsOf(view) == 1 && HasItsMark(index, view, told) &&
      index.WasForgotten(view, told)) {
    return "the effect with its mark is that of a later attempt, which the store forgot";
  }
  const std::optional<Target> target = TargetOf(view);
  const auto effects = target ? index.effects.find(*target) : index.effects.end();
  if (effects == index.effects.end() || effects->second.size() != 1) return std::nullopt;
  const std::string& result = effects->second.front()->result;
  if (index.WasForgotten(view, result)) {
    return "the effect is that of a later attempt, which the store forgot";
  }
  const auto& views = index.asked.at(*target);
  const TimeMs at = effects->second.front()->at;
  const auto other = std::ranges::find_if(views, [&](const OperationView* one) {
    return one != &view && (one->WasAnswered(result) || WasAtWork(*one, at));
  });
  if (other == views.end()) return std::nullopt;
  return "the effect is that of another key on the same transaction, operation " + (*other)->id;
}

/// Why a person is wanted, when what happened explains it.
std::optional<std::string> Explain(const AuditIndex& index, const AuditOptions& options,
                                   const OpenLine& line) {
  const std::string subject = line.review_of.empty() ? line.operation : line.review_of;
  const auto found = index.operations.find(subject);
  if (found == index.operations.end()) return std::nullopt;
  const OperationView& view = found->second;
  const std::size_t effects = index.EffectsOf(view);
  // What nothing can have come of ends by itself.
  if (!view.wrong.empty()) return std::nullopt;
  if (line.review_reason == "ABSENT_NOT_REPEATABLE" && view.rpc == "CreateRefund") {
    if (effects == 0) {
      return "the call was lost, nothing came of it, and a refund is never sent again on the "
             "strength of absence";
    }
    if (options.late_beyond_bound) return "the refund came after the quarantine, as planted";
  }
  if (line.review_reason == "LATE_EFFECT" && IsUnreadable(view.rpc) && effects > 0) {
    return "the answer came after the operation was closed, which is done at once where nothing "
           "can be read back";
  }
  if (line.review_reason == "LATE_EFFECT" && !options.late_beyond_bound) {
    if (const std::optional<std::string> why = ExplainFalseAlarm(index, view)) return why;
  }
  if (line.review_reason == "LATE_EFFECT" && options.late_beyond_bound) {
    if (effects > 0) return "the effect came after the quarantine, as planted";
    if (WasUnpaid(index, view)) {
      return "the start came after the quarantine, as planted, and moved no money";
    }
  }
  if (line.review_reason == "ORPHAN_PAID" && options.late_beyond_bound &&
      index.PayoutOf(view.id, line.order) != nullptr) {
    return "the payout of an earlier run came after the quarantine, as planted";
  }
  if (line.review_reason == "ORPHAN_PAID" && effects > 0 &&
      index.effects.contains({line.order, "", "charge"})) {
    return "an orphan was paid";
  }
  return std::nullopt;
}

}  // namespace

void CheckOrphans(const AuditIndex& index, Report* report) {
  for (const auto& [operation, orders] : index.marked) {
    const auto found = index.operations.find(operation);
    if (found == index.operations.end()) continue;
    const OperationView& view = found->second;
    for (const KnownOrder* order : orders) {
      if (view.orphans.contains(order->id)) {
        ++report->figures["orphans"];
        report->notes.push_back({"orphan", order->id, "noted under operation " + operation});
      } else if (view.rpc == "CreatePayout" && index.PayoutOf(operation, order->id) == nullptr) {
        // Before its last step a payout leaves nothing that matters.
        if (OutcomeOf(view) != order->id) ++report->figures["orders of payouts, left as they were"];
      } else if (!Accounted(index, view, order->id)) {
        Add(report, contradiction::kOrphanNotNoted, operation,
            "order " + order->id + " carries the operation's mark " + order->mark +
                " and is not its outcome " + OutcomeOf(view));
        // Nobody was told of it, so that it is the key's second effect.
        Add(report, contradiction::kDouble, operation,
            "orders " + OutcomeOf(view) + " and " + order->id + ", which nobody knows");
      }
    }
  }
}

void CheckLateEffects(const AuditIndex& index, const AuditOptions& options, Report* report) {
  const std::vector<LateEffect> late = LateEffects(index);
  report->figures["late effects"] = late.size();
  for (const LateEffect& one : late) {
    const std::string text = one.view->rpc + ": order " + one.order +
                             " came after the operation was closed as not executed";
    if (index.WasForgotten(*one.view, one.order)) {
      ++report->figures["late effects whose attempt was forgotten with the memory"];
    } else if (!one.found) {
      Add(report, contradiction::kLateEffectMissed, one.view->id, text + "; nothing says so");
    } else if (!options.late_beyond_bound && !index.MemoryLostDuring(*one.view)) {
      // Where records are missing, it may have run again in between.
      Add(report, contradiction::kQuarantineTooShort, one.view->id, text);
    } else {
      ++report->figures["late effects found"];
      report->notes.push_back({"late_effect", one.view->id, text + "; found"});
    }
  }
  if (options.late_beyond_bound && late.empty()) {
    Add(report, contradiction::kNoLateEffect, "", "late effects were to be planted");
  }
}

void CheckOpen(const AuditIndex& index, const AuditOptions& options, Report* report) {
  for (const OpenLine& line : index.history->open) {
    if (line.state != "NEEDS_REVIEW") {
      Add(report, contradiction::kUnresolved, line.operation,
          line.rpc + " is still " + line.state + ": " + line.evidence);
      continue;
    }
    ++report->needs_review;
    const std::optional<std::string> why = Explain(index, options, line);
    report->reviews.push_back(
        {line.review_reason, line.operation, why.value_or("not explained: " + line.evidence)});
    if (!why) {
      Add(report, contradiction::kUnexplainedReview, line.operation,
          line.rpc + " wants a person for " + line.review_reason + ": " + line.evidence);
    }
  }
  for (const auto& [id, view] : index.operations) {
    if (view.open != nullptr || view.lines.empty()) continue;
    const std::string state = view.lines.back()->to;
    if (state != "RUNNING" && state != "UNKNOWN" && state != "NEEDS_REVIEW") continue;
    // Open operations have no end but the run's: what is lost later is lost with them.
    if (index.MemoryLostSince(view)) {
      ++report->figures["operations forgotten with the memory"];
    } else {
      Add(report, contradiction::kLostOperation, id,
          "the last record says " + state + ", and the operation is not open");
    }
  }
}

}  // namespace tollbridge::chaos
