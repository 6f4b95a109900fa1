// tollbridge_events_auditor FOLDER: audits what a run of tollbridge_chaos_events has left.

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/chaos/events_auditor/history_file.h"

int main(int argc, char** argv) {
  constexpr int kUsage = 2;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() != 1) {
    std::cerr << "tollbridge_events_auditor FOLDER\n";
    return kUsage;
  }
  try {
    const tollbridge::pipeline::Report report =
        tollbridge::pipeline::Audit(tollbridge::pipeline::ReadHistory(arguments[0]));
    std::cout << tollbridge::pipeline::Text(report, 0) << tollbridge::pipeline::LastLine(report)
              << "\n";
    return report.ok() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "tollbridge_events_auditor: " << error.what() << "\n";
    return kUsage;
  }
}
