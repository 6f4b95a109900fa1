#include <gtest/gtest.h>

#include <vector>

#include "services/domain/errors.h"
#include "tests/contract/store_world.h"
#include "tests/support/fails_with.h"

namespace tollbridge::test {
namespace {

using ports::DueOrder;

class DueQueue : public StoreContractTest {
 protected:
  static constexpr WallTime kNow{ports::Millis(1'800'000'000'123)};
  static constexpr ports::Millis kMoveBy{60'000};

  static ports::FamilyKey Key(std::uint8_t number, std::string project = "shop") {
    return {.project = std::move(project), .root = Uuid::V4({0xbb, number})};
  }
  void Enter(const ports::FamilyKey& key, WallTime due) {
    ASSERT_TRUE(Run(world_->due_queue().Enter(key, due, Within())).ok());
  }
  std::vector<DueOrder> Take(WallTime now, std::size_t limit = 100) {
    absl::StatusOr<std::vector<DueOrder>> taken =
        Run(world_->due_queue().Take("shop", now, moves_, limit, Within()));
    EXPECT_TRUE(taken.ok()) << taken.status();
    return taken.ok() ? *taken : std::vector<DueOrder>{};
  }
  std::optional<WallTime> Oldest() {
    const absl::StatusOr<std::vector<DueOrder>> first =
        Run(world_->due_queue().First("shop", 1, Within()));
    EXPECT_TRUE(first.ok()) << first.status();
    if (!first.ok() || first->empty()) return std::nullopt;
    return first->front().due;
  }
  WallTime Due(const ports::FamilyKey& key) {
    const absl::StatusOr<ports::FamilyState> state = Run(world_->snapshots().Load(key, Within()));
    EXPECT_TRUE(state.ok() && state->due);
    return state.ok() ? state->due.value_or(WallTime()) : WallTime();
  }

  std::vector<ports::Millis> moves_ = {kMoveBy};
};

INSTANTIATE_TEST_SUITE_P(Stores, DueQueue, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(DueQueue, AnEmptyQueueHasNoOldestAndGivesNothing) {
  EXPECT_EQ(Oldest(), std::nullopt);
  EXPECT_TRUE(Take(kNow).empty());
}

TEST_P(DueQueue, TakeGivesWhatIsDueOldestFirstUpToTheLimit) {
  Enter(Key(1), kNow - ports::Millis(10));
  Enter(Key(2), kNow - ports::Millis(30));
  Enter(Key(3), kNow);
  Enter(Key(4), kNow + ports::Millis(1));
  EXPECT_EQ(Oldest(), kNow - ports::Millis(30));

  const std::vector<DueOrder> first = Take(kNow, 2);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].key, Key(2));
  EXPECT_EQ(first[0].due, kNow - ports::Millis(30));
  EXPECT_EQ(first[1].key, Key(1));
  const std::vector<DueOrder> second = Take(kNow, 2);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].key, Key(3));
}

TEST_P(DueQueue, TakeMovesForwardSoThatADeadTakerLosesNothing) {
  Enter(Key(1), kNow);
  ASSERT_EQ(Take(kNow).size(), 1U);
  EXPECT_EQ(Oldest(), kNow + kMoveBy);
  EXPECT_TRUE(Take(kNow + kMoveBy - ports::Millis(1)).empty());
  const std::vector<DueOrder> again = Take(kNow + kMoveBy);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].due, kNow + kMoveBy);
}

TEST_P(DueQueue, TakeMovesFurtherWhileNobodyElseSetsTheTime) {
  moves_ = {ports::Millis(1'000), ports::Millis(2'000), ports::Millis(4'000)};
  Enter(Key(1), kNow);
  WallTime now = kNow;
  for (const int moved : {1'000, 2'000, 4'000, 4'000}) {
    ASSERT_EQ(Take(now).size(), 1U);
    EXPECT_EQ(Oldest(), now + ports::Millis(moved));
    EXPECT_EQ(Due(Key(1)), Oldest());
    EXPECT_TRUE(Take(*Oldest() - ports::Millis(1)).empty());
    now = *Oldest();
  }
  const std::vector<DueOrder> first = *Run(world_->due_queue().First("shop", 10, Within()));
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].taken, 4U);

  // The reader sets it, and sees a time without a fraction.
  ASSERT_TRUE(Run(world_->due_queue().Set(Key(1), now + ports::Millis(30), now, Within())).ok());
  const std::vector<DueOrder> again = Take(now + ports::Millis(30));
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].taken, 0U);
  EXPECT_EQ(Oldest(), now + ports::Millis(1'030));
  ASSERT_TRUE(Run(world_->due_queue().RemoveIf(Key(1), *Oldest(), Within())).ok());
  EXPECT_EQ(Oldest(), std::nullopt);
}

TEST_P(DueQueue, ATakenOrderIsStillTheOneThatWasSeen) {
  Enter(Key(1), kNow);
  ASSERT_EQ(Take(kNow).size(), 1U);
  ports::SaveRequest save{.key = Key(1),
                          .expected_version = 0,
                          .snapshot = {},
                          .outbox = {},
                          .next_due = kNow + kMoveBy * 10,
                          .seen_due = Due(Key(1)),
                          .retention = std::chrono::hours(1)};
  const std::string project = "shop";
  const std::vector<Uuid> orders = {Key(1).root};
  const auto known = Run(world_->known_orders().LookAt(project, orders, Within()));
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(known->at(0).due, save.seen_due);
  ASSERT_EQ(*SaveFamily(save), ports::SaveVerdict::kSaved);
  EXPECT_EQ(Oldest(), kNow + kMoveBy * 10);
}

// As when a store goes back to between the publication and its end: nobody has a reason to read it.
TEST_P(DueQueue, AFamilyWhoseOutboxStaysPendingBecomesDue) {
  constexpr auto kLater = std::chrono::hours(1);
  ports::SaveRequest save{.key = Key(1),
                          .expected_version = 0,
                          .snapshot = {},
                          .outbox = {},
                          .next_due = kNow + kLater,
                          .seen_due = std::nullopt,
                          .retention = std::chrono::days(400)};
  save.noticed_at = kNow;
  save.snapshot.set_stream("stream");
  save.outbox.add_entries()->set_key("key");
  ASSERT_EQ(*SaveFamily(save), ports::SaveVerdict::kSaved);
  const absl::StatusOr<ports::FamilyState> saved = Run(world_->snapshots().Load(Key(1), Within()));
  ASSERT_TRUE(saved.ok());

  EXPECT_TRUE(Take(kNow + kMoveBy - ports::Millis(1)).empty());
  EXPECT_EQ(Oldest(), kNow + kLater) << "its reader may be about to publish it";
  EXPECT_TRUE(Take(kNow + kMoveBy).empty());
  EXPECT_EQ(Oldest(), kNow + 2 * kMoveBy);
  EXPECT_TRUE(Take(kNow + 2 * kMoveBy - ports::Millis(1)).empty());
  EXPECT_EQ(Take(kNow + 2 * kMoveBy).size(), 1U);
  EXPECT_TRUE(Take(kNow + 2 * kMoveBy).empty()) << "one that was taken has its own time";
  EXPECT_EQ(Oldest(), kNow + 3 * kMoveBy);

  ASSERT_TRUE(
      *Run(world_->snapshots().ClearOutbox(Key(1), saved->outbox_version, saved->epoch, Within())));
  ASSERT_TRUE(
      Run(world_->due_queue().Set(Key(1), kNow + kLater, kNow + 3 * kMoveBy, Within())).ok());
  EXPECT_TRUE(Take(kNow + 10 * kMoveBy).empty());
  EXPECT_EQ(Oldest(), kNow + kLater);
}

TEST_P(DueQueue, TakeCountsFurtherThanAnybodyWaits) {
  moves_ = {ports::Millis(1)};
  Enter(Key(1), kNow);
  for (int i = 0; i < 1030; ++i) ASSERT_EQ(Take(kNow + ports::Millis(i)).size(), 1U) << i;
  EXPECT_EQ(Oldest(), kNow + ports::Millis(1030));
}

TEST_P(DueQueue, EnterKeepsTheEarlierTimeButForAMillisecond) {
  Enter(Key(1), kNow);
  Enter(Key(1), kNow + ports::Millis(500));
  EXPECT_EQ(Oldest(), kNow + ports::Millis(1));
  Enter(Key(1), kNow - ports::Millis(500));
  EXPECT_EQ(Oldest(), kNow - ports::Millis(500));
  EXPECT_EQ(Take(kNow).size(), 1U);
}

TEST_P(DueQueue, WhatIsEnteredAgainIsNotTakenOutByWhoHasSeenIt) {
  for (const ports::Millis later : {ports::Millis(0), ports::Millis(1), ports::Millis(60'000)}) {
    Enter(Key(1), kNow);
    const WallTime seen = *Oldest();
    Enter(Key(1), seen + later);
    ASSERT_TRUE(Run(world_->due_queue().RemoveIf(Key(1), seen, Within())).ok());
    EXPECT_NE(Oldest(), std::nullopt) << later.count();
  }
}

TEST_P(DueQueue, EnterKeepsHowOftenAFamilyWasTaken) {
  moves_ = {ports::Millis(1), kMoveBy * 10};
  Enter(Key(1), kNow);
  ASSERT_EQ(Take(kNow).size(), 1U);
  Enter(Key(1), kNow + ports::Millis(500));
  ASSERT_EQ(Oldest(), kNow + ports::Millis(2));
  ASSERT_EQ(Take(kNow + ports::Millis(2)).size(), 1U);
  EXPECT_EQ(Oldest(), kNow + ports::Millis(2) + kMoveBy * 10);
}

TEST_P(DueQueue, RemoveIfLeavesATimeThatWasSetMeanwhile) {
  const auto remove_if = [&](WallTime seen) {
    return Run(world_->due_queue().RemoveIf(Key(1), seen, Within()));
  };
  Enter(Key(1), kNow);
  ASSERT_TRUE(remove_if(kNow + ports::Millis(1)).ok());
  EXPECT_EQ(Oldest(), kNow);
  ASSERT_TRUE(remove_if(kNow).ok());
  EXPECT_EQ(Oldest(), std::nullopt);
  ASSERT_TRUE(remove_if(kNow).ok()) << "it is out";
}

TEST_P(DueQueue, SetMovesAFamilyThatStillIsWhatWasSeen) {
  const auto set = [&](WallTime due, std::optional<WallTime> seen) {
    EXPECT_TRUE(Run(world_->due_queue().Set(Key(1), due, seen, Within())).ok());
    return Oldest();
  };
  const ports::Millis step(1000);
  EXPECT_EQ(set(kNow, std::nullopt), kNow);
  EXPECT_EQ(set(kNow + step * 5, kNow), kNow + step * 5) << "later, too";
  // Another has set it meanwhile: the earlier one.
  EXPECT_EQ(set(kNow + step * 9, kNow), kNow + step * 5);
  EXPECT_EQ(set(kNow + step * 9, std::nullopt), kNow + step * 5);
  EXPECT_EQ(set(kNow + step * 3, kNow), kNow + step * 3);
  // Another has taken it out meanwhile: it comes again, since nobody knows why.
  ASSERT_TRUE(Run(world_->due_queue().RemoveIf(Key(1), kNow + step * 3, Within())).ok());
  EXPECT_EQ(set(kNow + step, kNow + step * 3), kNow + step);
}

TEST_P(DueQueue, NotesWhenAnOrderWasFirstNoticedUntilItIsReadOrTakenOut) {
  using ports::Noticed;
  const auto note = [&](const Noticed& noticed) {
    EXPECT_TRUE(Run(world_->due_queue().Note(Key(1), noticed, Within())).ok());
    return Run(world_->snapshots().Load(Key(1), Within()))->noticed;
  };
  const ports::Millis step(1000);
  EXPECT_EQ(note({.at = kNow}), (Noticed{.at = kNow}));
  EXPECT_EQ(note({.at = kNow + step}), (Noticed{.at = kNow})) << "the earliest";
  EXPECT_EQ(note({.at = kNow - step}), (Noticed{.at = kNow - step}));
  EXPECT_EQ(note({.at = kNow, .seen = true}), (Noticed{.at = kNow - step, .seen = true}));
  EXPECT_EQ(note({.at = kNow - step * 2}), (Noticed{.at = kNow - step * 2, .seen = true}));

  Enter(Key(1), kNow);
  ASSERT_TRUE(Run(world_->due_queue().RemoveIf(Key(1), kNow + step, Within())).ok());
  EXPECT_TRUE(Run(world_->snapshots().Load(Key(1), Within()))->noticed) << "it is still due";
  ASSERT_TRUE(Run(world_->due_queue().RemoveIf(Key(1), kNow, Within())).ok());
  EXPECT_FALSE(Run(world_->snapshots().Load(Key(1), Within()))->noticed);

  EXPECT_EQ(note({.at = kNow}), (Noticed{.at = kNow}));
  ports::SaveRequest save{.key = Key(1),
                          .expected_version = 0,
                          .snapshot = {},
                          .outbox = {},
                          .next_due = kNow,
                          .seen_due = std::nullopt,
                          .retention = std::chrono::hours(1)};
  ASSERT_EQ(*SaveFamily(save), ports::SaveVerdict::kSaved);
  EXPECT_EQ(note({.at = kNow}), std::nullopt) << "the snapshot says when its life began";
}

TEST_P(DueQueue, WhileNobodyServesEveryCallIsUnavailable) {
  Enter(Key(1), kNow);
  world_->Stop();
  for (const absl::Status& status :
       {Run(world_->due_queue().Take("shop", kNow, moves_, 1, Within())).status(),
        Run(world_->due_queue().Enter(Key(1), kNow, Within())),
        Run(world_->due_queue().Set(Key(1), kNow + kMoveBy, kNow, Within())),
        Run(world_->due_queue().Note(Key(1), {.at = kNow}, Within())),
        Run(world_->due_queue().RemoveIf(Key(1), kNow, Within())),
        Run(world_->due_queue().First("shop", 1, Within())).status()}) {
    EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  }
  world_->Restart();
  EXPECT_EQ(Oldest(), kNow);
}

}  // namespace
}  // namespace tollbridge::test
