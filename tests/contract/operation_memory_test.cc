// A server without memory refuses what takes some, whole; scripts that it forgot are given again;
// what a call costs.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/fails_with.h"
#include "tests/support/operation_records.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using ports::ClaimVerdict;
using ports::DueOperation;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::OperationState;

class OperationMemory : public OperationStoreContractTest {
 protected:
  /// One operation in each state, and one whose lease has ended.
  void SetUp() override {
    Claim(Identity(kRunning, kOrder));
    world_->AdvanceTime(kLease);
    for (const auto& [number, state] :
         {std::pair(kUnknown, operations::v1::OPERATION_STATE_UNKNOWN),
          std::pair(kDone, operations::v1::OPERATION_STATE_DONE),
          std::pair(kNotExecuted, operations::v1::OPERATION_STATE_NOT_EXECUTED),
          std::pair(kReview, operations::v1::OPERATION_STATE_NEEDS_REVIEW)}) {
      Claim(Identity(number));
      ASSERT_EQ(Finish(Result(Identity(number), state)), FinishVerdict::kRecorded);
    }
    due_ = TakeDue(1).to_look_at.at(0);
    Claim(Identity(kLive));
  }

  static void Append(const redis::Reply& reply, std::string& text) {
    text += reply.text + "/" + std::to_string(reply.integer) + "\n";
    for (const redis::Reply& element : reply.elements) Append(element, text);
  }
  /// All that the scripts keep of these operations.
  std::string Everything() {
    std::string text;
    for (std::uint8_t number = 1; number <= 12; ++number) {
      Append(world_->Ask({"GET", RecordKey(Id(number))}), text);
    }
    for (const char* order : {kOrder, kOtherOrder}) {
      const std::string packed = Uuid::Parse(order)->ToBytes();
      Append(world_->Ask({"GET", test::ShopKeys() + "g:" + packed}), text);
      Append(world_->Ask({"EXISTS", test::ShopKeys() + "n:" + packed}), text);
      Append(world_->Ask({"HGETALL", test::ShopKeys() + "f:" + packed}), text);
      Append(world_->Ask({"ZRANGE", test::ShopKeys() + "i:" + order, "0", "-1", "WITHSCORES"}),
             text);
    }
    for (const char* index : {"running", "unknown", "needs_review", "due"}) {
      Append(world_->Ask(
                 {"ZRANGE", test::ShopKeys() + "operations:" + index, "0", "-1", "WITHSCORES"}),
             text);
    }
    Append(world_->Ask({"ZRANGE", test::ShopKeys() + "due", "0", "-1", "WITHSCORES"}), text);
    Append(world_->Ask({"XRANGE", test::ShopKeys() + "operations:transitions", "-", "+"}), text);
    Append(world_->Ask({"HGETALL", test::ShopKeys() + "operations:reviews"}), text);
    Append(world_->Ask({"HGETALL", "tb:epoch"}), text);
    return text;
  }
  static constexpr std::uint8_t kRunning = 1;
  static constexpr std::uint8_t kUnknown = 2;
  static constexpr std::uint8_t kDone = 3;
  static constexpr std::uint8_t kNotExecuted = 4;
  static constexpr std::uint8_t kReview = 5;
  static constexpr std::uint8_t kLive = 6;
  static constexpr std::uint8_t kNew = 7;

  struct Call {
    std::string name;
    std::function<absl::Status()> run;
  };
  /// Every call that changes something and takes memory.
  std::vector<Call> Changes() {
    return {
        {"claim of a new key", [this] { return TryClaim(Identity(kNew, kOtherOrder)).status(); }},
        {"claim of another attempt", [this] { return TryClaim(Identity(kNotExecuted)).status(); }},
        {"release",
         [this] {
           return Run(world_->operations().Release(Identity(kLive), "owner-1", Within()));
         }},
        {"begin step", [this] { return BeginStep(Identity(kLive), 1, "owner-1"); }},
        {"finish done", [this] { return TryFinish(kLive, operations::v1::OPERATION_STATE_DONE); }},
        {"finish unknown",
         [this] { return TryFinish(kLive, operations::v1::OPERATION_STATE_UNKNOWN); }},
        {"finish review",
         [this] { return TryFinish(kUnknown, operations::v1::OPERATION_STATE_NEEDS_REVIEW); }},
        {"finish without a record",
         [this] { return TryFinish(kNew, operations::v1::OPERATION_STATE_DONE); }},
        {"late effect",
         [this] { return TryFinish(kNotExecuted, operations::v1::OPERATION_STATE_DONE); }},
        {"orphan",
         [this] { return TryFinish(kNotExecuted, operations::v1::OPERATION_STATE_DONE, true); }},
        {"take due",
         [this] {
           return Run(world_->unresolved().TakeDue("shop", 10, "token-2", kLease, Within()))
               .status();
         }},
        {"reschedule",
         [this] {
           return Run(world_->unresolved().Reschedule(due_, "token-1",
                                                      {.after = kLease, .misses = 1}, Within()))
               .status();
         }},
        {"pull due", [this] { return Run(world_->unresolved().PullDue("shop", Within())); }},
        {"close",
         [this] {
           return Run(world_->registry().Close({.project = "shop",
                                                .id = Id(kReview),
                                                .to = operations::v1::OPERATION_STATE_DONE,
                                                .order = Entry()},
                                               Within()))
               .status();
         }},
        {"judge mark",
         [this] {
           return Run(world_->registry().JudgeMark(
                          {.operation = Id(kNotExecuted), .epoch = epoch_, .attempt = 1},
                          Entry(kOtherOrder).key, true, Within()))
               .status();
         }},
    };
  }
  absl::Status TryFinish(std::uint8_t number, OperationState to, bool orphan = false) {
    FinishRequest request = Result(Identity(number), to);
    request.step = Step(kOtherOrder);
    request.order = Entry(kOtherOrder);
    request.created_order = true;
    request.late_effect_is_orphan = orphan;
    return Run(world_->operations().Finish(request, Within())).status();
  }

  DueOperation due_;
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationMemory,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationMemory, WithoutMemoryEveryChangeIsRefusedAndNothingIsHalfDone) {
  const std::string before = Everything();
  world_->SetOutOfMemory(true);
  for (const Call& call : Changes()) {
    const absl::Status status = call.run();
    EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable))
        << call.name;
    EXPECT_EQ(Everything(), before) << call.name;
  }
  world_->SetOutOfMemory(false);
  for (const Call& call : Changes()) {
    world_->AdvanceTime(ports::Millis(1));
    const std::string unchanged = Everything();
    static_cast<void>(call.run());
    EXPECT_NE(Everything(), unchanged) << call.name << " was no change at all";
    world_ = GetParam().make();
    SetUp();
  }
}

TEST_P(OperationMemory, WithoutMemoryReadsAndDrainingGoOn) {
  world_->SetOutOfMemory(true);
  EXPECT_TRUE(TryRead(Id(kDone)).ok());
  EXPECT_TRUE(Run(world_->registry().List({.project = "shop"}, Within())).ok());
  EXPECT_EQ(Survey().unknown, 2U);
  const auto taken = Run(world_->outbox().Take("shop", 100, kLease, Within()));
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->size(), 11U);
  EXPECT_TRUE(Run(world_->outbox().Drained("shop", *taken, Within())).ok());
  EXPECT_EQ(world_->Ask({"XLEN", test::ShopKeys() + "operations:transitions"}).integer, 0);
  world_->AdvanceTime(std::chrono::hours(73));
  EXPECT_EQ(Run(world_->outbox().Retire("shop", 100, Within())).value_or(0), 2U);
  EXPECT_EQ(world_->Ask({"EXISTS", RecordKey(Id(kDone))}).integer, 0);
}

TEST_P(OperationMemory, ScriptsThatTheServerForgotAreGivenAgain) {
  world_->Ask({"SCRIPT", "FLUSH"});
  for (const Call& call : Changes()) {
    const absl::Status status = call.run();
    EXPECT_NE(status.code(), absl::StatusCode::kUnavailable) << call.name << ": " << status;
    EXPECT_NE(status.code(), absl::StatusCode::kInternal) << call.name << ": " << status;
    world_->Ask({"SCRIPT", "FLUSH"});
  }
}

TEST_P(OperationMemory, AMutationOfOneStepCostsTwoRoundTripsAndEachFurtherStepOne) {
  Release(Identity(kLive));
  ASSERT_TRUE(TryClaim(Identity(kLive)).ok());
  ASSERT_TRUE(BeginStep(Identity(kLive), 2, "owner-1").ok());
  const std::uint64_t before = world_->round_trips();
  ASSERT_EQ(Claim(Identity(kNew)).verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(world_->round_trips(), before + 1);
  ASSERT_TRUE(BeginStep(Identity(kNew), 1, "owner-1").ok());
  EXPECT_EQ(world_->round_trips(), before + 2);
  ASSERT_TRUE(TryFinish(kNew, operations::v1::OPERATION_STATE_DONE).ok());
  EXPECT_EQ(world_->round_trips(), before + 3);
}

}  // namespace
}  // namespace tollbridge::test
