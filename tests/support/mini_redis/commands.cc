#include "tests/support/mini_redis/commands.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace tollbridge::test {

using redis::Reply;

const CommandTable& DataCommands() {
  static const CommandTable kTable = [] {
    CommandTable table;
    AddKeyCommands(table);
    AddHashCommands(table);
    AddListCommands(table);
    AddSortedSetCommands(table);
    AddStreamCommands(table);
    AddStreamGroupCommands(table);
    return table;
  }();
  return kTable;
}

Reply Nil() { return {}; }
Reply Ok() { return Status("OK"); }
Reply Status(std::string text) { return {.type = Reply::Type::kStatus, .text = std::move(text)}; }
Reply Integer(std::int64_t number) { return {.type = Reply::Type::kInteger, .integer = number}; }
Reply Text(std::string text) { return {.type = Reply::Type::kString, .text = std::move(text)}; }
Reply Array(std::vector<Reply> elements) {
  return {.type = Reply::Type::kArray, .elements = std::move(elements)};
}
Reply Error(std::string text) { return {.type = Reply::Type::kError, .text = std::move(text)}; }

std::int64_t ToInteger(const std::string& text) {
  const std::optional<std::int64_t> number = redis::ParseInteger(text);
  if (!number) throw CommandError{"ERR value is not an integer or out of range"};
  return *number;
}

void SyntaxError() { throw CommandError{"ERR syntax error"}; }

std::string Capitals(std::string_view text) {
  return absl::AsciiStrToUpper({text.data(), text.size()});
}

void NotThere(std::string_view what) {
  ADD_FAILURE() << "the Redis in memory has no " << what;
  throw CommandError{absl::StrCat("ERR no ", absl::string_view(what.data(), what.size()))};
}

}  // namespace tollbridge::test
