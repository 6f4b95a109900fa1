#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_ARGUMENTS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_ARGUMENTS_H_

#include <string>
#include <utility>
#include <vector>

namespace tollbridge::redis {

/// Names and values for `arg` of scripts/record.lua. An empty value need not be given.
using ScriptArguments = std::vector<std::pair<std::string, std::string>>;

/// Returns them as a map in MessagePack: one argument costs Redis less than sixty.
std::string PackArguments(const ScriptArguments& arguments);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_ARGUMENTS_H_
