#include "base/core/file_stamp.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tollbridge {

FileStamp StampOf(const std::vector<std::string>& paths) {
  FileStamp stamp;
  for (const std::string& path : paths) {
    struct stat file{};
    if (::stat(path.c_str(), &file) != 0) {
      stamp.readable.Update(
          absl::InvalidArgumentError(absl::StrCat(path, ": ", std::strerror(errno))));
      file = {};
    } else if (!S_ISREG(file.st_mode)) {
      stamp.readable.Update(absl::InvalidArgumentError(absl::StrCat(path, ": is no file")));
      if (!S_ISDIR(file.st_mode)) stamp.blocking = path;
    }
    const auto changed =
        std::chrono::seconds(file.st_ctim.tv_sec) + std::chrono::nanoseconds(file.st_ctim.tv_nsec);
    stamp.newest = std::max<std::chrono::nanoseconds>(stamp.newest, changed);
    absl::StrAppend(&stamp.text, file.st_dev, ":", file.st_ino, ":", file.st_size, ":",
                    changed.count(), " ");
  }
  return stamp;
}

}  // namespace tollbridge
