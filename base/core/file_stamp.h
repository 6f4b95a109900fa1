#ifndef TOLLBRIDGE_BASE_CORE_FILE_STAMP_H_
#define TOLLBRIDGE_BASE_CORE_FILE_STAMP_H_

#include <absl/status/status.h>

#include <chrono>
#include <string>
#include <vector>

namespace tollbridge {

/// Some files or folders as they are: tells when what was read of them is not what is there now.
struct FileStamp {
  /// Two that are equal were taken of the same files, unless they were changed within the tick of
  /// the file system's clock in which the first was taken.
  std::string text;
  /// When they were changed last, since the epoch of system_clock.
  std::chrono::nanoseconds newest{0};
  /// INVALID_ARGUMENT names the one that is not there, or that is no file: to read it could block
  /// the thread that does.
  absl::Status readable;
  /// One whose opening could block: neither a file nor a folder. Empty: none.
  std::string blocking;
};

FileStamp StampOf(const std::vector<std::string>& paths);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_FILE_STAMP_H_
