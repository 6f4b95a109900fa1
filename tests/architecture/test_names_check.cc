#include "tests/architecture/test_names_check.h"

#include <cstddef>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "tests/architecture/page_text.h"

namespace tollbridge::architecture {
namespace {

constexpr std::string_view kHead = "| tests |";
constexpr std::string_view kFlow = "sandbox-walk: ";

std::string Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

/// The tests that the last cell of a row names.
std::vector<std::string> NamesIn(std::string_view row) {
  row.remove_suffix(1);
  std::string_view cell = row.substr(row.rfind('|') + 1);
  std::vector<std::string> names;
  while (true) {
    const std::size_t end = cell.find(';');
    names.push_back(Trimmed(cell.substr(0, end)));
    if (end == cell.npos) return names;
    cell.remove_prefix(end + 1);
  }
}

/// The tests in the sources.
class KnownTests {
 public:
  explicit KnownTests(const std::vector<SourceFile>& files) {
    static const std::regex definition(R"((?:^|\n)TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
    static const std::regex flow(R"(\nflow '([^']+)')");
    for (const SourceFile& file : files) {
      const std::string& text = file.content;
      const std::sregex_iterator end;
      if (file.path.starts_with("tests/") && file.path.ends_with(".cc")) {
        for (std::sregex_iterator it(text.begin(), text.end(), definition); it != end; ++it) {
          tests_[(*it)[1].str() + "." + (*it)[2].str()].push_back(&text);
        }
      } else if (file.path == "examples/sandbox-walk.sh") {
        for (std::sregex_iterator it(text.begin(), text.end(), flow); it != end; ++it) {
          flows_.insert((*it)[1]);
        }
      }
    }
  }

  /// What is wrong with the name; empty when nothing is.
  std::string Check(const std::string& name) const {
    if (name.starts_with(kFlow)) {
      return flows_.contains(name.substr(kFlow.size())) ? "" : "there is no such flow";
    }
    const std::size_t slash = name.find('/');
    const auto found = tests_.find(name.substr(0, slash));
    if (found == tests_.end()) return "there is no such test";
    if (found->second.size() > 1) return "there are several such tests";
    if (slash == name.npos) return "";
    const std::string literal = '"' + name.substr(slash + 1) + '"';
    return found->second.front()->find(literal) == std::string::npos ? "there is no such parameter"
                                                                     : "";
  }

 private:
  /// The files that define each.
  std::map<std::string, std::vector<const std::string*>> tests_;
  std::set<std::string> flows_;
};

}  // namespace

Violations CheckTestNames(const std::vector<SourceFile>& files) {
  const KnownTests known(files);
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with(".md")) continue;
    bool in_table = false;
    bool names_tests = false;
    ForEachTextLine(file.content, [&](int number, std::string_view line) {
      const bool head = !in_table;
      in_table = line.starts_with('|');
      if (head) {
        names_tests = in_table && line.ends_with(kHead);
      } else if (in_table && names_tests && !line.starts_with("|--")) {
        for (const std::string& name : NamesIn(line)) {
          const std::string wrong = known.Check(name);
          if (!wrong.empty()) violations.push_back({file.path, number, name, wrong});
        }
      }
    });
  }
  return violations;
}

}  // namespace tollbridge::architecture
