#include "gateway/commands/operation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "services/ports/operation_types.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = operations::v1;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kId[] = "3f2504e0-4f89-51d3-9a0c-0305e82c3301";
constexpr char kOrder[] = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";

v1::Operation InReview() {
  v1::Operation operation;
  operation.set_id(kId);
  operation.set_rpc("tollbridge.payments.v1.Payments/CreateRefund");
  operation.set_project("shop");
  operation.set_state(v1::OPERATION_STATE_NEEDS_REVIEW);
  operation.set_review_reason(ports::review::kAbsentNotRepeatable);
  operation.set_attempt(2);
  operation.set_order_id(kOrder);
  operation.mutable_since()->set_seconds(1'767'225'700);
  v1::Step& step = *operation.add_steps();
  step.set_name("create_refund");
  step.set_state(v1::STEP_STATE_UNKNOWN);
  step.mutable_sent_at()->set_seconds(1'767'225'600);
  step.set_order_id(kOrder);
  step.set_transaction_id("99999999-93b1-4f7a-8a53-1d0f6a4c2b10");
  step.set_amount(1250);
  step.set_currency("EUR");
  v1::Transition& first = *operation.add_transitions();
  first.set_number(1);
  first.set_attempt(1);
  first.set_to(v1::OPERATION_STATE_RUNNING);
  first.mutable_time()->set_seconds(1'767'225'600);
  first.set_owner("gw-1/abc");
  v1::Transition& second = *operation.add_transitions();
  second.set_number(2);
  second.set_attempt(2);
  second.set_from(v1::OPERATION_STATE_UNKNOWN);
  second.set_to(v1::OPERATION_STATE_NEEDS_REVIEW);
  second.mutable_time()->set_seconds(1'767'225'700);
  second.set_owner("gw-2/def");
  second.set_evidence("no related order of that amount");
  return operation;
}

TEST(OperationTextTest, TheTableHasOneLineAnOperationUnderItsHeading) {
  v1::ListOperationsResponse list;
  *list.add_operations() = InReview();
  v1::Operation& running = *list.add_operations();
  running.set_id("aaaaaaaa-4f89-51d3-9a0c-0305e82c3301");
  running.set_state(v1::OPERATION_STATE_RUNNING);
  running.set_attempt(1);
  running.set_rpc("tollbridge.payments.v1.Payments/CreateOrder");
  EXPECT_EQ(OperationTable(list),
            "OPERATION                             STATE         SINCE                 ATTEMPT  "
            "RPC                    ORDER                                 REASON\n"
            "3f2504e0-4f89-51d3-9a0c-0305e82c3301  NEEDS_REVIEW  2026-01-01T00:01:40Z  2        "
            "Payments/CreateRefund  7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10  ABSENT_NOT_REPEATABLE\n"
            "aaaaaaaa-4f89-51d3-9a0c-0305e82c3301  RUNNING       -                     1        "
            "Payments/CreateOrder   -                                     -\n");
}

TEST(OperationTextTest, AnEmptyListSaysSo) {
  EXPECT_EQ(OperationTable(v1::ListOperationsResponse()), "no operations\n");
}

TEST(OperationTextTest, TheStoryTellsEachStepAndTransition) {
  const std::string story = OperationStory(InReview());
  EXPECT_THAT(story, HasSubstr("NEEDS_REVIEW since 2026-01-01T00:01:40Z"));
  EXPECT_THAT(story, HasSubstr("create_refund  UNKNOWN  sent 2026-01-01T00:00:00Z  order " +
                               std::string(kOrder)));
  EXPECT_THAT(story, HasSubstr("transaction 99999999-93b1-4f7a-8a53-1d0f6a4c2b10"));
  EXPECT_THAT(story, HasSubstr("1250 EUR in the smallest unit"));
  EXPECT_THAT(story, HasSubstr("2026-01-01T00:00:00Z  attempt 1  - -> RUNNING"));
  EXPECT_THAT(story, HasSubstr("attempt 2  UNKNOWN -> NEEDS_REVIEW  by gw-2/def"));
  EXPECT_THAT(story, HasSubstr("no related order of that amount"));
  EXPECT_EQ(story.find(" \n"), std::string::npos) << "no line ends in blanks";
  EXPECT_THAT(story, HasSubstr("tollbridge operations resolve " + std::string(kId)));
  EXPECT_THAT(story, HasSubstr("--project shop"));
}

TEST(OperationTextTest, EveryReasonAndEveryStateHasWordsOfItsOwn) {
  std::set<std::string> words;
  v1::Operation operation = InReview();
  for (const char* reason :
       {ports::review::kLateEffect, ports::review::kOrphanPaid, ports::review::kAmountDiffers,
        ports::review::kAbsentNotRepeatable, ports::review::kAmbiguous, "SOMETHING_NEWER"}) {
    operation.set_review_reason(reason);
    EXPECT_TRUE(words.insert(WhatToDo(operation)).second) << reason;
    EXPECT_THAT(WhatToDo(operation), HasSubstr("operations resolve"));
  }
  for (const auto state :
       {v1::OPERATION_STATE_RUNNING, v1::OPERATION_STATE_UNKNOWN, v1::OPERATION_STATE_DONE,
        v1::OPERATION_STATE_NOT_EXECUTED, v1::OPERATION_STATE_UNSPECIFIED}) {
    operation.set_state(state);
    EXPECT_TRUE(words.insert(WhatToDo(operation)).second) << state;
    EXPECT_THAT(WhatToDo(operation), Not(HasSubstr("operations resolve")));
  }
}

TEST(OperationTextTest, TextFromARecordCannotMoveTheTerminalsCursor) {
  v1::Operation operation = InReview();
  operation.mutable_transitions(1)->set_evidence("\x1b[2Jnothing\nto see");
  operation.mutable_transitions(1)->set_owner("a\rb");
  operation.set_order_id("\x1b]0;x\x07");
  v1::ListOperationsResponse list;
  *list.add_operations() = operation;
  for (const std::string& text : {OperationStory(operation), OperationTable(list)}) {
    EXPECT_EQ(text.find_first_of("\x1b\x07\r"), std::string::npos);
  }
  EXPECT_THAT(OperationStory(operation), HasSubstr("?[2Jnothing?to see"));
}

TEST(OperationTextTest, AnOperationThatBeganNothingIsToldToo) {
  v1::Operation operation;
  operation.set_id(kId);
  operation.set_state(v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_THAT(OperationStory(operation), HasSubstr("none was begun"));
}

}  // namespace
}  // namespace tollbridge::gateway
