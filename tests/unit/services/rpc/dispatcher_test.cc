#include "services/rpc/dispatcher.h"

#include <memory>

#include "services/domain/errors.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/rpc/rpc_fixture.h"

namespace tollbridge::rpc {
namespace {

class DispatcherTest : public RpcTest {
 protected:
  Dispatcher dispatcher_{{}};
};

TEST_F(DispatcherTest, ACallGetsToTheHandlerOfItsMethod) {
  dispatcher_.Handle(Method("Say"), std::make_unique<FakeHandler>(absl::DataLossError("said")));
  auto call = MakeCall();
  EXPECT_EQ(test::Await(context_, dispatcher_.Dispatch(*call)).message(), "said");
}

TEST_F(DispatcherTest, AnswersUnimplementedForAMethodThatNobodyRegistered) {
  auto call = MakeCall();
  const absl::Status status = test::Await(context_, dispatcher_.Dispatch(*call));
  EXPECT_THAT(status, FailsWith(StatusCode::kUnimplemented, "UNKNOWN_METHOD"));
}

TEST_F(DispatcherTest, AMutationThatGetsToTheEndIsAnInternalError) {
  Call call(Method("Change"), Head(), tollbridge::testing::v1::ChangeRequest());
  EXPECT_EQ(test::Await(context_, dispatcher_.Dispatch(call)).code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tollbridge::rpc
