#include "gateway/commands/confinement.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define TOLLBRIDGE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(leak_sanitizer)
#define TOLLBRIDGE_SANITIZED 1
#endif
#endif

namespace tollbridge::gateway {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "which architecture's calls are these?"
#endif

/// Calls of the 32 bit ABI of x86-64 have this bit in their number.
constexpr std::uint32_t kX32Bit = 0x40000000;

constexpr std::uint32_t kForbidden[] = {
    SYS_execve, SYS_execveat, SYS_process_vm_readv, SYS_process_vm_writev,
// A sanitizer's search for leaks attaches to the process it runs in.
#ifndef TOLLBRIDGE_SANITIZED
    SYS_ptrace,
#endif
};

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);

/// Refuses those calls, and all of another architecture's: theirs have other numbers.
std::vector<sock_filter> Filter() {
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, kRefuse),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kRefuse),
  };
  for (const std::uint32_t call : kForbidden) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, kRefuse));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return program;
}

}  // namespace

absl::Status ConfineProcess() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return absl::InternalError("new privileges cannot be given up");
  }
  std::vector<sock_filter> filter = Filter();
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                           .filter = filter.data()};
  // Older kernels slow down whoever has a filter, against what untrusted code could read of its own
  // process' memory: there is none here.
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) !=
      0) {
    return absl::InternalError("system calls cannot be filtered");
  }
  return absl::OkStatus();
}

}  // namespace tollbridge::gateway
