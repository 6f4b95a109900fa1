#ifndef TOLLBRIDGE_GATEWAY_CONFIG_KEY_FILES_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_KEY_FILES_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/core/quiet_files.h"
#include "services/operations/settings.h"

namespace tollbridge::gateway {

/// The two key files of operations, read again when they have changed and nobody has written to
/// them for a second (QuietFiles), so that keys rotate without a restart
/// (docs/guides/operators.md#keys-of-operations). A file that turns out unreadable or malformed,
/// that gives a key of its own another secret, or that shares a key with the other one, leaves the
/// last good keys in force: `operation_keys_refused` in the log, once for each reason, and counted
/// with each look. Thread-safe.
class KeyFiles {
 public:
  using Keys = std::shared_ptr<const operations::OperationKeys>;

  struct Paths {
    std::string fingerprints;
    std::string outcomes;
  };

  /// NOT_FOUND when a file cannot be read, INVALID_ARGUMENT when it is malformed or both share a
  /// key. Names the setting, and shows nothing of the content. `now`: the boot-time clock, for
  /// tests.
  static absl::StatusOr<std::shared_ptr<KeyFiles>> Open(
      Paths paths, std::function<BootTime()> now = &BootClock::now);

  /// The keys in force, both rings as they belong together; never null. Looks at the files, once a
  /// second at most: whoever comes while another looks does not wait for the disk.
  Keys Get();

 private:
  KeyFiles(Paths paths, std::function<BootTime()> now)
      : paths_(std::move(paths)), now_(std::move(now)) {}
  /// What is in force after a look at the files; `before` again where nothing changed.
  Keys Look(const Keys& before);
  /// What the file holds, if it may follow on `before`; else `before`, with the reason in
  /// `problem`.
  static operations::KeyRing Follow(const std::string& setting, const std::string& path,
                                    const operations::KeyRing& before, absl::Status& problem);
  void NoteRefusal(const absl::Status& problem);

  const Paths paths_;
  const std::function<BootTime()> now_;
  std::mutex mutex_;
  Keys keys_;
  BootTime next_look_;
  bool looking_ = false;
  /// Of whoever looks.
  QuietFiles quiet_;
  /// The same: what was refused last; empty when nothing was.
  std::string refused_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_KEY_FILES_H_
