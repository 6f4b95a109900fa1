#ifndef TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_FAULTS_H_
#define TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_FAULTS_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// What goes wrong, and who hears of it: the table of docs/reliability.md, Alerts and their faults.
namespace tollbridge::test {

struct Fault {
  std::string name;
  /// Those that fire and are told, without "Tollbridge".
  std::set<std::string> alerts;
  /// Pages that may fire as well, and are held back by one of the alerts.
  std::set<std::string> held_back;
  std::string ends_by;
  /// Questions of a bad night (docs/guides/operators.md) that have an answer meanwhile, and the
  /// least of its values.
  std::map<int, double> answers = {};
};
const std::vector<Fault>& Faults();
/// Throws std::runtime_error when there is none of this name.
const Fault& FaultOf(std::string_view name);

/// How a fault went, in seconds.
struct FaultTimes {
  double fires = 0;
  double resolves = 0;
};

/// The rows of the table as they stand in docs/reliability.md: the first two cells of each.
std::vector<std::string> DocumentedFaults();
/// The same as they are to stand there.
std::vector<std::string> FaultRows();
/// Writes the table anew, with these figures; what has none keeps those that it had.
void WriteFaults(const std::map<std::string, FaultTimes>& figures);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_FAULTS_H_
