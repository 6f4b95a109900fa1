#include "services/ports/order_changes.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/contract/store_world.h"

namespace tollbridge::test {
namespace {

using ports::ChangeHint;
using ports::SaveRequest;
using ports::SaveVerdict;

class OrderChanges : public StoreContractTest {
 protected:
  struct Watcher {
    std::vector<ChangeHint> hints;
    std::unique_ptr<ports::OrderWatch> watch;

    std::size_t changes() const {
      return static_cast<std::size_t>(std::ranges::count(hints, ChangeHint::kChanged));
    }
  };

  static ports::FamilyKey Key(std::uint8_t number = 1, std::string project = "shop") {
    return {.project = std::move(project), .root = Uuid::V4({0xbb, number})};
  }
  std::unique_ptr<Watcher> Watch(const ports::FamilyKey& key) {
    auto watcher = std::make_unique<Watcher>();
    watcher->watch = world_->changes().Watch(
        key, [heard = watcher.get()](ChangeHint hint) { heard->hints.push_back(hint); });
    return watcher;
  }
  SaveVerdict Save(const ports::FamilyKey& key, std::uint64_t expected_version = 0) {
    const SaveRequest request{.key = key,
                              .expected_version = expected_version,
                              .snapshot = {},
                              .outbox = {},
                              .next_due = std::nullopt,
                              .seen_due = std::nullopt,
                              .retention = std::chrono::days(400)};
    const absl::StatusOr<SaveVerdict> verdict = SaveFamily(request);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(SaveVerdict::kVersionLost);
  }
  /// Messages of one server come in the order in which they were sent.
  bool Hears(const Watcher& watcher, std::size_t changes) {
    return RunUntil(world_->context(), [&] { return watcher.changes() >= changes; });
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, OrderChanges, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(OrderChanges, ASaveIsToldToAllWhoWatchTheFamilyAndToNobodyElse) {
  const auto first = Watch(Key());
  const auto second = Watch(Key());
  const auto other = Watch(Key(2));
  const auto elsewhere = Watch(Key(1, "travel"));
  ASSERT_EQ(Save(Key()), SaveVerdict::kSaved);
  EXPECT_TRUE(Hears(*first, 1));
  EXPECT_TRUE(Hears(*second, 1));

  ASSERT_EQ(Save(Key(2)), SaveVerdict::kSaved);
  ASSERT_EQ(Save(Key(1, "travel")), SaveVerdict::kSaved);
  EXPECT_TRUE(Hears(*other, 1));
  EXPECT_TRUE(Hears(*elsewhere, 1));
  EXPECT_EQ(first->changes(), 1U);
  EXPECT_EQ(other->changes(), 1U);
  EXPECT_EQ(elsewhere->changes(), 1U);
}

TEST_P(OrderChanges, WhatWasToldCanBeLoaded) {
  const auto watcher = Watch(Key());
  ASSERT_EQ(Save(Key()), SaveVerdict::kSaved);
  ASSERT_TRUE(Hears(*watcher, 1));
  const auto state = Run(world_->snapshots().Load(Key(), Within()));
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->version, 1U);
}

TEST_P(OrderChanges, WhoWatchesAMemberIsToldWhenASaveChangesIt) {
  const auto member = Watch(Key(5));
  const auto other = Watch(Key(6));
  const auto root = Watch(Key());
  SaveRequest request{.key = Key(), .retention = std::chrono::days(400)};
  for (const std::uint8_t number : {std::uint8_t{5}, std::uint8_t{6}}) {
    request.snapshot.add_members()->set_order_id(Key(number).root.ToBytes());
  }
  ASSERT_TRUE(SaveFamily(request).ok());
  ASSERT_TRUE(Hears(*root, 1));
  EXPECT_EQ(member->changes(), 1U);
  EXPECT_EQ(other->changes(), 1U);

  request.expected_version = 1;
  request.snapshot.mutable_members(0)->set_status(common::v1::ORDER_STATUS_COMPLETED);
  ASSERT_TRUE(SaveFamily(request).ok());
  ASSERT_TRUE(Hears(*root, 2));
  EXPECT_EQ(member->changes(), 2U);
  EXPECT_EQ(other->changes(), 1U);
}

TEST_P(OrderChanges, ASaveThatChangesNothingIsNotTold) {
  ASSERT_EQ(Save(Key()), SaveVerdict::kSaved);
  const auto watcher = Watch(Key());
  const auto last = Watch(Key(2));
  EXPECT_EQ(Save(Key(), 7), SaveVerdict::kVersionLost);
  ASSERT_EQ(Save(Key(2)), SaveVerdict::kSaved);
  ASSERT_TRUE(Hears(*last, 1));
  EXPECT_EQ(watcher->changes(), 0U);
}

TEST_P(OrderChanges, AWatchThatHasEndedIsToldNothing) {
  const auto ended = Watch(Key());
  const auto stays = Watch(Key());
  ended->watch.reset();
  ASSERT_EQ(Save(Key()), SaveVerdict::kSaved);
  ASSERT_TRUE(Hears(*stays, 1));
  EXPECT_EQ(ended->changes(), 0U);
}

TEST_P(OrderChanges, AWatchMayEndWithItsOwnHintAndEndOthers) {
  const auto other = Watch(Key());
  std::unique_ptr<ports::OrderWatch> watch;
  int hints = 0;
  watch = world_->changes().Watch(Key(), [&](ChangeHint) {
    ++hints;
    watch.reset();
    other->watch.reset();
  });
  const auto stays = Watch(Key());
  ASSERT_EQ(Save(Key()), SaveVerdict::kSaved);
  ASSERT_TRUE(Hears(*stays, 1));
  ASSERT_EQ(Save(Key(), 1), SaveVerdict::kSaved);
  ASSERT_TRUE(Hears(*stays, 2));
  EXPECT_EQ(hints, 1);
  EXPECT_LE(other->changes(), 1U);
}

TEST_P(OrderChanges, AfterAnInterruptionAllAreToldThatSomethingMayHaveChanged) {
  const auto first = Watch(Key());
  const auto second = Watch(Key(2));
  world_->Stop();
  const std::size_t before = first->hints.size();
  world_->Restart();
  const auto told = [&](const Watcher& watcher) {
    return watcher.hints.size() > before && watcher.hints.back() == ChangeHint::kMayHaveChanged;
  };
  EXPECT_TRUE(RunUntil(world_->context(), [&] { return told(*first) && told(*second); }));
  ASSERT_EQ(Save(Key()), SaveVerdict::kSaved);
  EXPECT_TRUE(Hears(*first, 1));
}

}  // namespace
}  // namespace tollbridge::test
