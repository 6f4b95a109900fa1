#include "gateway/config/secret_file.h"

#include <absl/strings/str_cat.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/core/file_stamp.h"
#include "base/core/status_macros.h"
#include "base/core/tick.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_labels.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kLookInterval{1};

std::array<std::atomic<std::uint64_t>, telemetry::kSecretKinds.size()> failures{};

std::atomic<std::uint64_t>& FailuresOf(SecretKind kind) {
  return failures.at(static_cast<std::size_t>(kind));
}

}  // namespace

std::uint64_t SecretFileFailures(SecretKind kind) { return FailuresOf(kind); }

void NoteSecretFileFailure(SecretKind kind) { ++FailuresOf(kind); }

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  // An empty file is one that can be read; a folder can only be opened.
  const bool empty = file.peek() == std::ifstream::traits_type::eof() && file.eof();
  std::stringstream content;
  if (!empty && (!file || !(content << file.rdbuf()))) {
    // The library says no more than that it failed; what the system said is still there.
    const int cause = errno;
    return absl::NotFoundError(absl::StrCat(
        path, ": cannot be read", cause == 0 ? "" : ": " + std::generic_category().message(cause)));
  }
  return content.str();
}

std::vector<std::string> NonEmptyLines(const std::string& text) {
  constexpr std::string_view kSpace = " \t\r";
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(kSpace);
    if (first == std::string::npos) continue;
    lines.push_back(line.substr(first, line.find_last_not_of(kSpace) - first + 1));
  }
  return lines;
}

absl::StatusOr<std::shared_ptr<SecretFile>> SecretFile::Open(const std::string& path,
                                                             std::function<BootTime()> now,
                                                             Check check) {
  std::shared_ptr<SecretFile> file(new SecretFile(path, std::move(now), std::move(check)));
  const FileStamp stamp = StampOf({path});
  TB_RETURN_IF_ERROR(file->Read());
  // Somebody may be writing to it: a look that finds it unchanged for a second reads it again.
  file->quiet_.Look(stamp, file->now_());
  file->next_look_ = NextTick(file->now_(), kLookInterval);
  return file;
}

absl::Status SecretFile::Read() {
  TB_ASSIGN_OR_RETURN(const std::string content, ReadFile(path_));
  std::vector<std::string> lines = NonEmptyLines(content);
  if (lines.empty()) return absl::InvalidArgumentError(absl::StrCat(path_, ": has no line"));
  if (check_) TB_RETURN_IF_ERROR(check_(lines));
  if (!lines_ || *lines_ != lines) {
    lines_ = std::make_shared<const std::vector<std::string>>(std::move(lines));
  }
  return absl::OkStatus();
}

absl::Status SecretFile::TakeChanged() {
  const FileStamp stamp = StampOf({path_});
  if (stamp.text == taken_ || !quiet_.Look(stamp, now_())) return absl::OkStatus();
  // To open what is no file could wait for somebody who writes.
  TB_RETURN_IF_ERROR(stamp.readable);
  const Lines before = lines_;
  TB_RETURN_IF_ERROR(Read());
  if (StampOf({path_}).text != stamp.text) {
    // Somebody has begun to write meanwhile: what was read may be neither the one nor the other.
    lines_ = before;
    return absl::OkStatus();
  }
  taken_ = stamp.text;
  return absl::OkStatus();
}

SecretFile::Lines SecretFile::Get() {
  const std::lock_guard lock(mutex_);
  if (const BootTime now = now_(); now >= next_look_) {
    // To look at one a second costs less than watching it would.
    next_look_ = NextTick(now, kLookInterval);
    const Lines before = lines_;
    if (const absl::Status taken = TakeChanged(); !taken.ok()) {
      NoteSecretFileFailure(SecretKind::kSecret);
      if (const auto looks = unreadable_.Count(now)) {
        telemetry::Log(telemetry::Severity::kWarning, "secret_file_unreadable",
                       {{"path", path_},
                        {"looks", *looks},
                        {"kept", "the last good content"},
                        {"cause", std::string(taken.message())}});
      }
    } else if (lines_ != before) {
      telemetry::Log(telemetry::Severity::kInfo, "secret_file_changed", {{"path", path_}});
    }
  }
  return lines_;
}

}  // namespace tollbridge::gateway
