#ifndef TOLLBRIDGE_BASE_CORE_QUIET_FILES_H_
#define TOLLBRIDGE_BASE_CORE_QUIET_FILES_H_

#include <chrono>
#include <string>

#include "base/core/boot_clock.h"
#include "base/core/file_stamp.h"

namespace tollbridge {

/// Tells when files that changed may be read: whoever writes one in place, which is first empty and
/// then half there, must have been done with it for a second. That is so when their own times say
/// it, or when two looks so far apart have found the same; the second is for a file system whose
/// clock is not ours. Not thread-safe.
class QuietFiles {
 public:
  static constexpr std::chrono::seconds kQuiet{1};

  /// Whether files with this stamp, taken at `now` of the boot-time clock, are quiet. `wall`: the
  /// time of day then.
  bool Look(const FileStamp& stamp, BootTime now,
            std::chrono::system_clock::time_point wall = std::chrono::system_clock::now());

 private:
  std::string seen_;
  BootTime since_;
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_QUIET_FILES_H_
