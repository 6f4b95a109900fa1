#include "tests/support/other_program.h"

#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

/// Section and name of each setting. A section begins its line, a name is two spaces deep.
std::set<std::pair<std::string, std::string>> NamesIn(const std::string& example) {
  std::set<std::pair<std::string, std::string>> names;
  std::istringstream lines(example);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find(':'));
    if (name.size() == line.size() || name.find('#') != std::string::npos) continue;
    const std::size_t depth = name.find_first_not_of(' ');
    if (depth == 0) section = name;
    if (depth == 2) names.emplace(section, name.substr(depth));
  }
  return names;
}

}  // namespace

std::map<std::string, std::map<std::string, std::string>> SettingsKnownTo(
    const std::string& program,
    const std::map<std::string, std::map<std::string, std::string>>& settings) {
  const Finished example = Run({program, "print-config", "--example"});
  if (example.code != 0) throw std::runtime_error(program + ": " + example.error);
  const std::set<std::pair<std::string, std::string>> names = NamesIn(example.output);
  std::map<std::string, std::map<std::string, std::string>> known;
  for (const auto& [section, values] : settings) {
    for (const auto& [name, value] : values) {
      if (names.contains({section, name})) {
        known[section][name] = value;
      } else {
        std::cerr << program << " has no setting " << section << "." << name << "\n";
      }
    }
  }
  return known;
}

bool HasOption(const std::string& program, const std::string& command, const std::string& option) {
  return Run({program, command, "--help"}).output.find(option) != std::string::npos;
}

}  // namespace tollbridge::test
