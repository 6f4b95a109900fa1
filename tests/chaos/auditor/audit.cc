#include "tests/chaos/auditor/audit.h"

#include <algorithm>
#include <set>
#include <string>

#include "tests/chaos/auditor/audit_parts.h"

namespace tollbridge::chaos {
namespace {

void Count(const AuditIndex& index, Report* report) {
  std::set<std::string> keys;
  for (const auto& [id, view] : index.operations) {
    if (view.told.empty()) continue;
    ++report->figures["operations, " + view.rpc];
    const std::string state = view.FinalState();
    ++report->figures["operations that end " + (state.empty() ? "without a record" : state)];
    report->figures["calls"] += view.told.size();
  }
  for (const Effect& effect : index.history->ledger) ++report->figures["effects, " + effect.effect];
  report->figures["orders at the payment service"] = index.orders.size();
  report->figures["records of operations"] = index.history->operations.size();
}

}  // namespace

std::size_t Report::Count(const std::string& contradiction_kind) const {
  return static_cast<std::size_t>(
      std::ranges::count(contradictions, contradiction_kind, &Finding::kind));
}

Report Audit(const History& history, const AuditOptions& options) {
  AuditIndex index(history);
  Report report;
  CheckOperationRecords(index, &report);
  Count(index, &report);
  CheckResults(index, &report);
  CheckDoubles(index, options, &report);
  CheckDenied(index, &report);
  CheckOwners(index, &report);
  CheckCallers(index, &report);
  CheckProjects(index, &report);
  CheckAmounts(index, &report);
  CheckOrphans(index, &report);
  CheckLateEffects(index, options, &report);
  CheckOpen(index, options, &report);
  CheckEvents(index, &report);
  return report;
}

std::string LastLine(const Report& report) {
  return "double=" + std::to_string(report.Count(contradiction::kDouble)) +
         " denied_effects=" + std::to_string(report.Count(contradiction::kDenied)) +
         " unresolved=" + std::to_string(report.Count(contradiction::kUnresolved)) +
         " needs_review=" + std::to_string(report.needs_review);
}

std::string Text(const Report& report, std::size_t each) {
  std::string out;
  for (const auto& [name, count] : report.figures) {
    out += name + ": " + std::to_string(count) + "\n";
  }
  AppendFindings(report.notes, "note", each, &out);
  AppendFindings(report.reviews, "needs review,", each, &out);
  AppendFindings(report.contradictions, "CONTRADICTION", each, &out);
  return out;
}

}  // namespace tollbridge::chaos
