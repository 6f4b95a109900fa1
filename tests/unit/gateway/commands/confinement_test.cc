#include "gateway/commands/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

namespace tollbridge::gateway {
namespace {

bool CannotExecute() {
  char program[] = "/bin/true";
  char* arguments[] = {program, nullptr};
  char* environment[] = {nullptr};
  if (execve(program, arguments, environment) == 0 || errno != EPERM) return false;
  return syscall(SYS_execveat, AT_FDCWD, program, arguments, environment, 0) == -1 &&
         errno == EPERM;
}

/// What a process of its own may do after the call; exit codes name what is wrong.
[[noreturn]] void TryFromInside() {
  if (!ConfineProcess().ok()) std::_Exit(10);
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) std::_Exit(11);
  if (!CannotExecute()) std::_Exit(12);
  char byte = 0;
  const iovec here{.iov_base = &byte, .iov_len = 1};
  if (process_vm_readv(getpid(), &here, 1, &here, 1, 0) != -1 || errno != EPERM) std::_Exit(13);
  // Threads that begin later are confined too.
  bool also = false;
  std::thread([&also] { also = CannotExecute(); }).join();
  std::_Exit(also ? 0 : 14);
}

TEST(ConfinementTest, NothingIsExecutedAndNoOtherProcessLookedInto) {
  EXPECT_EXIT(TryFromInside(), testing::ExitedWithCode(0), "");
}

// What the test above refuses is possible without the call.
[[noreturn]] void TryUnconfined() {
  char byte = 0;
  const iovec here{.iov_base = &byte, .iov_len = 1};
  if (process_vm_readv(getpid(), &here, 1, &here, 1, 0) != 1) std::_Exit(13);
  char program[] = "/bin/true";
  char* arguments[] = {program, nullptr};
  execv(program, arguments);
  std::_Exit(12);
}

TEST(ConfinementTest, WithoutItBothWork) {
  EXPECT_EXIT(TryUnconfined(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tollbridge::gateway
