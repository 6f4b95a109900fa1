#ifndef TOLLBRIDGE_BASE_CORE_QUIET_FILES_H_
#define TOLLBRIDGE_BASE_CORE_QUIET_FILES_H_

#include <chrono>
#include <string>

#include "base/core/boot_clock.h"
#include "base/core/file_stamp.h"

namespace tollbridge {

/// Tells when files that changed may be read: whoever writes one in place, which is first empty and
/// then half there, must have been done with it for a second. That is so when two looks so far
/// apart have found the same. Their own times do not say it: the clock of their file system, or
/// that of the process, may be behind or have been set. Not thread-safe.
class QuietFiles {
 public:
  /// A second, but for what the first of two looks that are a second apart was late by.
  static constexpr std::chrono::milliseconds kQuiet{950};

  /// Whether files with this stamp, taken at `now` of the boot-time clock, are quiet.
  bool Look(const FileStamp& stamp, BootTime now);

 private:
  std::string seen_;
  BootTime since_;
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_QUIET_FILES_H_
