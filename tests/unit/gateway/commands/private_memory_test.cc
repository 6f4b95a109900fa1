#include "gateway/commands/private_memory.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstddef>
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

// A sanitizer's allocator takes the place of the one that overwrites.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
[[noreturn]] void LookWhatWasLeftBehind() {
  if (!KeepMemoryPrivate().ok()) std::_Exit(11);
  constexpr std::size_t kSize = 4096;
  for (int round = 0; round < 2; ++round) {
    volatile char* const memory = static_cast<char*>(std::malloc(kSize));
    for (std::size_t i = 0; i < kSize; ++i) {
      if (memory[i] == '4') std::_Exit(12);
      memory[i] = '4';
    }
    std::free(const_cast<char*>(memory));
  }
  std::_Exit(0);
}

TEST(PrivateMemoryTest, MemoryThatWasFreedTellsNothing) {
  EXPECT_EXIT(LookWhatWasLeftBehind(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace tollbridge::gateway
