#include "gateway/config/trace_headers.h"

#include <absl/strings/str_cat.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/status_macros.h"
#include "base/telemetry/log.h"

namespace tollbridge::gateway {
namespace {

/// As often as a file is looked at.
constexpr std::chrono::seconds kNoteInterval{1};

absl::StatusOr<http::Headers> Parse(const std::vector<std::string>& lines) {
  http::Headers headers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const std::size_t colon = line.find(':');
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    if (colon == std::string::npos || value == std::string::npos ||
        !http::CanBeSent({.name = line.substr(0, colon), .value = line.substr(value)})) {
      return absl::InvalidArgumentError(
          absl::StrCat("[", i, "]: is no header `name: value` that can be sent"));
    }
    headers.Add(std::string_view(line).substr(0, colon), std::string_view(line).substr(value));
  }
  return headers;
}

}  // namespace

absl::StatusOr<std::shared_ptr<TraceHeaders>> TraceHeaders::Open(const std::string& path,
                                                                 std::function<BootTime()> now) {
  TB_ASSIGN_OR_RETURN(std::shared_ptr<SecretFile> file, SecretFile::Open(path, now));
  std::shared_ptr<TraceHeaders> headers(new TraceHeaders(std::move(file), std::move(now)));
  headers->lines_ = headers->file_->Get();
  TB_ASSIGN_OR_RETURN(headers->headers_, Parse(*headers->lines_));
  return headers;
}

http::Headers TraceHeaders::Get() {
  const std::lock_guard lock(mutex_);
  const SecretFile::Lines lines = file_->Get();
  if (lines != lines_) {
    lines_ = lines;
    absl::StatusOr<http::Headers> next = Parse(*lines);
    problem_ = next.status();
    if (next.ok()) headers_ = *std::move(next);
  }
  if (!problem_.ok()) NoteProblem();
  return headers_;
}

void TraceHeaders::NoteProblem() {
  const BootTime now = now_();
  if (now < note_again_) return;
  note_again_ = now + kNoteInterval;
  NoteSecretFileFailure(SecretKind::kSecret);
  if (const auto looks = unreadable_.Count(now)) {
    telemetry::Log(telemetry::Severity::kWarning, "secret_file_unreadable",
                   {{"path", file_->path()},
                    {"looks", *looks},
                    {"kept", "the last good content"},
                    {"cause", std::string(problem_.message())}});
  }
}

}  // namespace tollbridge::gateway
