#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_ARGUMENTS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_ARGUMENTS_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace tollbridge::redis {

/// Names and values for `arg` of scripts/record.lua. They are written where they go as they come:
/// as a map in MessagePack, since one argument costs Redis less than sixty.
class ScriptArguments {
 public:
  using Argument = std::pair<std::string_view, std::string_view>;

  ScriptArguments() : ScriptArguments(std::initializer_list<Argument>{}) {}
  /// Copies the texts: what the arguments view need not live on.
  ScriptArguments(std::initializer_list<Argument> arguments);

  /// An empty value is left out: for a script it is as one that is not given.
  void Add(std::string_view name, std::string_view value);

  /// Returns the map, and leaves nothing.
  std::string Pack() &&;

 private:
  std::string packed_;
  std::uint32_t count_ = 0;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_ARGUMENTS_H_
