#include "services/operations/get_operation.h"

#include "tests/unit/services/operations/registry_fixture.h"

namespace tollbridge::operations {
namespace {

class GetOperationTest : public RegistryFixture {
 protected:
  absl::StatusOr<v1::GetOperationResponse> Get(const v1::GetOperationRequest& request,
                                               const domain::Projects& projects) {
    return test::Await(context_, GetOperation(registry_, projects, request, CallContext()));
  }
  absl::StatusOr<v1::GetOperationResponse> Get(const v1::GetOperationRequest& request) {
    return Get(request, only_shop_);
  }
};

TEST_F(GetOperationTest, ReadsByIdAndByKey) {
  const std::string id = Put("key", v1::OPERATION_STATE_DONE).id();
  v1::GetOperationRequest by_id;
  by_id.set_operation_id(id);
  v1::GetOperationRequest by_key;
  by_key.set_project("shop");
  by_key.set_idempotency_key("key");
  for (const v1::GetOperationRequest& request : {by_id, by_key}) {
    const auto response = Get(request);
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->operation().id(), id);
    EXPECT_EQ(response->operation().state(), v1::OPERATION_STATE_DONE);
  }
}

TEST_F(GetOperationTest, AnOperationOfAnotherProjectIsAsGoodAsNone) {
  const std::string id = Put("key", v1::OPERATION_STATE_DONE, Other()).id();
  v1::GetOperationRequest request;
  request.set_operation_id(id);
  request.set_project("shop");
  const absl::Status hidden = Get(request, both_).status();
  request.set_operation_id(OperationId(Shop().id, "never").ToString());
  const absl::Status missing = Get(request, both_).status();
  EXPECT_EQ(domain::ReasonOf(hidden), domain::reason::kOperationNotFound);
  EXPECT_EQ(hidden.message(), missing.message());
  request.set_operation_id(id);
  request.set_project("other");
  EXPECT_TRUE(Get(request, both_).ok());
}

TEST_F(GetOperationTest, IsNotFoundForAKeyThatWasNeverUsed) {
  v1::GetOperationRequest request;
  request.set_idempotency_key("never");
  EXPECT_EQ(domain::ReasonOf(Get(request).status()), domain::reason::kOperationNotFound);
}

TEST_F(GetOperationTest, DoesNotSayNotFoundWhileTheStoreMayHaveForgotten) {
  registry_.doubtful = true;
  v1::GetOperationRequest request;
  request.set_idempotency_key("never");
  const absl::Status status = Get(request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(domain::ReasonOf(status), domain::reason::kMemoryLost);
}

TEST_F(GetOperationTest, RefusesBothNamesNoneNoUuidAndNoKnownProject) {
  v1::GetOperationRequest none;
  v1::GetOperationRequest both_names;
  both_names.set_operation_id(OperationId(Shop().id, "key").ToString());
  both_names.set_idempotency_key("key");
  v1::GetOperationRequest unknown;
  unknown.set_project("elsewhere");
  unknown.set_idempotency_key("key");
  v1::GetOperationRequest no_uuid;
  no_uuid.set_operation_id("x");
  for (const v1::GetOperationRequest& request : {none, both_names, unknown, no_uuid}) {
    EXPECT_EQ(Get(request).status().code(), absl::StatusCode::kInvalidArgument)
        << request.ShortDebugString();
  }
  v1::GetOperationRequest no_project;
  no_project.set_operation_id(OperationId(Shop().id, "key").ToString());
  EXPECT_EQ(Get(no_project, both_).status().code(), absl::StatusCode::kInvalidArgument)
      << "with two projects the caller has to name one";
}

TEST_F(GetOperationTest, SaysWhenTheStoreIsDown) {
  registry_.down = test::FakeOperationRegistry::Down();
  v1::GetOperationRequest request;
  request.set_idempotency_key("key");
  EXPECT_EQ(domain::ReasonOf(Get(request).status()), domain::reason::kStoreUnavailable);
}

}  // namespace
}  // namespace tollbridge::operations
