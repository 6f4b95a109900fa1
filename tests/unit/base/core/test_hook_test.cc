#include "base/core/test_hook.h"

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

namespace tollbridge {
namespace {

void PassTheHook(const char* crash_at) {
  setenv("TOLLBRIDGE_CRASH_AT", crash_at, 1);
  TB_TEST_HOOK("room.point");
  std::_Exit(0);
}

#ifdef TOLLBRIDGE_TEST_HOOKS
TEST(TestHookDeathTest, KillsTheProcessAtThePointThatIsNamed) {
  EXPECT_EXIT(PassTheHook("room.point"), ::testing::KilledBySignal(SIGKILL), "");
}
#else
TEST(TestHookDeathTest, IsNotThereWithoutTestHooks) {
  EXPECT_EXIT(PassTheHook("room.point"), ::testing::ExitedWithCode(0), "");
}
#endif

TEST(TestHookDeathTest, LetsAllOtherPointsPass) {
  EXPECT_EXIT(PassTheHook("room.other"), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tollbridge
