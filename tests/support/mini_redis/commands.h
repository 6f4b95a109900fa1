#ifndef TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_COMMANDS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_COMMANDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/redis/reply.h"
#include "tests/support/mini_redis/keyspace.h"

namespace tollbridge::test {

/// A command's arguments without its name.
using Arguments = std::span<const std::string>;

struct CommandSpec {
  redis::Reply (*run)(Keyspace& keys, Arguments arguments);
  /// Arguments without the name.
  std::size_t least = 0;
  std::size_t most = SIZE_MAX;
  bool writes = false;
  /// Refused when the server is out of memory.
  bool denied_when_full = false;
};

using CommandTable = std::unordered_map<std::string_view, CommandSpec>;

/// The commands on data, by name in capital letters: those that adapters/redis and its scripts use.
const CommandTable& DataCommands();
void AddKeyCommands(CommandTable& table);
void AddHashCommands(CommandTable& table);
void AddListCommands(CommandTable& table);
void AddSortedSetCommands(CommandTable& table);
void AddStreamCommands(CommandTable& table);
void AddStreamGroupCommands(CommandTable& table);

redis::Reply Nil();
redis::Reply Ok();
redis::Reply Status(std::string text);
redis::Reply Integer(std::int64_t number);
redis::Reply Text(std::string text);
redis::Reply Array(std::vector<redis::Reply> elements);
redis::Reply Error(std::string text);

/// Throw CommandError as Redis answers it.
std::int64_t ToInteger(const std::string& text);
[[noreturn]] void SyntaxError();
std::string Capitals(std::string_view text);
/// Fails the test too: a real server has `what`.
[[noreturn]] void NotThere(std::string_view what);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_COMMANDS_H_
