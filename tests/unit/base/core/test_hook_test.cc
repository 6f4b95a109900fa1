#include "base/core/test_hook.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "tests/support/temp_folder.h"

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

class TestPatchTest : public testing::Test {
 protected:
  TestPatchTest() {
    setenv("TOLLBRIDGE_PLANTED_BUG",
           folder_
               .Write("bug",
                      "a remark\n"
                      "--- was\nif a then\n  b()\n--- is\nif not a then\n--- end\n"
                      "--- was\nc()\n--- is\n--- end\n")
               .c_str(),
           1);
  }
  ~TestPatchTest() override { unsetenv("TOLLBRIDGE_PLANTED_BUG"); }

  test::TempFolder folder_;
};

TEST_F(TestPatchTest, ReplacesWhereverItIs) {
  std::string text = "if a then\n  b() c() end if a then\n  b() end c()";
  TB_TEST_PATCH(text);
  EXPECT_EQ(text, "if not a then  end if not a then end ");
}

TEST_F(TestPatchTest, LeavesAllElseAsItIs) {
  std::string text = "if a then b() end";
  TB_TEST_PATCH(text);
  EXPECT_EQ(text, "if a then b() end");
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
