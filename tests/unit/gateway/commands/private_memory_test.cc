#include "gateway/commands/private_memory.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdlib>

namespace tollbridge::gateway {
namespace {

/// What a process of its own sees after the call; exit codes name what is wrong.
[[noreturn]] void LookFromInside() {
  const int before = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  if (before == 0) std::_Exit(10);
  if (!KeepMemoryPrivate().ok()) std::_Exit(11);
  rlimit core{};
  if (getrlimit(RLIMIT_CORE, &core) != 0 || core.rlim_cur != 0 || core.rlim_max != 0) {
    std::_Exit(12);
  }
  std::_Exit(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : 13);
}

TEST(PrivateMemoryTest, NoCoreFileIsWrittenAndNobodyMayLook) {
  EXPECT_EXIT(LookFromInside(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tollbridge::gateway
