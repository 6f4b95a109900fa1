#include "base/core/quiet_files.h"

namespace tollbridge {

bool QuietFiles::Look(const FileStamp& stamp, BootTime now) {
  if (stamp.text != seen_) {
    seen_ = stamp.text;
    since_ = now;
  }
  return now - since_ >= kQuiet;
}

}  // namespace tollbridge
