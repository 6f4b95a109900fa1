#ifndef TOLLBRIDGE_TESTS_SUPPORT_OTHER_PROGRAM_H_
#define TOLLBRIDGE_TESTS_SUPPORT_OTHER_PROGRAM_H_

#include <map>
#include <string>

namespace tollbridge::test {

/// Those of `settings` (sections, and names with values) that another version's program has, as its
/// `print-config --example` says; the others are named on standard error. Throws when that cannot
/// be run.
std::map<std::string, std::map<std::string, std::string>> SettingsKnownTo(
    const std::string& program,
    const std::map<std::string, std::map<std::string, std::string>>& settings);

/// Whether the help of a command names an option.
bool HasOption(const std::string& program, const std::string& command, const std::string& option);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_OTHER_PROGRAM_H_
