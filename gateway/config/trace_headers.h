#ifndef TOLLBRIDGE_GATEWAY_CONFIG_TRACE_HEADERS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_TRACE_HEADERS_H_

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/http/message.h"
#include "gateway/config/secret_file.h"

namespace tollbridge::gateway {

/// The headers that the collector of traces asks for, a line each, as their file has them now: read
/// again as any SecretFile, of no use with a line that is no header. Thread-safe.
class TraceHeaders {
 public:
  /// Errors as SecretFile::Open, and INVALID_ARGUMENT for a line that is no header, which is told
  /// by its number. `now`: the boot-time clock, for tests.
  static absl::StatusOr<std::shared_ptr<TraceHeaders>> Open(
      const std::string& path, std::function<BootTime()> now = &BootClock::now);

  /// Those in force.
  http::Headers Get();

 private:
  explicit TraceHeaders(std::shared_ptr<SecretFile> file) : file_(std::move(file)) {}

  const std::shared_ptr<SecretFile> file_;
  std::mutex mutex_;
  /// Those that headers_ are of.
  SecretFile::Lines lines_;
  http::Headers headers_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_TRACE_HEADERS_H_
