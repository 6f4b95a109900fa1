#include "tests/unit/coverage/known_tests.h"

#include <cstddef>
#include <regex>

#include "tests/support/read_file.h"

namespace tollbridge::coverage {

namespace fs = std::filesystem;

KnownTests::KnownTests(const fs::path& folder) {
  const std::regex definition(R"((?:^|\n)TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cc") continue;
    const std::string text = test::ReadFile(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it) {
      files_[(*it)[1].str() + "." + (*it)[2].str()].push_back(text);
    }
  }
}

std::string KnownTests::Check(const std::string& test) const {
  const std::size_t slash = test.find('/');
  const auto found = files_.find(test.substr(0, slash));
  if (found == files_.end()) return "there is no such test";
  if (found->second.size() > 1) return "there are several such tests";
  if (slash == std::string::npos) return "";
  const std::string literal = '"' + test.substr(slash + 1) + '"';
  return found->second.front().find(literal) == std::string::npos ? "there is no such parameter"
                                                                  : "";
}

}  // namespace tollbridge::coverage
