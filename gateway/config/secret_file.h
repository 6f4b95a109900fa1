#ifndef TOLLBRIDGE_GATEWAY_CONFIG_SECRET_FILE_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_SECRET_FILE_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/core/boot_clock.h"
#include "base/core/quiet_files.h"
#include "base/telemetry/sampler.h"

namespace tollbridge::gateway {

/// What is exchanged while a process runs, as telemetry::kSecretKinds has it.
enum class SecretKind : std::uint8_t {
  kSecret,
  kTls,
  kOperationKeys,
  kRedis,
  kKafka,
  kCallers,
};

/// How often this process has looked for something new of that kind and found nothing to use. Of
/// what Redis refuses its connections count. Any thread.
std::uint64_t SecretFileFailures(SecretKind kind);
/// One more of them.
void NoteSecretFileFailure(SecretKind kind);

/// A whole file. NOT_FOUND, with path and cause, when it cannot be read.
absl::StatusOr<std::string> ReadFile(const std::string& path);

/// The lines of a text without the empty ones and without white space at their ends.
std::vector<std::string> NonEmptyLines(const std::string& text);

/// A file of secrets, one a line, read again when it has changed and nobody has written to it for a
/// second (QuietFiles), so that secrets rotate without a restart, and half of one is never taken. A
/// file that turns out unreadable, empty or of no use leaves the last good content in force.
/// Thread-safe.
class SecretFile {
 public:
  using Lines = std::shared_ptr<const std::vector<std::string>>;

  /// Whether lines can be used; the error shows nothing of them.
  using Check = std::function<absl::Status(const std::vector<std::string>&)>;

  /// Takes what is there. NOT_FOUND when the file cannot be read, INVALID_ARGUMENT when it has no
  /// line, and what `check` finds. None shows its content. `now`: the boot-time clock, for tests.
  static absl::StatusOr<std::shared_ptr<SecretFile>> Open(
      const std::string& path, std::function<BootTime()> now = &BootClock::now, Check check = {});

  const std::string& path() const { return path_; }
  /// The lines in force; never empty.
  Lines Get();

 private:
  SecretFile(std::string path, std::function<BootTime()> now, Check check)
      : path_(std::move(path)), now_(std::move(now)), check_(std::move(check)) {}
  absl::Status Read();
  /// Reads it if it is another than was taken, and quiet.
  absl::Status TakeChanged();

  std::string path_;
  std::function<BootTime()> now_;
  Check check_;
  std::mutex mutex_;
  Lines lines_;
  /// Stamp of the file that lines_ are of; empty: it may have been half there.
  std::string taken_;
  QuietFiles quiet_;
  BootTime next_look_;
  telemetry::Sampler unreadable_{std::chrono::minutes(1)};
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_SECRET_FILE_H_
