// The reasons of errors are declared once, in errors.h; the golden file shows the whole list to
// whoever reviews a change of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/read_file.h"

namespace tollbridge::domain {
namespace {

std::string ReadSource(const std::string& path) {
  return test::ReadFile(std::string(TOLLBRIDGE_SOURCE_DIR) + "/" + path);
}

/// Name and value of each constant in namespace reason, in the header's order.
std::vector<std::pair<std::string, std::string>> DeclaredReasons() {
  const std::string header = ReadSource("services/domain/errors.h");
  static const std::regex declaration(
      R"re(inline constexpr std::string_view k([A-Za-z]+)\s*=\s*"([A-Z_]+)";)re");
  std::vector<std::pair<std::string, std::string>> found;
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end; ++it) {
    found.emplace_back((*it)[1], (*it)[2]);
  }
  return found;
}

/// IdempotencyKeyReused -> IDEMPOTENCY_KEY_REUSED.
std::string UpperSnake(const std::string& camel) {
  std::string out;
  for (const char c : camel) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !out.empty()) out += '_';
    out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return out;
}

TEST(Reasons, AreThoseOfTheGoldenFile) {
  std::string list;
  for (const auto& [name, value] : DeclaredReasons()) list += value + "\n";
  EXPECT_EQ(list, ReadSource("tests/data/reasons.golden"))
      << "a reason is part of the contract: change the golden file on purpose";
}

TEST(Reasons, AreNamedAsTheyReadAndNeverTwice) {
  std::set<std::string> values;
  for (const auto& [name, value] : DeclaredReasons()) {
    EXPECT_EQ(UpperSnake(name), value);
    EXPECT_TRUE(values.insert(value).second) << value;
  }
  EXPECT_FALSE(values.empty());
}

}  // namespace
}  // namespace tollbridge::domain
