#include "tests/architecture/house_rules_check.h"

#include <cctype>
#include <cstddef>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/dependency_rule.h"

namespace tollbridge::architecture {
namespace {

bool IsCode(const SourceFile& file) {
  return file.path.ends_with(".cc") || file.path.ends_with(".h") || file.path.ends_with(".lua");
}

/// Words that a line may not have, and where that counts.
struct LineRule {
  std::string_view text;
  std::vector<std::string> words;
  bool (*applies)(const SourceFile&);
};

// It names what it looks for.
bool Anywhere(const SourceFile& file) { return file.path != "scripts/lint.sh"; }
bool InTests(const SourceFile& file) { return file.path.starts_with("tests/"); }

/// The words are put together so that this file does not break the rules itself.
const std::vector<LineRule>& LineRules() {
  static const std::vector<LineRule> rules = {
      {"no note of unfinished work: finish it, or open an issue",
       {std::string("TO") + "DO", std::string("FIX") + "ME"},
       Anywhere},
      {"no path of the machine it was written on",
       {std::string("/wo") + "rk/", std::string("/ho") + "me/"},
       Anywhere},
      {"no test sleeps: wait on a condition with a deadline",
       {std::string("sleep") + "_for", std::string("sleep") + "_until", std::string("u") + "sleep",
        std::string("nano") + "sleep"},
       InTests},
  };
  return rules;
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether a path that begins after this character would be the middle of a longer one.
bool Continues(char c) { return IsWordCharacter(c) || c == '.' || c == '/' || c == '-'; }

/// A word stands alone; a path begins where it begins, and goes on.
bool Holds(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const char before = at == 0 ? ' ' : line[at - 1];
    const char after = end == line.size() ? ' ' : line[end];
    if (word.front() == '/' ? !Continues(before)
                            : !IsWordCharacter(before) && !IsWordCharacter(after)) {
      return true;
    }
  }
  return false;
}

void CheckLines(const SourceFile& file, Violations* out) {
  std::istringstream lines(file.content);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    for (const LineRule& rule : LineRules()) {
      if (!rule.applies(file)) continue;
      for (const std::string& word : rule.words) {
        if (Holds(line, word)) out->push_back({file.path, number, word, std::string(rule.text)});
      }
    }
  }
  const int most = IsOurs(file.path) ? kMaxLines : kMaxTestLines;
  if (IsCode(file) && number > most) {
    out->push_back({file.path, number, std::to_string(number) + " lines",
                    "a source file has at most " + std::to_string(most)});
  }
}

}  // namespace

Violations CheckHouseRules(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) CheckLines(file, &violations);
  return violations;
}

Violations CheckProtoPackages(const std::vector<SourceFile>& files) {
  static const std::regex path_rule(
      R"((?:^|.*/)proto/(tollbridge/[a-z_]+/v[0-9]+)/[a-z_]+\.proto)");
  static const std::regex package_rule(R"((?:^|\n)package\s+([^;]+);)");
  Violations violations;
  for (const SourceFile& file : files) {
    // What others have fixed: gRPC's error model, its health service, the option of transcoders.
    const bool theirs = file.path.starts_with("proto/google/rpc/") ||
                        file.path.starts_with("proto/grpc/") ||
                        file.path.starts_with("tests/support/proto/grpc/") ||
                        file.path.starts_with("tests/bench/proto/google/api/");
    if (!file.path.ends_with(".proto") || theirs) continue;
    std::smatch package;
    const std::string found =
        std::regex_search(file.content, package, package_rule) ? package[1].str() : "no package";
    std::smatch folder;
    if (!std::regex_match(file.path, folder, path_rule)) {
      violations.push_back({file.path, 1, found, "a .proto lies in tollbridge/<name>/v<number>"});
      continue;
    }
    std::string expected = folder[1];
    for (char& c : expected) c = c == '/' ? '.' : c;
    if (found != expected) {
      violations.push_back({file.path, 1, found, "the package must be " + expected});
    }
  }
  return violations;
}

}  // namespace tollbridge::architecture
