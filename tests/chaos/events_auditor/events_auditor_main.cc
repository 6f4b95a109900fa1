// tollbridge_events_auditor FOLDER [READ_LAG_MS]: audits what a run of tollbridge_chaos_events has
// left.

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/chaos/events_auditor/history_file.h"
#include "tests/chaos/lines/arguments.h"

int main(int argc, char** argv) {
  constexpr int kUsage = 2;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments.size() > 2) {
    std::cerr << "tollbridge_events_auditor FOLDER [READ_LAG_MS]\n";
    return kUsage;
  }
  try {
    tollbridge::pipeline::AuditOptions options;
    if (arguments.size() == 2) {
      options.read_lag = tollbridge::chaos::ReadNumber<std::int64_t>("READ_LAG_MS", arguments[1]);
    }
    const tollbridge::pipeline::Report report =
        tollbridge::pipeline::Audit(tollbridge::pipeline::ReadHistory(arguments[0]), options);
    std::cout << tollbridge::pipeline::Text(report, 0) << tollbridge::pipeline::LastLine(report)
              << "\n";
    return report.ok() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "tollbridge_events_auditor: " << error.what() << "\n";
    return kUsage;
  }
}
