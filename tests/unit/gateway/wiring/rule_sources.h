#ifndef TOLLBRIDGE_TESTS_UNIT_GATEWAY_WIRING_RULE_SOURCES_H_
#define TOLLBRIDGE_TESTS_UNIT_GATEWAY_WIRING_RULE_SOURCES_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tollbridge::gateway {

/// The texts of the rules that the sources in `folders` and below may answer with, each with the
/// files that have it: the string literals that begin as our rules do ("must ", "is required",
/// ...).
std::map<std::string, std::string> RuleTexts(const std::vector<std::filesystem::path>& folders);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_TESTS_UNIT_GATEWAY_WIRING_RULE_SOURCES_H_
