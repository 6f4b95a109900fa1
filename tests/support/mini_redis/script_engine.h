#ifndef TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_SCRIPT_ENGINE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_SCRIPT_ENGINE_H_

#include <functional>
#include <span>
#include <string>
#include <variant>

#include "adapters/redis/reply.h"

struct lua_State;

namespace tollbridge::test {

/// Lua 5.1 with what Redis gives its scripts: KEYS, ARGV, redis.call, redis.pcall,
/// redis.error_reply, redis.status_reply, redis.sha1hex; cmsgpack's pack and unpack; base, string,
/// table and math; no globals of their own. Values change type as in Redis (RESP2).
class ScriptEngine {
 public:
  /// Runs a command that a script asks for.
  using Call = std::function<redis::Reply(const redis::Command&)>;

  explicit ScriptEngine(Call call);
  ~ScriptEngine();
  ScriptEngine(const ScriptEngine&) = delete;
  ScriptEngine& operator=(const ScriptEngine&) = delete;

  /// A compiled script's number, or the error as Redis answers it.
  std::variant<int, redis::Reply> Compile(const std::string& text);
  /// Runs a compiled script. An error that aborts it is the reply.
  redis::Reply Run(int script, std::span<const std::string> keys,
                   std::span<const std::string> arguments);

  /// The name that Redis gives a script.
  static std::string Sha1Hex(std::string_view text);

 private:
  static int CallCommand(lua_State* lua);
  static int PcallCommand(lua_State* lua);
  /// Leaves the reply on the stack; false when it is an error.
  static bool PushReplyOfCommand(lua_State* lua);

  Call call_;
  lua_State* lua_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_SCRIPT_ENGINE_H_
