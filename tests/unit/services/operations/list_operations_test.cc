#include "services/operations/list_operations.h"

#include <set>

#include <gmock/gmock.h>

#include "google/rpc/error_details.pb.h"
#include "services/operations/request_rules.h"
#include "tests/unit/services/operations/registry_fixture.h"

namespace tollbridge::operations {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ListOperationsTest : public RegistryFixture {
 protected:
  absl::StatusOr<v1::ListOperationsResponse> List(const v1::ListOperationsRequest& request) {
    const domain::Project& project = request.project() == "other" ? other_ : shop_;
    return test::Await(context_, ListOperations(registry_, project, request, CallContext()));
  }
  static v1::ListOperationsRequest Of(const std::string& project) {
    v1::ListOperationsRequest request;
    request.set_project(project);
    return request;
  }
  /// The fields that were refused, with their rules.
  static std::string Violations(const absl::Status& status) {
    const auto payload = status.GetPayload(std::string(domain::kBadRequestUrl));
    google::rpc::BadRequest bad;
    EXPECT_TRUE(payload.has_value() && bad.ParseFromString(std::string(*payload))) << status;
    return bad.ShortDebugString();
  }
};

TEST_F(ListOperationsTest, ListsWhatIsOpenInTheProjectAndNothingOfAnother) {
  const std::string open = Put("a", v1::OPERATION_STATE_UNKNOWN).id();
  Put("b", v1::OPERATION_STATE_DONE);
  Put("a", v1::OPERATION_STATE_UNKNOWN, Other());
  const auto response = List(Of("shop"));
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->operations_size(), 1);
  EXPECT_EQ(response->operations(0).id(), open);
  EXPECT_EQ(response->next_page_token(), "");
  EXPECT_EQ(registry_.queries.at(0).limit, 50U);
}

TEST_F(ListOperationsTest, AStateAndAnOrderAreHandedOn) {
  v1::ListOperationsRequest by_state = Of("shop");
  by_state.set_state(v1::OPERATION_STATE_NEEDS_REVIEW);
  ASSERT_TRUE(List(by_state).ok());
  EXPECT_EQ(registry_.queries.back().state, operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  v1::ListOperationsRequest by_order = Of("shop");
  by_order.set_order_id("7F5DE9C1-93B1-4F7A-8A53-1D0F6A4C2B10");
  Put("done", v1::OPERATION_STATE_DONE).set_order_id(kOrderId);
  const auto response = List(by_order);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->operations_size(), 1) << "closed ones included, however the id is written";
}

TEST_F(ListOperationsTest, PagesLeadThroughAllOfThemOnce) {
  std::set<std::string> all;
  for (int i = 0; i < 7; ++i) {
    all.insert(Put(std::to_string(i), v1::OPERATION_STATE_NEEDS_REVIEW).id());
  }
  std::set<std::string> seen;
  v1::ListOperationsRequest request = Of("shop");
  request.set_page_size(3);
  int pages = 0;
  do {
    const auto response = List(request);
    ASSERT_TRUE(response.ok()) << response.status();
    ++pages;
    for (const v1::Operation& operation : response->operations()) {
      EXPECT_TRUE(seen.insert(operation.id()).second);
    }
    request.set_page_token(response->next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(seen, all);
  EXPECT_EQ(pages, 3);
}

TEST_F(ListOperationsTest, ATokenIsGoodForItsOwnFilterOnly) {
  for (int i = 0; i < 3; ++i) Put(std::to_string(i), v1::OPERATION_STATE_NEEDS_REVIEW);
  v1::ListOperationsRequest first = Of("shop");
  first.set_page_size(1);
  const std::string token = List(first)->next_page_token();
  ASSERT_NE(token, "");
  EXPECT_EQ(token.find("after"), std::string::npos) << "it is opaque";

  v1::ListOperationsRequest other_project = Of("other");
  v1::ListOperationsRequest other_state = Of("shop");
  other_state.set_state(v1::OPERATION_STATE_NEEDS_REVIEW);
  v1::ListOperationsRequest by_order = Of("shop");
  by_order.set_order_id(kOrderId);
  for (v1::ListOperationsRequest request : {other_project, other_state, by_order}) {
    request.set_page_token(token);
    EXPECT_THAT(Violations(List(request).status()), HasSubstr("page_token"));
  }
  first.set_page_size(2);
  first.set_page_token(token);
  EXPECT_TRUE(List(first).ok()) << "another page size is no other filter";
}

TEST_F(ListOperationsTest, ATokenThatIsNoneOfOursIsRefused) {
  Put("a", v1::OPERATION_STATE_UNKNOWN);
  for (const std::string& token : {std::string("x"), std::string("AAAA"), std::string(4000, 'A'),
                                   std::string("\xff\xff\xff\xff")}) {
    v1::ListOperationsRequest request = Of("shop");
    request.set_page_token(token);
    EXPECT_THAT(Violations(List(request).status()), HasSubstr("page_token"));
  }
  EXPECT_TRUE(registry_.queries.empty()) << "the store is not asked";
}

TEST_F(ListOperationsTest, AClosedStateIsRefusedWithWhatToDoInstead) {
  for (const auto state : {v1::OPERATION_STATE_DONE, v1::OPERATION_STATE_NOT_EXECUTED,
                           v1::OPERATION_STATE_UNSPECIFIED, static_cast<v1::OperationState>(99)}) {
    v1::ListOperationsRequest request = Of("shop");
    request.set_state(state);
    const auto violations = ListOperationsViolations(request, &shop_);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].field, "state");
    EXPECT_THAT(violations[0].rule, AllOf(HasSubstr("order_id"), HasSubstr("GetOperation")));
  }
}

TEST_F(ListOperationsTest, AStateDoesNotGoWithAnOrder) {
  v1::ListOperationsRequest both = Of("shop");
  both.set_state(v1::OPERATION_STATE_UNKNOWN);
  EXPECT_TRUE(ListOperationsViolations(both, &shop_).empty());
  both.set_order_id(kOrderId);
  EXPECT_EQ(ListOperationsViolations(both, &shop_).size(), 1U);
}

TEST_F(ListOperationsTest, SaysWhenTheStoreIsDown) {
  registry_.down = test::FakeOperationRegistry::Down();
  EXPECT_EQ(domain::ReasonOf(List(Of("shop")).status()), domain::reason::kStoreUnavailable);
}

}  // namespace
}  // namespace tollbridge::operations
