#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "adapters/redis/command_executor.h"
#include "adapters/redis/reply.h"
#include "adapters/redis/scripts.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"

namespace tollbridge::redis {

/// A Lua script that runs on the server as one atomic step. Immutable.
class Script {
 public:
  /// The script's text is the pieces one after the other; it is called what the last one is.
  explicit Script(std::initializer_list<LuaText> pieces);

  /// Runs the script with `arguments` as its ARGV: one round trip, two where the server does not
  /// know the script yet. Keys are made inside the scripts, so a Redis Cluster cannot run them.
  /// Errors of CommandExecutor::Execute, and those that StatusOf makes of an error reply.
  Async<Reply> Run(CommandExecutor& executor, Command arguments, BootTime deadline) const;

  /// What the script answered, and what `after` did.
  struct Followed {
    Reply reply;
    Reply after;
  };
  /// Does what Run does, with the command `after` behind it in the same round trip, also where the
  /// script is loaded again. When the script failed nothing is said of `after`.
  Async<Followed> RunFollowed(CommandExecutor& executor, Command arguments, Command after,
                              BootTime deadline) const;

 private:
  /// EVALSHA with these arguments.
  Command ByName(Command arguments) const;
  /// Makes it an EVAL, which also keeps the script for the next EVALSHA.
  void MakeWhole(Command& command) const;

  std::string_view name_;
  std::string text_;
  std::string sha1_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_H_
