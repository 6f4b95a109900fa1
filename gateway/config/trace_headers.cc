#include "gateway/config/trace_headers.h"

#include <absl/strings/str_cat.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/status_macros.h"

namespace tollbridge::gateway {
namespace {

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
  TB_ASSIGN_OR_RETURN(
      std::shared_ptr<SecretFile> file,
      SecretFile::Open(path, std::move(now), [](const std::vector<std::string>& lines) {
        return Parse(lines).status();
      }));
  return std::shared_ptr<TraceHeaders>(new TraceHeaders(std::move(file)));
}

http::Headers TraceHeaders::Get() {
  const std::lock_guard lock(mutex_);
  const SecretFile::Lines lines = file_->Get();
  if (lines != lines_) {
    // The file takes no others.
    headers_ = Parse(*lines).value_or(http::Headers());
    lines_ = lines;
  }
  return headers_;
}

}  // namespace tollbridge::gateway
