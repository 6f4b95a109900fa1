#ifndef TOLLBRIDGE_BASE_CORE_TEST_HOOK_H_
#define TOLLBRIDGE_BASE_CORE_TEST_HOOK_H_

/// Points at which a test can reach into the process, in builds with TOLLBRIDGE_TEST_HOOKS. In
/// other builds they are nothing at all, the names included.
///
/// TB_TEST_HOOK("room.point"): when the environment variable TOLLBRIDGE_CRASH_AT equals the name,
/// the process ends there as by kill -9.
///
/// TB_TEST_PATCH(text): a std::string is changed as the file says that TOLLBRIDGE_PLANTED_BUG
/// names. It has replacements, each in these lines, and says what it likes between them:
///   --- was
///   what the text has
///   --- is
///   what stands there instead, wherever it is
///   --- end

#ifdef TOLLBRIDGE_TEST_HOOKS

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tollbridge {

inline void TestHook(std::string_view name) {
  const char* wanted = std::getenv("TOLLBRIDGE_CRASH_AT");
  if (wanted != nullptr && name == wanted) std::raise(SIGKILL);
}

/// Ends the process when there is no such file.
void PatchForTest(std::string& text);

}  // namespace tollbridge

#define TB_TEST_HOOK(name) ::tollbridge::TestHook(name)
#define TB_TEST_PATCH(text) ::tollbridge::PatchForTest(text)

#else

#define TB_TEST_HOOK(name) \
  do {                     \
  } while (false)
#define TB_TEST_PATCH(text) \
  do {                      \
  } while (false)

#endif

#endif  // TOLLBRIDGE_BASE_CORE_TEST_HOOK_H_
