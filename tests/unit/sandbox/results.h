#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_RESULTS_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_RESULTS_H_

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "sandbox/core/result.h"

namespace tollbridge::sandbox {

/// nullopt where there is none.
template <typename T>
std::optional<ApiError> ErrorOf(const Result<T>& result) {
  if (result.ok()) return std::nullopt;
  return result.error();
}

inline void ExpectError(const std::optional<ApiError>& error, int status, std::string_view type) {
  ASSERT_TRUE(error);
  EXPECT_EQ(error->status, status) << error->value;
  EXPECT_EQ(error->type, type) << error->value;
}

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_RESULTS_H_
