#include "tests/unit/gateway/wiring/rule_sources.h"
#include "tests/support/read_file.h"

#include <cctype>
#include <cstddef>
#include <set>
#include <string_view>

namespace tollbridge::gateway {
namespace {

namespace fs = std::filesystem;

struct Words {
  std::vector<std::string> literals;  // neighbours joined, as the compiler joins them
  std::vector<std::string> names;     // k...
};

bool InName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Of one statement: from `at` to its semicolon, which is no part of a literal.
Words WordsOf(std::string_view text, std::size_t at) {
  Words words;
  bool joins = false;
  while (at < text.size() && text[at] != ';') {
    if (text[at] == '"') {
      std::string literal;
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
        literal += text[at];
      }
      ++at;
      if (joins) {
        words.literals.back() += literal;
      } else {
        words.literals.push_back(literal);
      }
      joins = true;
    } else if (InName(text[at])) {
      const std::size_t begin = at;
      while (at < text.size() && InName(text[at])) ++at;
      const std::string name(text.substr(begin, at - begin));
      if (name.size() > 1 && name[0] == 'k' && std::isupper(name[1]) != 0) {
        words.names.push_back(name);
      }
      joins = false;
    } else {
      if (std::isspace(static_cast<unsigned char>(text[at])) == 0) joins = false;
      ++at;
    }
  }
  return words;
}

std::vector<std::size_t> After(std::string_view text, std::string_view mark) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at)) {
    at += mark.size();
    places.push_back(at);
  }
  return places;
}

}  // namespace

std::map<std::string, std::string> RuleTexts(const std::vector<fs::path>& folders) {
  std::map<std::string, std::string> sources;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path& path = entry.path();
      if (path.extension() == ".cc" || path.extension() == ".h")
        sources[path.string()] = test::ReadFile(path);
    }
  }
  std::map<std::string, std::set<std::string>> constants;
  for (const auto& [path, text] : sources) {
    for (const std::size_t at : After(text, "constexpr std::string_view ")) {
      const std::string name = text.substr(at, text.find_first_of(" =[;", at) - at);
      const Words words = WordsOf(text, at);
      constants[name].insert(words.literals.begin(), words.literals.end());
    }
  }
  std::map<std::string, std::string> rules;
  const auto add = [&rules](const std::string& literal, const std::string& path) {
    if (literal.find(' ') != std::string::npos) rules[literal] += " " + path;
  };
  for (const auto& [path, text] : sources) {
    for (const std::string_view mark :
         {"push_back(", "emplace_back(", "InvalidRequest(", "FieldViolation{"}) {
      for (const std::size_t at : After(text, mark)) {
        const std::size_t first = text.find_first_not_of(" \n", at);
        const bool braces = mark == "FieldViolation{" || mark == "emplace_back(" ||
                            (first != std::string::npos && text[first] == '{');
        if (!braces) continue;
        const Words words = WordsOf(text, at);
        for (const std::string& literal : words.literals) add(literal, path);
        for (const std::string& name : words.names) {
          for (const std::string& literal : constants[name]) add(literal, path);
        }
      }
    }
  }
  return rules;
}

}  // namespace tollbridge::gateway
