// tollbridge_auditor FOLDER [--late-beyond-bound]: audits what a run of tollbridge_chaos has left.

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tests/chaos/auditor/audit.h"
#include "tests/chaos/auditor/history_file.h"

namespace {

constexpr int kUsage = 2;

int Run(const std::vector<std::string>& arguments) {
  const bool late = arguments.size() == 2 && arguments[1] == "--late-beyond-bound";
  if (arguments.empty() || (arguments.size() > 1 && !late)) {
    std::cerr << "tollbridge_auditor FOLDER [--late-beyond-bound]\n";
    return kUsage;
  }
  const tollbridge::chaos::Report report = tollbridge::chaos::Audit(
      tollbridge::chaos::ReadHistory(arguments[0]), {.late_beyond_bound = late});
  std::cout << tollbridge::chaos::Text(report, 0) << tollbridge::chaos::LastLine(report) << "\n";
  return report.ok() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "tollbridge_auditor: " << error.what() << "\n";
    return kUsage;
  }
}
