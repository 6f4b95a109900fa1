// Going through all families, and asking that one is told again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "services/domain/timestamps.h"
#include "tests/contract/store_world.h"
#include "tests/support/fails_with.h"
#include "tests/support/test_keyspace.h"
#include "tests/support/told_state.h"

namespace tollbridge::test {
namespace {

using ports::FamilyState;
using ports::SaveRequest;
using ports::SaveVerdict;
using ports::TellAgain;
using ports::TellAgainVerdict;
using testing::Contains;
using testing::Not;

class FamilyWalk : public StoreContractTest {
 protected:
  static constexpr WallTime kDue{ports::Millis(1'800'000'000'000)};
  static constexpr TellAgain kAll{.from = WallTime(ports::Millis(1'700'000'000'000))};

  static ports::FamilyKey Key(std::uint16_t number, std::string project = "shop") {
    return {.project = std::move(project),
            .root = Uuid::V4({static_cast<std::uint8_t>(number), 0xbb,
                              static_cast<std::uint8_t>(number >> 8U)})};
  }
  /// Of a family that has come to its end.
  static SaveRequest Ended(const ports::FamilyKey& key, std::uint64_t version = 0) {
    SaveRequest request{.key = key,
                        .expected_version = version,
                        .snapshot = {},
                        .outbox = {},
                        .next_due = kDue,
                        .seen_due = std::nullopt,
                        .retention = std::chrono::days(400)};
    request.snapshot.set_stream(std::string(16, 's'));
    request.snapshot.set_sequence(2);
    *request.snapshot.mutable_root() = test::ToldState({events::v1::EVENT_WHAT_COMPLETED});
    return request;
  }
  void Save(const SaveRequest& request) {
    const absl::StatusOr<SaveVerdict> verdict = SaveFamily(request);
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    ASSERT_EQ(*verdict, SaveVerdict::kSaved);
  }
  void Settle(const ports::FamilyKey& key) {
    SaveRequest last = Ended(key, 1);
    last.next_due = std::nullopt;
    last.seen_due = kDue;
    Save(last);
  }
  FamilyState Load(const ports::FamilyKey& key) {
    return Run(world_->snapshots().Load(key, Within())).value();
  }
  TellAgainVerdict Ask(const ports::FamilyKey& key, const TellAgain& what, WallTime due) {
    const auto verdict = Run(world_->snapshots().AskToTellAgain(
        {.key = key, .what = what, .due = due, .retention = std::chrono::days(1)}, Within()));
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(TellAgainVerdict::kUnknown);
  }
  /// The roots of all families of a project. `between` is called after each page.
  std::set<Uuid> Walk(
      const std::string& project = "shop", const std::function<void()>& between = [] {}) {
    std::set<Uuid> roots;
    std::string cursor;
    do {
      const auto page = Run(world_->family_walk().Next(project, cursor, Within()));
      EXPECT_TRUE(page.ok()) << page.status();
      if (!page.ok()) break;
      for (const FamilyState& family : page->families) {
        EXPECT_EQ(family.entry.key.project, project);
        roots.insert(family.entry.key.root);
        met_.push_back(family);
      }
      cursor = page->next;
      between();
    } while (!cursor.empty());
    return roots;
  }

  std::vector<FamilyState> met_;
};

INSTANTIATE_TEST_SUITE_P(Stores, FamilyWalk, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(FamilyWalk, GoesThroughAllFamiliesOfAProjectAndNoOther) {
  constexpr std::uint16_t kFamilies = 1'300;
  std::set<Uuid> saved;
  for (std::uint16_t i = 0; i < kFamilies; ++i) {
    Save(Ended(Key(i)));
    saved.insert(Key(i).root);
    if (i % 2 == 0) Settle(Key(i));
  }
  Save(Ended(Key(1, "stall")));
  EXPECT_EQ(Walk(), saved);
  EXPECT_EQ(Walk("stall"), std::set<Uuid>{Key(1).root});
  EXPECT_EQ(Walk("travel"), std::set<Uuid>());
}

TEST_P(FamilyWalk, GivesWhatLoadGives) {
  SaveRequest request = Ended(Key(1));
  storage::v1::OutboxEntry& entry = *request.outbox.add_entries();
  entry.set_id("event");
  Save(request);
  Save(Ended(Key(2)));
  Settle(Key(2));
  Walk();
  for (const FamilyState& met : met_) {
    const FamilyState loaded = Load(met.entry.key);
    EXPECT_EQ(met.version, loaded.version);
    EXPECT_EQ(met.snapshot.SerializeAsString(), loaded.snapshot.SerializeAsString());
    EXPECT_EQ(met.outbox.has_value(), loaded.outbox.has_value());
  }
  EXPECT_TRUE(Load(Key(2)).snapshot.stream().empty()) << "not settled";
}

TEST_P(FamilyWalk, PassesOverWhatIsNoFamilyButNotALeftOutbox) {
  Save(Ended(Key(1)));
  ASSERT_TRUE(Run(world_->snapshots().NoteMember({.member = Key(2),
                                                  .root = Key(1).root,
                                                  .seen_due = std::nullopt,
                                                  .retention = std::chrono::days(1)},
                                                 Within()))
                  .ok());
  SaveRequest left = Ended(Key(3));
  left.outbox.add_entries()->set_id("event");
  Save(left);
  world_->Ask({"DEL", ShopKeys() + "f:" + Key(3).root.ToBytes()});
  const std::set<Uuid> roots = Walk();
  EXPECT_THAT(roots, Not(Contains(Key(2).root)));
  EXPECT_THAT(roots, Contains(Key(3).root));
}

TEST_P(FamilyWalk, WhatLeavesTheSettledOnesOrSettlesMeanwhileComes) {
  constexpr std::uint16_t kFamilies = 300;
  std::set<Uuid> saved;
  for (std::uint16_t i = 0; i < kFamilies; ++i) {
    Save(Ended(Key(i)));
    saved.insert(Key(i).root);
    if (i % 2 == 0) Settle(Key(i));
  }
  std::uint16_t page = 0;
  const std::set<Uuid> roots = Walk("shop", [&] {
    // Behind the keys of families and before the settled ones: each changes its place.
    if (++page != 1) return;
    for (std::uint16_t i = 0; i < kFamilies; ++i) {
      if (i % 2 == 0) {
        Save(Ended(Key(i), 2));
      } else {
        Settle(Key(i));
      }
    }
  });
  EXPECT_EQ(roots, saved);
}

TEST_P(FamilyWalk, ACursorOfAnotherConnectionIsRefused) {
  const auto page = Run(world_->family_walk().Next("shop", "f/4711/0/walk/0", Within()));
  EXPECT_THAT(page, FailsWith(StatusCode::kUnavailable, "STORE_UNAVAILABLE"));
  const auto no_cursor = Run(world_->family_walk().Next("shop", "f/4711/0", Within()));
  EXPECT_EQ(no_cursor.status().code(), StatusCode::kInvalidArgument);
}

TEST_P(FamilyWalk, BeginsAgainWhereItsNotesAreGoneAlsoWhenAnotherWalkBeganSince) {
  Save(Ended(Key(1)));
  const auto page = Run(world_->family_walk().Next("shop", "", Within()));
  ASSERT_TRUE(page.ok()) << page.status();
  world_->Ask({"DEL", ShopKeys() + "left"});
  for (const bool another : {false, true}) {
    if (another) {
      world_->AdvanceTime(ports::Millis(1));
      EXPECT_EQ(Walk(), std::set<Uuid>{Key(1).root});
    }
    EXPECT_THAT(Run(world_->family_walk().Next("shop", page->next, Within())),
                FailsWith(StatusCode::kUnavailable, "STORE_UNAVAILABLE"));
  }
}

TEST_P(FamilyWalk, NotesAreKeptOnlyWhileSomebodyWalks) {
  Save(Ended(Key(1)));
  Settle(Key(1));
  Save(Ended(Key(1), 2));
  EXPECT_EQ(world_->Ask({"EXISTS", ShopKeys() + "left"}).integer, 0);
  Walk();
  EXPECT_GT(world_->Ask({"PTTL", ShopKeys() + "left"}).integer, 0);
}

TEST_P(FamilyWalk, ARequestToTellAgainIsLoadedAndMakesTheFamilyDue) {
  Save(Ended(Key(1)));
  EXPECT_EQ(Ask(Key(1), kAll, kDue - ports::Millis(5)), TellAgainVerdict::kAsked);
  EXPECT_EQ(Load(Key(1)).tell_again, kAll);
  EXPECT_EQ(Load(Key(1)).due, kDue - ports::Millis(5));
  EXPECT_EQ(Load(Key(1)).version, 1U);
  EXPECT_EQ(Ask(Key(1), kAll, kDue - ports::Millis(9)), TellAgainVerdict::kAskedBefore);
  EXPECT_EQ(Load(Key(1)).due, kDue - ports::Millis(9));
  EXPECT_EQ(Load(Key(1)).version, 1U);
  const TellAgain less{.from = kAll.from + ports::Millis(1), .to = kDue};
  EXPECT_EQ(Ask(Key(1), less, kDue), TellAgainVerdict::kAskedBefore);
  const TellAgain more{.from = kAll.from - ports::Millis(1)};
  EXPECT_EQ(Ask(Key(1), more, kDue), TellAgainVerdict::kAsked);
  EXPECT_EQ(Load(Key(1)).tell_again, more);
}

/// Who asked for the first one was told that it is asked for, and does not ask again.
TEST_P(FamilyWalk, TwoTimesThatWereAskedForAreBothToldAgain) {
  Save(Ended(Key(1)));
  const auto time = [](int millis) { return kDue + ports::Millis(millis); };
  const TellAgain monday{.from = time(10), .to = time(20)};
  const TellAgain wednesday{.from = time(30), .to = time(40)};
  EXPECT_EQ(Ask(Key(1), monday, kDue), TellAgainVerdict::kAsked);
  EXPECT_EQ(Ask(Key(1), wednesday, kDue), TellAgainVerdict::kAsked);
  const TellAgain both{.from = monday.from, .to = wednesday.to};
  EXPECT_EQ(Load(Key(1)).tell_again, both);
  EXPECT_EQ(Ask(Key(1), monday, kDue), TellAgainVerdict::kAskedBefore);
  EXPECT_EQ(Ask(Key(1), {.from = time(-5), .to = time(5)}, kDue), TellAgainVerdict::kAsked);
  EXPECT_EQ(Load(Key(1)).tell_again, (TellAgain{.from = time(-5), .to = wednesday.to}));
  EXPECT_EQ(Ask(Key(1), {.from = time(35)}, kDue), TellAgainVerdict::kAsked);
  EXPECT_EQ(Load(Key(1)).tell_again, (TellAgain{.from = time(-5)}));
  EXPECT_EQ(Ask(Key(1), {.from = time(-9), .to = time(0)}, kDue), TellAgainVerdict::kAsked);
  EXPECT_EQ(Load(Key(1)).tell_again, (TellAgain{.from = time(-9)})) << "it had no end";
}

TEST_P(FamilyWalk, WhatGoesFurtherThanABegunStreamBeginsAnotherAndTellsItsTimeToo) {
  Save(Ended(Key(1)));
  Ask(Key(1), {.from = kDue, .begun = true}, kDue);
  EXPECT_EQ(Ask(Key(1), {.from = kDue + ports::Millis(1)}, kDue), TellAgainVerdict::kAskedBefore);
  EXPECT_TRUE(Load(Key(1)).tell_again->begun);
  const TellAgain earlier{.from = kDue - ports::Millis(9), .to = kDue - ports::Millis(5)};
  EXPECT_EQ(Ask(Key(1), earlier, kDue), TellAgainVerdict::kAsked);
  EXPECT_EQ(Load(Key(1)).tell_again, (TellAgain{.from = earlier.from}));
}

TEST_P(FamilyWalk, ATimeWithAnEndAndABegunStreamAreKept) {
  Save(Ended(Key(1)));
  const TellAgain what{.from = WallTime(), .to = kDue, .begun = true};
  Ask(Key(1), what, kDue);
  EXPECT_EQ(Load(Key(1)).tell_again, what);
}

TEST_P(FamilyWalk, WhatNobodyKnowsCannotBeAskedFor) {
  EXPECT_EQ(Ask(Key(1), kAll, kDue), TellAgainVerdict::kUnknown);
  EXPECT_FALSE(Load(Key(1)).due.has_value());
}

TEST_P(FamilyWalk, ASettledFamilyCanBeAskedForAndComesBackWithTheSave) {
  Save(Ended(Key(1)));
  Settle(Key(1));
  EXPECT_EQ(Ask(Key(1), kAll, kDue), TellAgainVerdict::kAsked);
  EXPECT_EQ(Load(Key(1)).tell_again, kAll);
  EXPECT_EQ(Load(Key(1)).version, 2U);
  SaveRequest told = Ended(Key(1), 2);
  told.seen_due = kDue;
  told.seen_tell_again = kAll;
  Save(told);
  EXPECT_FALSE(Load(Key(1)).tell_again.has_value());
  EXPECT_EQ(Load(Key(1)).snapshot.sequence(), 2U);
}

TEST_P(FamilyWalk, ASaveThatHasNotSeenTheRequestLeavesItDue) {
  Save(Ended(Key(1)));
  const WallTime soon = kDue - ports::Millis(1'000);
  Ask(Key(1), kAll, soon);
  SaveRequest unseen = Ended(Key(1), 1);
  unseen.seen_due = soon;
  unseen.next_due = std::nullopt;  // as if it were to settle
  Save(unseen);
  EXPECT_EQ(Load(Key(1)).tell_again, kAll);
  EXPECT_EQ(Load(Key(1)).due, soon);
  SaveRequest begun = Ended(Key(1), 2);
  begun.seen_due = soon;
  begun.seen_tell_again = kAll;
  begun.tell_again = TellAgain{.from = kAll.from, .begun = true};
  Save(begun);
  EXPECT_EQ(Load(Key(1)).tell_again, begun.tell_again);
}

}  // namespace
}  // namespace tollbridge::test
