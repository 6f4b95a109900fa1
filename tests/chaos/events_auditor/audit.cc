#include "tests/chaos/events_auditor/audit.h"

#include <algorithm>
#include <array>
#include <string>

#include "tests/chaos/events_auditor/audit_index.h"

namespace tollbridge::pipeline {
namespace {

constexpr std::array<const char*, 4> kGroups = {"lost", "invented", "misordered", "unacked_hints"};

void CountFigures(const AuditIndex& index, Report* report) {
  for (const auto& [id, order] : index.orders) {
    const std::string kind = order.line->relation.empty() ? "roots" : order.line->relation + "s";
    ++report->figures["orders, " + kind];
    ++report->figures["orders that end " + order.LastStatus()];
  }
  for (const auto& [family, events] : index.streams) {
    for (const EventLine* event : events) {
      ++report->figures["events, " + event->kind + "." + event->what];
    }
  }
  report->figures["events that came again as exact copies"] = index.repeats;
  report->figures["streams"] = index.streams.size();
  report->figures["hints"] = index.history->hints.size();
  report->figures["attempts at webhooks"] = index.history->deliveries.size();
  for (const DisturbanceLine& line : index.history->disturbances) {
    if (line.until == 0) ++report->figures["disturbances, " + line.disturbance];
  }
}

}  // namespace

std::size_t Report::Count(const std::string& group) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      findings, [&](const Finding& finding) { return finding.kind.starts_with(group + ":"); }));
}

Report Audit(const History& history, const AuditOptions& options) {
  const AuditIndex index(history);
  Report report;
  CountFigures(index, &report);
  CheckLost(index, &report);
  CheckInvented(index, &report);
  CheckOrder(index, options, &report);
  CheckHeartbeats(index, &report);
  CheckContents(index, &report);
  CheckHints(index, &report);
  CheckLate(index, options, &report);
  CheckOwnCheckouts(index, &report);
  CheckReads(index, &report);
  CheckBooks(index, &report);
  return report;
}

std::string LastLine(const Report& report) {
  std::string line;
  for (const char* group : kGroups) {
    if (!line.empty()) line += " ";
    line += std::string(group) + "=" + std::to_string(report.Count(group));
  }
  const std::size_t ledgers = report.Count("ledgers");
  line += " ledgers=" + (ledgers > 0        ? std::to_string(ledgers)
                         : report.books > 0 ? "equal"
                                            : "none");
  for (const char* group : {"late", "reads"}) {
    const std::size_t found = report.Count(group);
    if (found > 0) line += " " + std::string(group) + "=" + std::to_string(found);
  }
  return line;
}

std::string Text(const Report& report, std::size_t each) {
  std::string out;
  for (const auto& [name, count] : report.figures) {
    out += name + ": " + std::to_string(count) + "\n";
  }
  chaos::AppendFindings(report.findings, "CONTRADICTION", each, &out);
  return out;
}

}  // namespace tollbridge::pipeline
