// What the people on call do about an operation that needs them: find it, read its story, close it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/support/mutations.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// One stack for all tests of this suite; each has a refund of its own, which is lost.
class OperatorsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ = std::make_unique<Stack>(
        StackOptions{.settings = ShortIntervals(), .sandbox_arguments = ImmediateSandbox()});
  }
  static void TearDownTestSuite() { stack_.reset(); }

  void SetUp() override {
    refund_ = Prepare(stack(), Kind::kRefund,
                      testing::UnitTest::GetInstance()->current_test_info()->name());
    stack().SandboxFaults(R"({"rules":[{"on":{"operation":"create_refund","nth":1},)"
                          R"("fault":{"kind":"drop_before"}}]})");
    const Told told = CallUntilDefinite(stack().grpc(), refund_);
    EXPECT_TRUE(told.pending) << told.text();
    id_ = OperationIdOf(refund_);
  }

  static Stack& stack() { return *stack_; }

  static Finished Operations(std::vector<std::string> arguments) {
    std::vector<std::string> command = {"operations"};
    for (std::string& argument : arguments) command.push_back(std::move(argument));
    command.insert(command.end(), {"--address", stack().grpc_address()});
    return stack().Tollbridge(command);
  }

  Mutation refund_;
  std::string id_;

 private:
  static inline std::unique_ptr<Stack> stack_;
};

TEST_F(OperatorsTest, FindReadAndCloseARefundThatIsLost) {
  const Finished listed = Operations({"list"});
  EXPECT_EQ(listed.code, 0) << listed.error;
  EXPECT_THAT(listed.output, AllOf(HasSubstr(id_), HasSubstr("ABSENT_NOT_REPEATABLE")));

  const Finished shown = Operations({"show", id_});
  EXPECT_EQ(shown.code, 0) << shown.error;
  EXPECT_THAT(shown.output, AllOf(HasSubstr("claimed"), HasSubstr("absent after the quarantine"),
                                  HasSubstr(refund_.order)));

  const Finished closed = Operations({"resolve", id_, "--as", "not-executed", "--note",
                                      "the service has no such refund", "--yes"});
  EXPECT_EQ(closed.code, 0) << closed.error;
  EXPECT_THAT(Operations({"show", id_}).output,
              AllOf(HasSubstr("the service has no such refund"), HasSubstr("local")));
  EXPECT_THAT(Operations({"list"}).output, Not(HasSubstr(id_)));

  const Told again = CallUntilDefinite(stack().grpc(), refund_);
  EXPECT_TRUE(again.order) << again.text();
  EXPECT_EQ(Effects(stack(), refund_), 1U);
}

TEST_F(OperatorsTest, AFilterReadsTheEvidenceShowsAndThenCloses) {
  const std::vector<std::string> filter = {"resolve", "--reason", "ABSENT_NOT_REPEATABLE", "--as",
                                           "evidence"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), filter.begin(), filter.end());
    return Operations(more);
  };
  const Finished shown = with({"--dry-run"});
  EXPECT_EQ(shown.code, 0) << shown.error;
  EXPECT_THAT(shown.output, AllOf(HasSubstr(id_), HasSubstr("absent"), HasSubstr("not-executed")));
  EXPECT_THAT(Operations({"list"}).output, HasSubstr(id_));

  const Finished unasked = with({"--note", "case 4711"});
  EXPECT_EQ(unasked.code, 2) << unasked.error;
  EXPECT_THAT(Operations({"list"}).output, HasSubstr(id_));
  EXPECT_THAT(with({"--older-than", "1d", "--note", "case 4711", "--yes"}).output,
              HasSubstr("no operations"));

  const Finished closed = with({"--note", "case 4711", "--yes"});
  EXPECT_EQ(closed.code, 0) << closed.error;
  EXPECT_THAT(Operations({"list"}).output, HasSubstr("no operations"));
  EXPECT_THAT(Operations({"show", id_}).output,
              AllOf(HasSubstr("case 4711"), HasSubstr("NOT_EXECUTED"), HasSubstr("local")));
  const Told again = CallUntilDefinite(stack().grpc(), refund_);
  EXPECT_TRUE(again.order) << again.text();
  EXPECT_EQ(Effects(stack(), refund_), 1U);
}

TEST_F(OperatorsTest, WhatIsClosedAsDoneWithoutEvidenceHasNoResult) {
  const Finished closed =
      Operations({"resolve", id_, "--as", "done", "--note", "paid back by hand", "--yes"});
  EXPECT_EQ(closed.code, 0) << closed.error;
  const Told again = CallOnce(stack().grpc(), refund_);
  EXPECT_THAT(again.text(), HasSubstr("RESULT_NOT_KEPT"));
  EXPECT_EQ(Effects(stack(), refund_), 0U);
}

TEST_F(OperatorsTest, OnlyWhatNeedsReviewIsClosedByAPerson) {
  Operations({"resolve", id_, "--as", "not-executed", "--note", "first", "--yes"});
  const Finished twice = Operations({"resolve", id_, "--as", "done", "--note", "second", "--yes"});
  EXPECT_EQ(twice.code, 1);
  EXPECT_THAT(twice.error, HasSubstr("OPERATION_NOT_IN_REVIEW"));
}

}  // namespace
}  // namespace tollbridge::test
