#ifndef TOLLBRIDGE_GATEWAY_CONFIG_TRACE_HEADERS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_TRACE_HEADERS_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/http/message.h"
#include "base/telemetry/sampler.h"
#include "gateway/config/secret_file.h"

namespace tollbridge::gateway {

/// The headers that the collector of traces asks for, a line each, as their file has them now: read
/// again as any SecretFile. Content with a line that is no header leaves the last good headers in
/// force: that is counted and told as an unreadable SecretFile is. Thread-safe.
class TraceHeaders {
 public:
  /// Errors as SecretFile::Open, and INVALID_ARGUMENT for a line that is no header, which is told
  /// by its number. `now`: the boot-time clock, for tests.
  static absl::StatusOr<std::shared_ptr<TraceHeaders>> Open(
      const std::string& path, std::function<BootTime()> now = &BootClock::now);

  /// Those in force.
  http::Headers Get();

 private:
  TraceHeaders(std::shared_ptr<SecretFile> file, std::function<BootTime()> now)
      : file_(std::move(file)), now_(std::move(now)) {}
  void NoteProblem();

  const std::shared_ptr<SecretFile> file_;
  const std::function<BootTime()> now_;
  std::mutex mutex_;
  /// What was looked at last.
  SecretFile::Lines lines_;
  /// Why that is not in force.
  absl::Status problem_;
  http::Headers headers_;
  BootTime note_again_;
  telemetry::Sampler unreadable_{std::chrono::minutes(1)};
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_TRACE_HEADERS_H_
