// A caller names an order or a transaction that is not there, and the answer is lost: that ends by
// itself, and holds nobody else up (docs/adr/0037-unknown-always-ends.md).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "tests/e2e/support/mutations.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using testing::HasSubstr;

class WrongIdsTest : public testing::TestWithParam<Kind> {
 protected:
  /// Calls once, and the answer is lost, so that the attempt ends without a proof.
  void LoseAnswerOf(const Mutation& wrong) {
    stack_.SandboxFaults(FirstCallMeets(wrong.kind, R"({"kind":"drop_before"})"));
    const Told told = CallOnce(stack_.grpc(), wrong);
    EXPECT_TRUE(told.pending) << told.text();
  }

  /// The mutation under another key, with an id that nothing has in place of `id`.
  static Mutation WithoutTarget(const Mutation& mutation, const std::string& id) {
    constexpr std::string_view kNothing = "0b8a1f5e-7f5c-4a0e-9d53-0c6f2f6c1a01";
    Mutation wrong = WithKey(mutation, "wrong");
    const std::size_t at = wrong.request.find(id);
    EXPECT_NE(at, std::string::npos);
    wrong.request.replace(at, id.size(), kNothing);
    return wrong;
  }

  Stack stack_{{.settings = ShortIntervals(), .sandbox_arguments = ImmediateSandbox()}};
};

using WrongOrderTest = WrongIdsTest;
using WrongTransactionTest = WrongIdsTest;

TEST_P(WrongOrderTest, IsRefusedInTheEnd) {
  const Mutation mutation = Prepare(stack_, GetParam(), "wrong-order");
  const Mutation wrong = WithoutTarget(mutation, mutation.order);
  LoseAnswerOf(wrong);
  EXPECT_THAT(CallUntilDefinite(stack_.grpc(), wrong).text(), HasSubstr("ORDER_NOT_FOUND"));
}

TEST_P(WrongTransactionTest, HoldsTheOrderNoLongerThanTheQuarantine) {
  const Mutation mutation = Prepare(stack_, GetParam(), "wrong-transaction");
  const Mutation wrong = WithoutTarget(mutation, mutation.transaction);
  LoseAnswerOf(wrong);
  EXPECT_THAT(CallOnce(stack_.grpc(), mutation).text(), HasSubstr("ORDER_BUSY"));

  const Told right = CallUntilDefinite(stack_.grpc(), mutation);

  EXPECT_TRUE(right.result) << right.text();
  EXPECT_EQ(Effects(stack_, mutation), 1U);
  const std::optional<operations::v1::Operation> ended = ReadOperation(stack_.grpc(), wrong);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->state(), operations::v1::OPERATION_STATE_NOT_EXECUTED);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WrongOrderTest,
                         testing::Values(Kind::kInitiate, Kind::kCapture, Kind::kVoid,
                                         Kind::kRefund),
                         [](const auto& info) { return RpcOf(info.param); });
INSTANTIATE_TEST_SUITE_P(Kinds, WrongTransactionTest,
                         testing::Values(Kind::kInitiate, Kind::kCapture, Kind::kVoid),
                         [](const auto& info) { return RpcOf(info.param); });

}  // namespace
}  // namespace tollbridge::test
