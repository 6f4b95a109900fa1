#ifndef TOLLBRIDGE_TESTS_SUPPORT_DECODED_H_
#define TOLLBRIDGE_TESTS_SUPPORT_DECODED_H_

#include <absl/status/statusor.h>
#include <gtest/gtest.h>

#include "services/domain/encoded.h"

namespace tollbridge::test {

/// The message whose bytes these are; the test fails where they are none.
template <typename Message>
Message Decoded(const domain::Encoded<Message>& encoded) {
  Message message;
  EXPECT_TRUE(message.ParseFromString(encoded.bytes));
  return message;
}

template <typename Message>
absl::StatusOr<Message> Decoded(const absl::StatusOr<domain::Encoded<Message>>& encoded) {
  if (!encoded.ok()) return encoded.status();
  return Decoded(*encoded);
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_DECODED_H_
