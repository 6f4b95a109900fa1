#include "services/domain/rpc_status.h"

#include <chrono>

#include <gtest/gtest.h>

#include "services/domain/errors.h"

namespace tollbridge::domain {
namespace {

TEST(RpcStatus, ComesBackWithAllItsDetails) {
  ErrorDetail detail;
  detail.reason = reason::kOrderBusy;
  detail.retry = Retry::kSafeSameKey;
  detail.metadata = {{"operation_id", "id"}};
  detail.retry_after = std::chrono::milliseconds(1500);
  detail.violations = {{"amount", "must be positive"}};
  const absl::Status status = MakeError(absl::StatusCode::kAborted, "busy", detail);
  const google::rpc::Status message = ToRpcStatus(status);
  EXPECT_EQ(message.code(), 10);
  EXPECT_EQ(message.details_size(), 3);
  EXPECT_EQ(FromRpcStatus(message), status);
  EXPECT_EQ(ToRpcStatus(FromRpcStatus(message)).SerializeAsString(), message.SerializeAsString());
}

TEST(RpcStatus, OfSuccessIsEmpty) {
  EXPECT_EQ(ToRpcStatus(absl::OkStatus()).ByteSizeLong(), 0U);
  EXPECT_TRUE(FromRpcStatus(google::rpc::Status()).ok());
}

}  // namespace
}  // namespace tollbridge::domain
