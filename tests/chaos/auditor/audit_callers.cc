// What callers were told against what others were told, of their keys, ids and projects.

#include <algorithm>
#include <string>

#include "tests/chaos/auditor/audit_parts.h"

namespace tollbridge::chaos {
namespace {

/// By which a call and the records of its operation may be apart: the clocks of Redis and callers
/// are the machine's.
constexpr TimeMs kClaimSlack = 500;
/// For so long after its call ended a claim may still be carried out: a call whose connection was
/// lost ends before the time that its claim was given.
constexpr TimeMs kClaimGoodFor = 2'000;

void Add(Report* report, const char* kind, const OperationView& view, const std::string& text) {
  report->contradictions.push_back({kind, view.id, view.Name() + text});
}

bool AreTheSame(const OperationView& view) {
  const Told& first = *view.told.front();
  return std::ranges::all_of(view.told, [&first](const Told* told) {
    return told->rpc == first.rpc && told->order == first.order &&
           told->transaction == first.transaction && told->amount == first.amount &&
           told->currency == first.currency;
  });
}

void CheckKey(const OperationView& view, Report* report) {
  const auto taken = std::ranges::find(view.told, "IDEMPOTENCY_KEY_REUSED", &Told::reason);
  if (taken == view.told.end() || !AreTheSame(view)) return;
  Add(report, contradiction::kKeyTaken, view,
      ", whose calls are all the same, was told that its key is another request's");
}

/// Of calls that came one after the other. Where the store or a gateway failed, the first answer
/// may not have been recorded: then the key may run again.
void CheckRefusals(const AuditIndex& index, const OperationView& view, Report* report) {
  const Told* before = nullptr;
  for (const Told* told : view.told) {
    const Word word = WordOf(*told);
    if (word != Word::kResult && word != Word::kRefused) continue;
    const bool other = before != nullptr && WordOf(*before) != word;
    if (other && told->began > before->at && !index.MemoryLostDuring(view) &&
        !index.DisturbedBetween(before->began, told->at)) {
      Add(report, contradiction::kAnsweredAnew, view,
          word == Word::kResult ? " was refused, and then told a result"
                                : " was told a result, and then refused");
    }
    before = told;
  }
}

/// A claim is for a call that waits for it. One that is executed later sends nothing, and leaves
/// what looks as if it had been sent.
void CheckClaims(const AuditIndex& index, const OperationView& view, Report* report) {
  if (view.told.empty() || index.MemoryLostDuring(view)) return;
  for (const OperationLine* line : view.lines) {
    if (line->to != "RUNNING") continue;
    const bool awaited = std::ranges::any_of(view.told, [line](const Told* told) {
      return told->began <= line->at + kClaimSlack &&
             told->at >= line->at - kClaimGoodFor - kClaimSlack;
    });
    if (awaited) continue;
    Add(report, contradiction::kClaimedForNobody, view,
        ": attempt " + std::to_string(line->attempt) +
            " began when none of its calls was under way");
  }
}

}  // namespace

void CheckCallers(const AuditIndex& index, Report* report) {
  for (const auto& [id, view] : index.operations) {
    CheckKey(view, report);
    CheckRefusals(index, view, report);
    CheckClaims(index, view, report);
    if (!view.wrong.empty() && !view.Result().empty()) {
      Add(report, contradiction::kWrongIdDone, view,
          " names a wrong " + view.wrong + " and was told " + view.Result());
    }
  }
}

void CheckProjects(const AuditIndex& index, Report* report) {
  const auto compare = [&](const OperationView& view, const std::string& project,
                           const std::string& what) {
    if (view.told.empty() || view.project == project) return;
    Add(report, contradiction::kOtherProject, view, " of project " + view.project + what + project);
  };
  for (const auto& [operation, orders] : index.marked) {
    const auto view = index.operations.find(operation);
    if (view == index.operations.end()) continue;
    for (const KnownOrder* order : orders) {
      compare(view->second, order->project, " made order " + order->id + " in project ");
    }
  }
  for (const auto* by_operation : {&index.refunds, &index.payouts, &index.links}) {
    for (const auto& [operation, effects] : *by_operation) {
      const auto view = index.operations.find(operation);
      if (view == index.operations.end()) continue;
      for (const Effect* effect : effects) {
        compare(view->second, effect->project, " made " + effect->effect + " in project ");
      }
    }
  }
  for (const auto& [target, effects] : index.effects) {
    const auto asked = index.asked.find(target);
    if (asked == index.asked.end()) continue;
    for (const OperationView* view : asked->second) {
      compare(*view, effects.front()->project, " asked for " + target.effect + " in project ");
    }
  }
  for (const Told& told : index.history->told) {
    if (told.holder.empty()) continue;
    const auto holder = index.operations.find(told.holder);
    if (holder == index.operations.end()) continue;
    compare(holder->second, told.project, " held order " + told.order + " of project ");
  }
}

}  // namespace tollbridge::chaos
