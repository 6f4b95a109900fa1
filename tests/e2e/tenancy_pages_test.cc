// Pages of two projects: each has its own, whole, and no token of one is of use to the other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/core/encoding.h"
#include "base/core/uuid.h"
#include "tests/e2e/tenant.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::test {
namespace {

using operations::v1::ListOperationsRequest;
using operations::v1::ListOperationsResponse;
using operations::v1::OperationState;
using search::v1::SearchOrdersRequest;
using search::v1::SearchOrdersResponse;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

constexpr int kPagesAtMost = 20;
/// The key of demo's operation that a person looks at.
constexpr const char* kWrong = "wrong-CreateOrder";

ListOperationsRequest PageOf(std::int64_t size, const std::string& token = "") {
  ListOperationsRequest request;
  request.set_page_size(size);
  if (!token.empty()) request.set_page_token(token);
  return request;
}

/// What a token says, however it is coded.
std::string Decoded(const std::string& token) {
  return token + " " + Base64Decode(token).value_or("") + " " + Base64UrlDecode(token).value_or("");
}

std::string Coded(const std::string& raw, bool for_urls) {
  return for_urls ? Base64UrlEncode(raw) : Base64Encode(raw);
}

/// One stack for all tests of this suite. `demo` has two operations of unknown outcome and one for
/// a person, all of which are older than the one of `shop`; each project has orders of its own.
class TenancyPageTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    tenants_ = std::make_unique<TwoTenants>(
        StackOptions{.settings = LongQuarantine(), .sandbox_arguments = ImmediateSandbox()});
    unknown_of_demo_ = {Lose(demo(), "first"), Lose(demo(), "second")};
    HearWrongAmount(demo());
    unknown_of_shop_ = Lose(shop(), "first");
    for (const char* const name : {"one", "two"}) {
      for (Tenant* const tenant : {&demo(), &shop()}) tenant->Ready(Kind::kStoreCard, name);
    }
  }
  static void TearDownTestSuite() { tenants_.reset(); }

  static Tenant& demo() { return tenants_->demo; }
  static Tenant& shop() { return tenants_->shop; }
  static const std::vector<std::string>& unknown_of_demo() { return unknown_of_demo_; }
  static const std::string& unknown_of_shop() { return unknown_of_shop_; }

  static std::vector<std::string> Ids(const ListOperationsResponse& page) {
    std::vector<std::string> ids;
    for (const operations::v1::Operation& operation : page.operations()) {
      ids.push_back(operation.id());
    }
    return ids;
  }
  /// All ids, from pages of this size, none of which may be empty.
  static std::vector<std::string> AllIds(Tenant& tenant, ListOperationsRequest request) {
    std::vector<std::string> all;
    for (int pages = 0; pages < kPagesAtMost; ++pages) {
      const ListOperationsResponse page = tenant.List(request);
      EXPECT_GT(page.operations_size(), 0) << "page " << pages << " is empty";
      EXPECT_LE(page.operations_size(), request.page_size());
      std::ranges::copy(Ids(page), std::back_inserter(all));
      if (page.next_page_token().empty()) return all;
      request.set_page_token(page.next_page_token());
    }
    ADD_FAILURE() << "the pages do not end";
    return all;
  }
  static std::string TokenOfOperations(Tenant& tenant) {
    std::string token = tenant.List(PageOf(1)).next_page_token();
    EXPECT_FALSE(token.empty()) << tenant.project() << " has more than one";
    return token;
  }
  static SearchOrdersRequest SearchPage() {
    SearchOrdersRequest request;
    request.set_page_size(1);
    return request;
  }
  static std::string TokenOfSearch(Tenant& tenant) {
    std::string token = tenant.Must<SearchOrdersResponse>(SearchPage()).next_page_token();
    EXPECT_FALSE(token.empty()) << tenant.project() << " has more than one";
    return token;
  }
  /// It is refused, by the name of the field.
  static void ExpectRefused(Tenant& tenant, const google::protobuf::Message& request) {
    const RpcReply reply = tenant.Send(request);
    EXPECT_EQ(reply.status.code_name(), "INVALID_ARGUMENT")
        << tenant.project() << " " << request.ShortDebugString() << " answers "
        << IdsIn(reply.bytes).size() << " ids";
    EXPECT_TRUE(reply.status.names_field("page_token")) << request.ShortDebugString();
  }

 private:
  /// A creation that is answered with an order of another amount: a person looks at it.
  static void HearWrongAmount(Tenant& tenant) {
    constexpr const char* kAnswer =
        R"({"kind":"status","status":201,"body":{"id":"77777777-7777-4777-8777-777777777777",)"
        R"("status":"new","amount":1,"currency":"EUR"}})";
    const Request request = tenant.Ready(Kind::kCreate, "wrong");
    tenants_->stack.SandboxFaults(FirstCallMeets(Kind::kCreate, kAnswer));
    EXPECT_TRUE(tenant.Send(*request).status.ok()) << "pending";
    tenants_->stack.SandboxFaults("{}");
    const auto operation = tenant.ReadOperation(kWrong);
    EXPECT_TRUE(operation && operation->state() == operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  }
  /// A refund whose answer is lost; the id of its operation.
  static std::string Lose(Tenant& tenant, const std::string& name) {
    const Request request = tenant.Ready(Kind::kRefund, name);
    tenants_->stack.SandboxFaults(FirstCallMeets(Kind::kRefund, R"({"kind":"drop_before"})"));
    EXPECT_TRUE(tenant.Send(*request).status.ok()) << "pending";
    tenants_->stack.SandboxFaults("{}");
    return tenant.OperationId(TextOf(*request, "idempotency_key"));
  }

  static inline std::unique_ptr<TwoTenants> tenants_;
  static inline std::vector<std::string> unknown_of_demo_;
  static inline std::string unknown_of_shop_;
};

TEST_F(TenancyPageTest, SmallPagesHoldAllOfTheProject) {
  std::vector<std::string> open = unknown_of_demo();
  open.push_back(demo().OperationId(kWrong));
  EXPECT_THAT(AllIds(demo(), PageOf(1)), UnorderedElementsAreArray(open));
  ListOperationsRequest in_state = PageOf(1);
  in_state.set_state(operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_THAT(AllIds(demo(), in_state), UnorderedElementsAreArray(unknown_of_demo()));
  EXPECT_FALSE(demo().List(in_state).next_page_token().empty());
}

TEST_F(TenancyPageTest, WhatTheOtherHasOpenTakesNoPlaceOnAPage) {
  for (const int size : {1, 2, 50}) {
    const ListOperationsResponse page = shop().List(PageOf(size));
    EXPECT_THAT(Ids(page), UnorderedElementsAre(unknown_of_shop())) << size;
    EXPECT_EQ(page.next_page_token(), "") << size;
  }
}

TEST_F(TenancyPageTest, WhoHasNothingOpenGetsNothingAndNoToken) {
  ListOperationsRequest request = PageOf(1);
  for (const OperationState state :
       {operations::v1::OPERATION_STATE_RUNNING, operations::v1::OPERATION_STATE_NEEDS_REVIEW}) {
    request.set_state(state);
    const ListOperationsResponse page = shop().List(request);
    EXPECT_THAT(Ids(page), IsEmpty());
    EXPECT_EQ(page.next_page_token(), "");
  }
}

TEST_F(TenancyPageTest, NoTokenSaysAnythingOfTheOther) {
  for (const int size : {1, 2, 3}) {
    const std::string said = Decoded(shop().List(PageOf(size)).next_page_token());
    for (const char* const key : {"first-CreateRefund", "second-CreateRefund", kWrong}) {
      const auto operation = demo().ReadOperation(key);
      ASSERT_TRUE(operation.has_value());
      EXPECT_EQ(said.find(operation->id()), std::string::npos) << said;
      EXPECT_EQ(said.find(Uuid::Parse(operation->id())->ToBytes()), std::string::npos) << said;
      EXPECT_EQ(said.find(std::to_string(operation->since().seconds())), std::string::npos) << said;
    }
  }
}

TEST_F(TenancyPageTest, ATokenOfOneProjectIsRefusedInTheOther) {
  ExpectRefused(shop(), PageOf(1, TokenOfOperations(demo())));
  SearchOrdersRequest request = SearchPage();
  request.set_page_token(TokenOfSearch(demo()));
  ExpectRefused(shop(), request);
  request.set_page_token(TokenOfSearch(shop()));
  ExpectRefused(demo(), request);
}

TEST_F(TenancyPageTest, ATokenOfAnotherListIsRefused) {
  const std::string token = TokenOfOperations(demo());
  ListOperationsRequest in_state = PageOf(1, token);
  in_state.set_state(operations::v1::OPERATION_STATE_UNKNOWN);
  ExpectRefused(demo(), in_state);
  ListOperationsRequest of_order = PageOf(1, token);
  of_order.set_order_id(demo().ReadOperation("first-CreateRefund")->order_id());
  ExpectRefused(demo(), of_order);

  ListOperationsRequest orders = PageOf(1);
  orders.set_order_id(of_order.order_id());
  const std::string of_one = demo().List(orders).next_page_token();
  ASSERT_FALSE(of_one.empty());
  ExpectRefused(demo(), PageOf(1, of_one));
  orders.set_order_id(demo().ReadOperation("second-CreateRefund")->order_id());
  orders.set_page_token(of_one);
  ExpectRefused(demo(), orders);
}

TEST_F(TenancyPageTest, ATokenOfAnotherSearchIsRefused) {
  SearchOrdersRequest request = SearchPage();
  request.set_page_token(TokenOfSearch(demo()));
  request.set_page_size(2);
  ExpectRefused(demo(), request);
  request.set_page_size(1);
  request.set_sort("id desc");
  ExpectRefused(demo(), request);
  request.clear_sort();
  request.mutable_query()->mutable_filter()->set_merchant_order_id("basket-one-StoreCard-order");
  ExpectRefused(demo(), request);
}

TEST_F(TenancyPageTest, GarbageIsRefused) {
  for (const std::string& token :
       {std::string("garbage"), std::string("!"), std::string(600, 'A'), Base64Encode("12345678"),
        Base64Encode("12345678" + std::string(40, '9'))}) {
    ExpectRefused(demo(), PageOf(1, token));
    SearchOrdersRequest request = SearchPage();
    request.set_page_token(token);
    ExpectRefused(demo(), request);
  }
  // A token of one RPC is garbage to the other.
  ExpectRefused(demo(), PageOf(1, TokenOfSearch(demo())));
  SearchOrdersRequest request = SearchPage();
  request.set_page_token(TokenOfOperations(demo()));
  ExpectRefused(demo(), request);
}

/// Each byte of a token is changed in turn, and each must be seen.
void ForEachForgery(const std::string& token, const std::function<void(const std::string&)>& look) {
  const std::optional<std::string> plain = Base64Decode(token);
  const bool for_urls = !plain.has_value();
  const std::string raw = for_urls ? Base64UrlDecode(token).value_or("") : *plain;
  ASSERT_FALSE(raw.empty()) << token;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    std::string forged = raw;
    // Digits stay digits, so that what is forged has the form of what is not.
    forged[at] = static_cast<char>(forged[at] ^ 1);
    look(Coded(forged, for_urls));
  }
}

TEST_F(TenancyPageTest, AForgedTokenOfOperationsIsRefused) {
  const std::vector<std::string> before = AllIds(demo(), PageOf(50));
  const std::string token = TokenOfOperations(demo());
  ASSERT_FALSE(token.empty());
  ForEachForgery(token,
                 [](const std::string& forged) { ExpectRefused(demo(), PageOf(1, forged)); });
  EXPECT_EQ(AllIds(demo(), PageOf(50)), before);
}

TEST_F(TenancyPageTest, AForgedTokenOfASearchIsRefused) {
  const std::string token = TokenOfSearch(demo());
  ASSERT_FALSE(token.empty());
  ForEachForgery(token, [](const std::string& forged) {
    SearchOrdersRequest request = SearchPage();
    request.set_page_token(forged);
    ExpectRefused(demo(), request);
  });
}

}  // namespace
}  // namespace tollbridge::test
