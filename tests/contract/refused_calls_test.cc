#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>
#include <vector>

#include "services/domain/errors.h"
#include "tests/contract/operation_store_fixture.h"
#include "tests/support/fails_with.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using operations::v1::OperationRecord;
using ports::UndrainedRecord;
using testing::ElementsAre;
using testing::IsEmpty;

class RefusedCalls : public OperationStoreContractTest {
 protected:
  using Records = std::vector<UndrainedRecord>;

  static OperationRecord Record(int number) {
    OperationRecord record;
    record.set_project("shop");
    record.mutable_privileged()->set_id(absl::StrCat("action-", number));
    record.mutable_privileged()->set_who("spiffe://shop.example/web");
    operations::v1::RefusedCall& call = *record.mutable_privileged()->mutable_refused_call();
    call.set_rpc("tollbridge.operations.v1.Operations/ResolveOperation");
    call.set_permission("operations.resolve");
    call.set_left_out(7);
    return record;
  }
  absl::StatusOr<bool> TryNote(int number, const std::string& project = "shop") {
    return Run(world_->refused_calls().Note(project, Record(number), Within()));
  }
  bool Note(int number) {
    const absl::StatusOr<bool> kept = TryNote(number);
    EXPECT_TRUE(kept.ok()) << kept.status();
    return kept.value_or(false);
  }
  ports::RefusedCallsPage Page(const std::string& next, std::size_t limit) {
    absl::StatusOr<ports::RefusedCallsPage> page =
        Run(world_->refused_calls().Take("shop", next, limit, Within()));
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? *std::move(page) : ports::RefusedCallsPage{};
  }
  Records Take() { return Page("", 100).records; }
  void Drain(const Records& records) {
    const absl::Status drained = Run(world_->refused_calls().Drained("shop", records, Within()));
    EXPECT_TRUE(drained.ok()) << drained;
  }
  static std::vector<std::string> Ids(const Records& records) {
    std::vector<std::string> ids;
    for (const UndrainedRecord& one : records) ids.push_back(one.record.privileged().id());
    return ids;
  }
  /// Puts entries with this value into the stream, however full it is.
  void Put(int count, const std::string& value) {
    static constexpr const char* kScript =
        "for i = 1, tonumber(ARGV[2]) do redis.call('XADD', ARGV[1], '*', 'r', ARGV[3]) end";
    world_->Ask({"EVAL", kScript, "0", Stream(), absl::StrCat(count), value});
  }
  std::int64_t Kept() { return world_->Ask({"XLEN", Stream()}).integer; }
  static std::string Stream() { return ShopKeys() + "operations:refused"; }
};

INSTANTIATE_TEST_SUITE_P(Stores, RefusedCalls, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(RefusedCalls, AreTakenAsTheyWereNotedOldestFirst) {
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(Note(i));
  const Records taken = Take();
  EXPECT_THAT(Ids(taken), ElementsAre("action-1", "action-2", "action-3"));
  EXPECT_EQ(taken.at(0).record.SerializeAsString(), Record(1).SerializeAsString());
  EXPECT_EQ(Take().at(0).record.SerializeAsString(), Record(1).SerializeAsString())
      << "what is not drained comes again, as an exact copy";
}

TEST_P(RefusedCalls, WhatIsDrainedIsNotTakenAgain) {
  for (int i = 1; i <= 3; ++i) Note(i);
  const Records taken = Take();
  Drain({taken.at(1)});
  EXPECT_THAT(Ids(Take()), ElementsAre("action-1", "action-3"));
  Drain(taken);
  EXPECT_THAT(Take(), IsEmpty());
  Drain(taken);
  Drain({});
  EXPECT_TRUE(Note(4));
  EXPECT_THAT(Ids(Take()), ElementsAre("action-4"));
}

TEST_P(RefusedCalls, PagesEndWithTheLastOne) {
  for (int i = 1; i <= 5; ++i) Note(i);
  const ports::RefusedCallsPage first = Page("", 2);
  EXPECT_THAT(Ids(first.records), ElementsAre("action-1", "action-2"));
  Drain({first.records.at(1)});
  const ports::RefusedCallsPage second = Page(first.next, 2);
  EXPECT_THAT(Ids(second.records), ElementsAre("action-3", "action-4"));
  const ports::RefusedCallsPage last = Page(second.next, 2);
  EXPECT_THAT(Ids(last.records), ElementsAre("action-5"));
  EXPECT_EQ(last.next, "");
}

TEST_P(RefusedCalls, AStreamThatNobodyDrainsKeepsNoNewOne) {
  ASSERT_TRUE(Note(1));
  Put(static_cast<int>(ports::kMostRefusedCalls) - 2, "filler");
  EXPECT_TRUE(Note(2));
  EXPECT_FALSE(Note(3));
  EXPECT_EQ(Kept(), static_cast<std::int64_t>(ports::kMostRefusedCalls));
  Drain({Page("", 1).records.at(0)});
  EXPECT_TRUE(Note(4)) << "there is room again";
  EXPECT_FALSE(Note(5));
}

/// They must not hold up calls, nor the transitions of those.
TEST_P(RefusedCalls, AFullStreamRefusesNoClaimAndNoTransition) {
  ASSERT_TRUE(Note(1));
  Put(static_cast<int>(ports::kMostRefusedCalls) - 1, "filler");
  ASSERT_FALSE(Note(2));
  EXPECT_EQ(Survey().oldest_record, ports::Millis(0)) << "which is of transitions alone";
  world_->SetMaxUndrained(1);
  EXPECT_EQ(Claim(Identity(1)).verdict, ports::ClaimVerdict::kClaimed);
  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            ports::FinishVerdict::kRecorded);
  EXPECT_EQ(world_->Ask({"XLEN", ShopKeys() + "operations:transitions"}).integer, 2);
}

TEST_P(RefusedCalls, WhatCannotBeReadStaysAndHoldsUpNoOther) {
  Put(3, "\xff\xff");
  Note(1);
  OperationRecord transition;
  transition.set_operation_id("an operation's");
  Put(1, transition.SerializeAsString());
  Note(2);
  EXPECT_THAT(Ids(Take()), ElementsAre("action-1", "action-2"));
  const ports::RefusedCallsPage unreadable = Page("", 3);
  EXPECT_THAT(unreadable.records, IsEmpty());
  EXPECT_THAT(Ids(Page(unreadable.next, 3).records), ElementsAre("action-1", "action-2"));
  Drain(Take());
  EXPECT_EQ(Kept(), 4);
}

TEST_P(RefusedCalls, AreTakenAndDrainedWithoutMemoryAndNotNoted) {
  Note(1);
  world_->SetOutOfMemory(true);
  EXPECT_THAT(TryNote(2), FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  const Records taken = Take();
  EXPECT_THAT(Ids(taken), ElementsAre("action-1"));
  Drain(taken);
  EXPECT_EQ(Kept(), 0);
}

TEST_P(RefusedCalls, AStoreThatIsAwayAndAProjectThatItDoesNotKeepAreErrors) {
  EXPECT_EQ(TryNote(1, "nobody's").status().code(), StatusCode::kFailedPrecondition);
  world_->Stop();
  EXPECT_THAT(TryNote(1), FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  EXPECT_THAT(Run(world_->refused_calls().Take("shop", "", 10, Within())).status(),
              FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  EXPECT_THAT(Run(world_->refused_calls().Drained("shop", {}, Within())),
              FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
}

}  // namespace
}  // namespace tollbridge::test
