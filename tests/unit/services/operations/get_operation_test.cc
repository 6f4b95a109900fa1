#include "services/operations/get_operation.h"

#include "services/operations/request_rules.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/operations/registry_fixture.h"

namespace tollbridge::operations {
namespace {

class GetOperationTest : public RegistryFixture {
 protected:
  absl::StatusOr<v1::GetOperationResponse> Get(const v1::GetOperationRequest& request,
                                               const domain::Project& project) {
    return test::Await(context_, GetOperation(registry_, project, request, CallContext()));
  }
  absl::StatusOr<v1::GetOperationResponse> Get(const v1::GetOperationRequest& request) {
    return Get(request, shop_);
  }
};

TEST_F(GetOperationTest, ReadsByIdAndByKey) {
  const std::string id = Put("key", v1::OPERATION_STATE_DONE).id();
  v1::GetOperationRequest by_id;
  by_id.set_operation_id(id);
  v1::GetOperationRequest by_key;
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
  const absl::Status hidden = Get(request, shop_).status();
  request.set_operation_id(OperationId(Shop().id, "never").ToString());
  const absl::Status missing = Get(request, shop_).status();
  EXPECT_EQ(domain::ReasonOf(hidden), domain::reason::kOperationNotFound);
  EXPECT_EQ(hidden.message(), missing.message());
  request.set_operation_id(id);
  EXPECT_TRUE(Get(request, other_).ok());
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
  EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, domain::reason::kMemoryLost));
}

TEST_F(GetOperationTest, TakesExactlyOneOfIdAndKey) {
  v1::GetOperationRequest request;
  EXPECT_EQ(GetOperationViolations(request, &shop_).size(), 1U);
  request.set_operation_id(OperationId(Shop().id, "key").ToString());
  EXPECT_TRUE(GetOperationViolations(request, &shop_).empty());
  request.set_idempotency_key("key");
  EXPECT_EQ(GetOperationViolations(request, &shop_).size(), 1U);
  request.clear_operation_id();
  EXPECT_TRUE(GetOperationViolations(request, &shop_).empty());
}

TEST_F(GetOperationTest, SaysWhenTheStoreIsDown) {
  registry_.down = test::FakeOperationRegistry::Down();
  v1::GetOperationRequest request;
  request.set_idempotency_key("key");
  EXPECT_EQ(domain::ReasonOf(Get(request).status()), domain::reason::kStoreUnavailable);
}

}  // namespace
}  // namespace tollbridge::operations
