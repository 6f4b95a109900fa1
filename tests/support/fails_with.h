#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAILS_WITH_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAILS_WITH_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>

#include <string>

#include "services/domain/errors.h"

namespace tollbridge {

using absl::StatusCode;

namespace test {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }

template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

}  // namespace test

/// Matches a Status or StatusOr that is an error of this code and with this reason
/// (services/domain/errors.h).
MATCHER_P2(FailsWith, code, reason,
           absl::StrCat(negation ? "does not fail" : "fails", " with ",
                        absl::StatusCodeToString(code), " and reason ", std::string(reason))) {
  const absl::Status& status = test::StatusOf(arg);
  const std::string found = domain::ReasonOf(status);
  *result_listener << "which is " << status << ", reason " << found;
  return status.code() == code && found == reason;
}

}  // namespace tollbridge

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAILS_WITH_H_
