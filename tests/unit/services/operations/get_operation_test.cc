#include "services/operations/get_operation.h"

#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

class GetOperationTest : public EngineTest {
 protected:
  absl::StatusOr<v1::GetOperationResponse> Get(const v1::GetOperationRequest& request) {
    return test::Await(context_, GetOperation(memory_, projects_, request, CallContext()));
  }
  domain::Projects projects_{{TestProject()}};
};

TEST_F(GetOperationTest, ReadsByIdAndByKey) {
  Call("key");
  v1::GetOperationRequest by_id;
  by_id.set_operation_id(OperationId(TestProject().id, "key").ToString());
  v1::GetOperationRequest by_key;
  by_key.set_project("shop");
  by_key.set_idempotency_key("key");
  for (const v1::GetOperationRequest& request : {by_id, by_key}) {
    const auto response = Get(request);
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->operation().id(), by_id.operation_id());
    EXPECT_EQ(response->operation().rpc(), "tollbridge.payments.v1.Payments/CreateOrder");
    EXPECT_EQ(response->operation().state(), v1::OPERATION_STATE_DONE);
  }
}

TEST_F(GetOperationTest, IsNotFoundForAKeyThatWasNeverUsed) {
  v1::GetOperationRequest request;
  request.set_idempotency_key("never");
  EXPECT_EQ(domain::ReasonOf(Get(request).status()), domain::reason::kOperationNotFound);
}

TEST_F(GetOperationTest, RefusesBothNamesNoneAndAnUnknownProject) {
  v1::GetOperationRequest none;
  v1::GetOperationRequest both;
  both.set_operation_id(OperationId(TestProject().id, "key").ToString());
  both.set_idempotency_key("key");
  v1::GetOperationRequest unknown;
  unknown.set_project("elsewhere");
  unknown.set_idempotency_key("key");
  v1::GetOperationRequest no_uuid;
  no_uuid.set_operation_id("x");
  for (const v1::GetOperationRequest& request : {none, both, unknown, no_uuid}) {
    EXPECT_EQ(Get(request).status().code(), absl::StatusCode::kInvalidArgument)
        << request.ShortDebugString();
  }
}

TEST_F(GetOperationTest, SaysWhenTheStoreIsDown) {
  memory_.SetAvailable(false);
  v1::GetOperationRequest request;
  request.set_idempotency_key("key");
  EXPECT_EQ(Get(request).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tollbridge::operations
