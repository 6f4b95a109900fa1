// The topics: each record once or as an exact copy, none missing, none of what did not happen.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/chaos/auditor/audit_parts.h"

namespace tollbridge::chaos {
namespace {

void Add(Report* report, const char* kind, const std::string& subject, const std::string& text) {
  report->contradictions.push_back({kind, subject, text});
}

std::string Content(const OperationLine& line) {
  return line.to + " at " + std::to_string(line.at) + " (" + line.evidence + "), which came at " +
         std::to_string(line.came);
}

/// Takes exact repeats out of one operation's records, and says what is missing.
void CheckNumbers(const AuditIndex& index, OperationView& view, Report* report) {
  std::map<std::int64_t, const OperationLine*> seen;
  std::vector<const OperationLine*> once;
  std::int64_t highest = 0;
  const bool forgiven = index.MemoryLostDuring(view);
  for (const OperationLine* line : view.lines) {
    const auto known = seen.find(line->number);
    if (known != seen.end() && known->second->digest == line->digest) continue;
    if (known != seen.end() && !forgiven) {
      Add(report, contradiction::kRecordDiffers, view.id,
          "record " + std::to_string(line->number) +
              " has two contents: " + Content(*known->second) + "; " + Content(*line));
    }
    if (known == seen.end() && line->number != highest + 1 && !forgiven) {
      Add(report, contradiction::kRecordGap, view.id,
          "record " + std::to_string(line->number) + " follows " + std::to_string(highest));
    }
    seen[line->number] = line;
    highest = line->number;
    once.push_back(line);
  }
  view.lines = std::move(once);
}

bool Ends(std::string_view type, std::string_view what) {
  return type.find("." + std::string(what) + ".") != type.npos;
}

/// What the ledger must hold before an event of this type may say so; empty: nothing.
std::string EffectBehind(std::string_view type) {
  if (!Ends(type, "completed")) return "";
  for (const std::string_view kind : {"capture", "void", "refund"}) {
    if (type.find("." + std::string(kind) + ".") != type.npos) return std::string(kind);
  }
  if (type.find(".payout.") != type.npos) return "payout";
  if (type.find(".payment.") != type.npos) return "charge";
  if (type.find(".authorization.") != type.npos) return "authorize";
  return "";
}

bool EffectIsThere(const AuditIndex& index, const std::string& order, const std::string& effect) {
  const auto shown = index.by_result.find(order);
  return shown != index.by_result.end() && shown->second->effect == effect;
}

/// Whether the store lost what it had after the orphan was noted, or, where the operation has no
/// outcome, was another process, which may have: nobody can say then that no later attempt adopted
/// the order.
bool OrphanWasForgotten(const AuditIndex& index, const OperationView& view,
                        const std::string& order) {
  const auto noted = std::ranges::find(view.lines, order, &OperationLine::orphan);
  if (noted == view.lines.end()) return false;
  const bool done = view.lines.back()->to == "DONE";
  return std::ranges::any_of(index.history->disturbances, [&](const Disturbance& disturbance) {
    return disturbance.at >= (*noted)->at &&
           (LosesMemory(disturbance) || (!done && disturbance.what == "store_restarted"));
  });
}

/// Whether the order became the outcome after it was noted as an orphan: a later attempt found it
/// (docs/design/operations.md: Orphans).
bool WasAdopted(const OperationView& view, const std::string& order) {
  const auto noted = std::ranges::find(view.lines, order, &OperationLine::orphan);
  return std::ranges::any_of(noted, view.lines.end(), [&](const OperationLine* line) {
    return line->to == "DONE" && line->order == order && line->at >= (*noted)->at;
  });
}

void CheckEvent(const AuditIndex& index, const EventLine& event, Report* report) {
  const auto order = index.orders.find(event.order);
  if (order == index.orders.end()) {
    Add(report, contradiction::kEventWithoutOperation, event.order,
        event.type + " of an order that the payment service does not have");
    return;
  }
  const std::string operation = OperationOfMark(order->second->mark);
  if (!operation.empty()) {
    const auto view = index.operations.find(operation);
    if (view == index.operations.end() || view->second.told.empty()) {
      Add(report, contradiction::kEventWithoutOperation, event.order,
          event.type + " of an order whose operation " + operation + " nobody asked for");
    } else if (view->second.orphans.contains(event.order) &&
               !EffectIsThere(index, event.order, "charge") &&
               !EffectIsThere(index, event.order, "payout") &&
               !WasAdopted(view->second, event.order) &&
               !index.WasForgotten(view->second, event.order) &&
               !OrphanWasForgotten(index, view->second, event.order)) {
      Add(report, contradiction::kEventOfOrphan, event.order,
          event.type + " of an orphan that nobody paid");
    }
  }
  const std::string effect = EffectBehind(event.type);
  if (effect == "charge" && EffectIsThere(index, event.order, "authorize") &&
      std::ranges::any_of(index.history->disturbances, LosesMemory)) {
    // That an order is to be captured later is known from its operation alone (ADR 9).
    ++report->figures["events of authorizations whose kind was forgotten with the memory"];
  } else if (!effect.empty() && !EffectIsThere(index, event.order, effect)) {
    Add(report, contradiction::kEventWithoutEffect, event.order,
        event.type + ", and the ledger has no " + effect + " of it");
  }
}

}  // namespace

void CheckOperationRecords(AuditIndex& index, Report* report) {
  for (auto& [id, view] : index.operations) CheckNumbers(index, view, report);
}

void CheckEvents(const AuditIndex& index, Report* report) {
  std::map<std::pair<std::string, std::int64_t>, std::string> seen;
  for (const EventLine& event : index.history->events) {
    const auto [known, fresh] = seen.emplace(std::pair{event.stream, event.sequence}, event.digest);
    if (!fresh && known->second == event.digest) {
      ++report->figures["events that came again as exact copies"];
      continue;
    }
    // Where the store may have gone back a new stream begins: one has one content for ever.
    if (!fresh) {
      Add(report, contradiction::kEventDiffers, event.order,
          "event " + std::to_string(event.sequence) + " has two contents");
    }
    ++report->figures["events"];
    CheckEvent(index, event, report);
  }
}

}  // namespace tollbridge::chaos
