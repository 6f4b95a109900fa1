#include "services/rpc/method.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {
namespace {

using ::testing::HasSubstr;

const google::protobuf::FileDescriptor* EchoFile() {
  return tollbridge::testing::v1::EchoRequest::descriptor()->file();
}

TEST(Method, IsReadFromTheOptionsOfTheProto) {
  const auto methods = MethodTable::Of({"tollbridge.testing.v1.Echo"});
  ASSERT_TRUE(methods.ok()) << methods.status();
  const MethodInfo* change = methods->Find("tollbridge.testing.v1.Echo.Change");
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(change->effect, options::v1::EFFECT_MUTATION);
  EXPECT_EQ(change->path, "/tollbridge.testing.v1.Echo/Change");
  EXPECT_EQ(change->service, "tollbridge.testing.v1.Echo");
  EXPECT_EQ(change->permission, "echo.change");
  EXPECT_EQ(change->default_deadline, std::chrono::seconds(10));
  EXPECT_TRUE(change->carries_card_data);
  EXPECT_FALSE(change->server_streaming);
  EXPECT_TRUE(methods->Find("tollbridge.testing.v1.Echo.Count")->server_streaming);
  EXPECT_EQ(methods->Find("tollbridge.testing.v1.Echo.Missing"), nullptr);
}

TEST(Method, AddressesStayValidWhenTheTableMoves) {
  auto methods = *MethodTable::Of({"tollbridge.testing.v1.Echo"});
  const MethodInfo* before = methods.Find("tollbridge.testing.v1.Echo.Say");
  const MethodTable moved = std::move(methods);
  EXPECT_EQ(moved.Find("tollbridge.testing.v1.Echo.Say"), before);
}

TEST(Method, WithoutAFittingPolicyIsRefused) {
  const auto* broken = EchoFile()->FindServiceByName("Broken");
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"NoPolicy", "has no option"},
      {"NoDeadline", "no default_deadline"},
      {"NoPermission", "names no permission"},
      {"NoKey", "needs a string idempotency_key"},
      {"CallerStream", "streams from the caller"},
      {"StreamedMutation", "a mutation cannot stream"}};
  for (const auto& [name, why] : cases) {
    const auto info = DescribeMethod(*broken->FindMethodByName(name));
    ASSERT_FALSE(info.ok()) << name;
    EXPECT_THAT(std::string(info.status().message()), HasSubstr(why));
    EXPECT_THAT(std::string(info.status().message()), HasSubstr(name));
  }
}

TEST(Method, ATableWithOneRefusedMethodOrAMissingServiceFails) {
  EXPECT_EQ(MethodTable::Of({"tollbridge.testing.v1.Broken"}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(MethodTable::Of({"tollbridge.testing.v1.Nothing"}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(Method, EveryPublishedServiceHasAPolicyOnEachMethod) {
  const auto methods = MethodTable::Of({"tollbridge.payments.v1.Payments"});
  ASSERT_TRUE(methods.ok()) << methods.status();
  EXPECT_GE(methods->all().size(), 2u);
}

TEST(MethodOfTest, TheRequestNamesItsMethodUnlessItIsOfSeveral) {
  const auto* change = MethodOf(*tollbridge::testing::v1::CountRequest::descriptor());
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(change->full_name(), "tollbridge.testing.v1.Echo.Count");
  EXPECT_EQ(MethodOf(*tollbridge::testing::v1::EchoRequest::descriptor()), nullptr);
  EXPECT_EQ(MethodOf(*tollbridge::testing::v1::CountResponse::descriptor()), nullptr);
}

}  // namespace
}  // namespace tollbridge::rpc
