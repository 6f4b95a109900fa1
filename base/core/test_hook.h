#ifndef TOLLBRIDGE_BASE_CORE_TEST_HOOK_H_
#define TOLLBRIDGE_BASE_CORE_TEST_HOOK_H_

/// TB_TEST_HOOK("room.point") marks a point at which a test can kill the process: in builds with
/// TOLLBRIDGE_TEST_HOOKS, when the environment variable TOLLBRIDGE_CRASH_AT equals the name, the
/// process ends there as by kill -9. In other builds it is nothing at all, the name included.

#ifdef TOLLBRIDGE_TEST_HOOKS

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace tollbridge {

inline void TestHook(std::string_view name) {
  const char* wanted = std::getenv("TOLLBRIDGE_CRASH_AT");
  if (wanted != nullptr && name == wanted) std::raise(SIGKILL);
}

}  // namespace tollbridge

#define TB_TEST_HOOK(name) ::tollbridge::TestHook(name)

#else

#define TB_TEST_HOOK(name) \
  do {                     \
  } while (false)

#endif

#endif  // TOLLBRIDGE_BASE_CORE_TEST_HOOK_H_
