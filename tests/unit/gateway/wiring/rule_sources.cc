#include "tests/unit/gateway/wiring/rule_sources.h"

#include <regex>

#include "tests/support/read_file.h"

namespace tollbridge::gateway {
namespace {

namespace fs = std::filesystem;

/// String literals without those that are broken off, and characters so that '"' is no quote.
const std::regex kLiteral(R"re('(?:[^'\\]|\\.)'|"((?:[^"\\\n]|\\.)*)")re");
/// Neighbours, as the compiler joins them.
const std::regex kSeam(R"re("\s*\n\s*")re");
const std::regex kRule(
    "(must|is required|is set by|exactly one of|one-click needs|holds a field)( |,|$).*");

}  // namespace

std::map<std::string, std::string> RuleTexts(const std::vector<fs::path>& folders) {
  std::map<std::string, std::string> rules;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".cc" && path.extension() != ".h") continue;
      const std::string text = std::regex_replace(test::ReadFile(path), kSeam, "");
      for (std::sregex_iterator it(text.begin(), text.end(), kLiteral), end; it != end; ++it) {
        const std::string literal = std::regex_replace((*it)[1].str(), std::regex(R"(\\")"), "\"");
        if (std::regex_match(literal, kRule)) rules[literal] += " " + path.string();
      }
    }
  }
  return rules;
}

}  // namespace tollbridge::gateway
