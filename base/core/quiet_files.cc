#include "base/core/quiet_files.h"

namespace tollbridge {

bool QuietFiles::Look(const FileStamp& stamp, BootTime now,
                      std::chrono::system_clock::time_point wall) {
  if (stamp.text != seen_) {
    seen_ = stamp.text;
    since_ = now;
  }
  return now - since_ >= kQuiet || wall.time_since_epoch() - stamp.newest >= kQuiet;
}

}  // namespace tollbridge
