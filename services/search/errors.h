#ifndef TOLLBRIDGE_SERVICES_SEARCH_ERRORS_H_
#define TOLLBRIDGE_SERVICES_SEARCH_ERRORS_H_

#include <string_view>

#include <absl/status/status.h>

namespace tollbridge::search {

/// DATA_LOSS, reason UPSTREAM_UNREADABLE: the answer contradicts itself or docs/interface.md. No
/// text of the answer in `message`.
absl::Status Unreadable(std::string_view message);
/// DATA_LOSS, reason REPORT_INCOMPLETE.
absl::Status ReportIncomplete(std::string_view message);
/// OUT_OF_RANGE, reason TOO_MANY_RESULTS. `message` says what to do instead.
absl::Status TooManyResults(std::string_view message);

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_ERRORS_H_
