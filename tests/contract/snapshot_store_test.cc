#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "services/domain/errors.h"
#include "tests/contract/store_world.h"
#include "tests/support/fails_with.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using ports::FamilyState;
using ports::SaveRequest;
using ports::SaveVerdict;

class SnapshotStore : public StoreContractTest {
 protected:
  static constexpr WallTime kDue{ports::Millis(1'800'000'000'000)};

  static ports::FamilyKey Key(std::uint8_t number = 1, std::string project = "shop") {
    return {.project = std::move(project), .root = Uuid::V4({0xbb, number})};
  }

  static SaveRequest Change(std::uint64_t expected_version, std::uint64_t sequence) {
    SaveRequest request{.key = Key(),
                        .expected_version = expected_version,
                        .snapshot = {},
                        .outbox = {},
                        .next_due = std::nullopt,
                        .seen_due = std::nullopt,
                        .retention = std::chrono::days(400)};
    request.snapshot.set_stream(std::string("\0\xff stream bytes", 15));
    request.snapshot.set_sequence(sequence);
    request.snapshot.mutable_root()->set_capturable_seen(true);
    return request;
  }
  static void AddEvent(SaveRequest& request) {
    storage::v1::OutboxEntry& entry = *request.outbox.add_entries();
    entry.set_key("key");
    entry.set_payload(std::string("\0\x80payload", 9));
    entry.set_id("event");
  }

  FamilyState Load(const ports::FamilyKey& key = Key()) {
    absl::StatusOr<FamilyState> state = Run(world_->snapshots().Load(key, Within()));
    EXPECT_TRUE(state.ok()) << state.status();
    return state.ok() ? *state : FamilyState{};
  }
  SaveVerdict Save(const SaveRequest& request) {
    const absl::StatusOr<SaveVerdict> verdict = SaveFamily(request);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(SaveVerdict::kVersionLost);
  }
  bool Clear(std::uint64_t version) { return Clear(version, Load().epoch); }
  bool Clear(std::uint64_t version, const std::string& epoch) {
    const absl::StatusOr<bool> cleared =
        Run(world_->snapshots().ClearOutbox(Key(), version, epoch, Within()));
    EXPECT_TRUE(cleared.ok()) << cleared.status();
    return cleared.value_or(false);
  }
  static void AddMember(SaveRequest& request, std::uint8_t number,
                        std::optional<common::v1::OrderStatus> status) {
    storage::v1::OrderState& member = *request.snapshot.add_members();
    member.set_order_id(Key(number).root.ToBytes());
    if (status) member.set_status(*status);
  }
  /// Members have no order.
  static std::string Text(storage::v1::Snapshot snapshot) {
    snapshot.clear_epoch();
    std::ranges::sort(*snapshot.mutable_members(), {}, &storage::v1::OrderState::order_id);
    return snapshot.DebugString();
  }
  /// An operation that ended, with what it left for Key().
  static ports::FinishRequest Ended(const Uuid& id) {
    return {.identity = {.id = id,
                         .rpc = "rpc",
                         .project = "shop",
                         .fingerprints = {{.key_id = "k1", .digest = "digest"}},
                         .capture_mode = "",
                         .traceparent = "",
                         .gate_order = std::nullopt},
            .attempt = 1,
            .owner = "owner",
            .to = operations::v1::OPERATION_STATE_DONE,
            .order = ports::OrderEntry{.key = Key(), .capture_mode = "manual"}};
  }
  void Note(const ports::MemberNote& note) {
    ASSERT_TRUE(Run(world_->snapshots().NoteMember(note, Within())).ok());
  }
  void EnterDue(WallTime due) {
    ASSERT_TRUE(Run(world_->due_queue().Enter(Key(), due, Within())).ok());
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, SnapshotStore, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(SnapshotStore, AnUnknownFamilyIsVersionZeroAndEmpty) {
  const FamilyState state = Load();
  EXPECT_EQ(state.version, 0U);
  EXPECT_EQ(state.snapshot.ByteSizeLong(), 0U);
  EXPECT_FALSE(state.outbox.has_value());
  EXPECT_FALSE(state.due.has_value());
  EXPECT_EQ(state.entry.key, Key());
  EXPECT_TRUE(state.entry.traceparent.empty());
}

TEST_P(SnapshotStore, WhatWasSavedIsLoadedByteForByte) {
  SaveRequest request = Change(0, 7);
  AddEvent(request);
  request.next_due = kDue;

  EXPECT_EQ(Save(request), SaveVerdict::kSaved);

  const FamilyState state = Load();
  EXPECT_EQ(state.version, 1U);
  EXPECT_EQ(state.snapshot.epoch(), state.epoch);
  request.snapshot.set_epoch(state.epoch);
  EXPECT_EQ(state.snapshot.SerializeAsString(), request.snapshot.SerializeAsString());
  ASSERT_TRUE(state.outbox.has_value());
  EXPECT_EQ(state.outbox->SerializeAsString(), request.outbox.SerializeAsString());
  EXPECT_EQ(state.due, kDue);
}

TEST_P(SnapshotStore, FamiliesOfOneRootInTwoProjectsAreApart) {
  ASSERT_EQ(Save(Change(0, 7)), SaveVerdict::kSaved);
  EXPECT_EQ(Load(Key(1, "other")).version, 0U);
  EXPECT_EQ(Load(Key(2)).version, 0U);
}

TEST_P(SnapshotStore, ALostCompareChangesNothing) {
  ASSERT_EQ(Save(Change(0, 7)), SaveVerdict::kSaved);
  SaveRequest slower = Change(0, 8);
  AddEvent(slower);
  slower.next_due = kDue;

  EXPECT_EQ(Save(slower), SaveVerdict::kVersionLost);
  EXPECT_EQ(Save(Change(2, 8)), SaveVerdict::kVersionLost);

  const FamilyState state = Load();
  EXPECT_EQ(state.version, 1U);
  EXPECT_EQ(state.snapshot.sequence(), 7U);
  EXPECT_FALSE(state.outbox.has_value());
  EXPECT_FALSE(state.due.has_value());
  EXPECT_EQ(Save(Change(1, 8)), SaveVerdict::kSaved);
  EXPECT_EQ(Load().version, 2U);
}

TEST_P(SnapshotStore, NothingIsSavedOverAPendingOutbox) {
  SaveRequest first = Change(0, 7);
  AddEvent(first);
  ASSERT_EQ(Save(first), SaveVerdict::kSaved);

  EXPECT_EQ(Save(Change(1, 8)), SaveVerdict::kOutboxPending);
  EXPECT_EQ(Save(Change(0, 8)), SaveVerdict::kVersionLost);
  EXPECT_EQ(Load().snapshot.sequence(), 7U);

  EXPECT_TRUE(Clear(1));
  EXPECT_FALSE(Load().outbox.has_value());
  EXPECT_EQ(Save(Change(1, 8)), SaveVerdict::kSaved);
}

TEST_P(SnapshotStore, OnlyTheOutboxOfThatVersionIsCleared) {
  EXPECT_FALSE(Clear(0));
  ASSERT_EQ(Save(Change(0, 7)), SaveVerdict::kSaved);
  SaveRequest second = Change(1, 8);
  AddEvent(second);
  ASSERT_EQ(Save(second), SaveVerdict::kSaved);

  EXPECT_FALSE(Clear(1));
  EXPECT_TRUE(Load().outbox.has_value());
  EXPECT_TRUE(Clear(2));
  EXPECT_FALSE(Clear(2));
}

TEST_P(SnapshotStore, OutboxesArePendingFromTheirSavingToTheirClearing) {
  const auto pending = [&](const std::string& project = "shop") {
    const auto found = Run(world_->snapshots().Pending(project, Within()));
    EXPECT_TRUE(found.ok()) << found.status();
    return found.value_or(ports::PendingOutboxes{.count = 99});
  };
  EXPECT_EQ(pending().count, 0U);
  EXPECT_EQ(pending().oldest, std::nullopt);
  ASSERT_EQ(Save(Change(0, 7)), SaveVerdict::kSaved);
  EXPECT_EQ(pending().count, 0U) << "it publishes nothing";

  SaveRequest own = Change(1, 8);
  own.noticed_at = kDue;
  AddEvent(own);
  ASSERT_EQ(Save(own), SaveVerdict::kSaved);
  SaveRequest older = Change(0, 1);
  older.key = Key(2);
  older.noticed_at = kDue - ports::Millis(1);
  AddEvent(older);
  ASSERT_EQ(Save(older), SaveVerdict::kSaved);
  EXPECT_EQ(pending().count, 2U);
  EXPECT_EQ(pending().oldest, kDue - ports::Millis(1));
  EXPECT_EQ(pending("other").count, 0U) << "each project has its own";

  EXPECT_FALSE(Clear(1)) << "another's";
  EXPECT_EQ(pending().count, 2U);
  EXPECT_TRUE(Clear(2));
  EXPECT_EQ(pending().count, 1U);
  EXPECT_EQ(pending().oldest, kDue - ports::Millis(1));
}

TEST_P(SnapshotStore, TheNextDueTimeReplacesTheOneThatWasSeen) {
  EnterDue(kDue);
  SaveRequest request = Change(0, 7);
  request.seen_due = kDue;
  request.next_due = kDue + ports::Millis(30'000);
  ASSERT_EQ(Save(request), SaveVerdict::kSaved);
  EXPECT_EQ(Load().due, kDue + ports::Millis(30'000));

  SaveRequest last = Change(1, 8);
  last.seen_due = kDue + ports::Millis(30'000);
  ASSERT_EQ(Save(last), SaveVerdict::kSaved);
  EXPECT_FALSE(Load().due.has_value());
}

TEST_P(SnapshotStore, ADueTimeSetMeanwhileStays) {
  EnterDue(kDue);
  SaveRequest entered = Change(0, 7);  // read when nothing was due
  entered.next_due = kDue + ports::Millis(30'000);
  ASSERT_EQ(Save(entered), SaveVerdict::kSaved);
  EXPECT_EQ(Load().due, kDue);

  SaveRequest removed = Change(1, 8);  // read when something else was due, and done with it
  removed.seen_due = kDue + ports::Millis(5'000);
  ASSERT_EQ(Save(removed), SaveVerdict::kSaved);
  EXPECT_EQ(Load().due, kDue);

  ASSERT_TRUE(Run(world_->due_queue().RemoveIf(Key(), kDue, Within())).ok());
  SaveRequest gone = Change(2, 9);  // read when it was due; somebody took it out meanwhile
  gone.seen_due = kDue;
  gone.next_due = kDue + ports::Millis(30'000);
  ASSERT_EQ(Save(gone), SaveVerdict::kSaved);
  EXPECT_FALSE(Load().due.has_value());
}

TEST_P(SnapshotStore, NothingIsSavedWhereAnOperationHasSaidMoreOfTheOrder) {
  ports::FinishRequest result = Ended(Uuid::V4({0xcc}));
  ASSERT_TRUE(Run(world_->operations().Finish(result, Within())).ok());
  EXPECT_EQ(Save(Change(0, 7)), SaveVerdict::kVersionLost);
  EXPECT_EQ(Load().version, 0U);
  SaveRequest request = Change(0, 7);
  request.seen_capture_mode = "manual";
  ASSERT_EQ(Save(request), SaveVerdict::kSaved);

  result.identity.id = Uuid::V4({0xcd});
  result.order = ports::OrderEntry{.key = Key(), .capture_mode = "", .own_checkout = true};
  ASSERT_TRUE(Run(world_->operations().Finish(result, Within())).ok());
  request = Change(1, 8);
  request.seen_capture_mode = "manual";
  EXPECT_EQ(Save(request), SaveVerdict::kVersionLost);
  request.seen_own_checkout = true;
  EXPECT_EQ(Save(request), SaveVerdict::kSaved);
}

TEST_P(SnapshotStore, AnOperationThatEndsDuringTheReadMakesItDueAgain) {
  ports::FinishRequest result = Ended(Uuid::V4({0xcc}));
  ASSERT_TRUE(Run(world_->operations().Finish(result, Within())).ok());
  const FamilyState seen = Load();

  result.identity.id = Uuid::V4({0xcd});
  ASSERT_TRUE(Run(world_->operations().Finish(result, Within())).ok());
  SaveRequest request = Change(0, 7);
  request.seen_capture_mode = seen.entry.capture_mode;
  request.seen_due = seen.due;
  request.next_due = kDue;
  ASSERT_EQ(Save(request), SaveVerdict::kSaved);

  const FamilyState state = Load();
  ASSERT_TRUE(state.due.has_value());
  EXPECT_NE(*state.due, kDue);
  EXPECT_EQ(state.entry.capture_mode, "manual");
}

TEST_P(SnapshotStore, EachOrderOfAFamilyIsKeptAsItWasSaved) {
  SaveRequest request = Change(0, 7);
  request.snapshot.set_began(1'800'000'000);
  request.snapshot.mutable_root()->set_status(common::v1::ORDER_STATUS_PROCESSING);
  AddMember(request, 2, common::v1::ORDER_STATUS_NEW);
  AddMember(request, 3, std::nullopt);
  ASSERT_EQ(Save(request), SaveVerdict::kSaved);
  EXPECT_EQ(Text(Load().snapshot), Text(request.snapshot));

  SaveRequest second = Change(1, 8);
  second.snapshot.mutable_root()->set_status(common::v1::ORDER_STATUS_COMPLETED);
  AddMember(second, 2, common::v1::ORDER_STATUS_NEW);
  AddMember(second, 3, common::v1::ORDER_STATUS_ERROR);
  AddMember(second, 4, common::v1::ORDER_STATUS_COMPLETED);
  ASSERT_EQ(Save(second), SaveVerdict::kSaved);
  EXPECT_EQ(Text(Load().snapshot), Text(second.snapshot));
}

TEST_P(SnapshotStore, AMemberOfASavedFamilyKnowsItsRootAtOnce) {
  SaveRequest request = Change(0, 7);
  AddMember(request, 2, common::v1::ORDER_STATUS_NEW);
  ASSERT_EQ(Save(request), SaveVerdict::kSaved);
  const FamilyState member = Load(Key(2));
  EXPECT_EQ(member.root, Key().root);
  EXPECT_EQ(member.version, 0U);
  EXPECT_EQ(Load().root, std::nullopt);
}

TEST_P(SnapshotStore, AnOrderWithASnapshotStaysARoot) {
  SaveRequest own = Change(0, 1);
  own.key = Key(2);
  ASSERT_EQ(Save(own), SaveVerdict::kSaved);
  SaveRequest request = Change(0, 7);
  AddMember(request, 2, common::v1::ORDER_STATUS_NEW);
  ASSERT_EQ(Save(request), SaveVerdict::kSaved);
  EXPECT_EQ(Load(Key(2)).root, std::nullopt);

  Note({.member = Key(2), .root = Key().root, .retention = std::chrono::days(400)});
  EXPECT_EQ(Load(Key(2)).root, std::nullopt);
  EXPECT_EQ(Load(Key(2)).version, 1U);
}

TEST_P(SnapshotStore, ANotedMemberKnowsItsRootAndIsNoLongerDue) {
  EnterDue(kDue);
  Note({.member = Key(),
        .root = Key(9).root,
        .seen_due = kDue,
        .retention = std::chrono::days(400)});
  const FamilyState member = Load();
  EXPECT_EQ(member.root, Key(9).root);
  EXPECT_FALSE(member.due.has_value());
}

TEST_P(SnapshotStore, ADueTimeThatAnOperationSetBeforeTheNoteStays) {
  EnterDue(kDue);
  Note({.member = Key(),
        .root = Key(9).root,
        .seen_due = kDue + ports::Millis(1),
        .retention = std::chrono::days(400)});
  EXPECT_EQ(Load().due, kDue);
  Note({.member = Key(), .root = Key(9).root, .retention = std::chrono::days(400)});
  EXPECT_EQ(Load().due, kDue);
}

TEST_P(SnapshotStore, WhatAnOperationLeftWithAMemberStaysWithIt) {
  ports::FinishRequest result = Ended(Uuid::V4({0xcc}));
  ASSERT_TRUE(Run(world_->operations().Finish(result, Within())).ok());
  Note({.member = Key(), .root = Key(9).root, .retention = std::chrono::days(400)});
  EXPECT_EQ(Load().entry.capture_mode, "manual");
  EXPECT_EQ(Load().root, Key(9).root);
}

TEST_P(SnapshotStore, WhatWasLoadedInOneEpochIsNotSavedInAnother) {
  ASSERT_EQ(Save(Change(0, 7)), SaveVerdict::kSaved);
  const FamilyState before = Load();
  EXPECT_EQ(before.epoch.size(), 4U);
  EXPECT_EQ(before.doubted_from, std::nullopt) << "it began with the store";
  world_->Stop();
  world_->Restart();
  SaveRequest late = Change(1, 8);
  late.snapshot.set_epoch(before.epoch);
  AddEvent(late);
  ASSERT_NE(Load().epoch, before.epoch);
  EXPECT_EQ(Save(late), SaveVerdict::kVersionLost);

  const FamilyState after = Load();
  EXPECT_EQ(after.version, 1U);
  EXPECT_EQ(after.snapshot.epoch(), before.epoch) << "who loads it sees that it went by";
  EXPECT_FALSE(after.outbox.has_value());
  ASSERT_TRUE(after.doubted_from.has_value());
  EXPECT_LE(*after.doubted_from, world_->Now() - std::chrono::minutes(59));
  EXPECT_GE(*after.doubted_from, world_->Now() - std::chrono::minutes(61));
  late.snapshot.set_epoch(after.epoch);
  EXPECT_EQ(Save(late), SaveVerdict::kSaved);
}

TEST_P(SnapshotStore, AStoreWithoutMemoryHasAnEpochAgainWithTheNextLoad) {
  ASSERT_EQ(Save(Change(0, 7)), SaveVerdict::kSaved);
  const std::string before = Load().epoch;
  world_->LoseMemory();
  SaveRequest late = Change(0, 8);
  late.snapshot.set_epoch(before);
  EXPECT_EQ(Save(late), SaveVerdict::kVersionLost);
  EXPECT_EQ(Load().version, 0U);
  EXPECT_NE(Load().epoch, before);
}

TEST_P(SnapshotStore, AnOutboxWhoseFamilyIsGoneIsClearedByItsOwnVersion) {
  SaveRequest request = Change(0, 7);
  AddEvent(request);
  ASSERT_EQ(Save(request), SaveVerdict::kSaved);
  ASSERT_EQ(world_->Ask({"DEL", ShopKeys() + "f:" + Key().root.ToBytes()}).integer, 1);

  const FamilyState state = Load();
  EXPECT_EQ(state.version, 0U);
  ASSERT_TRUE(state.outbox.has_value());
  EXPECT_EQ(state.outbox_version, 1U);
  EXPECT_TRUE(Clear(state.outbox_version));
  EXPECT_FALSE(Load().outbox.has_value());
}

/// Versions come again in a store that went back.
TEST_P(SnapshotStore, WhoPublishedInAnotherEpochDoesNotClearItsOutbox) {
  SaveRequest request = Change(0, 7);
  AddEvent(request);
  ASSERT_EQ(Save(request), SaveVerdict::kSaved);
  const std::string before = Load().epoch;
  world_->LoseMemory();
  SaveRequest after = Change(0, 1);
  AddEvent(after);
  ASSERT_EQ(Save(after), SaveVerdict::kSaved);

  EXPECT_FALSE(Clear(1, before)) << "by who saved the first, and published it";

  EXPECT_TRUE(Load().outbox.has_value());
  EXPECT_TRUE(Clear(1));
}

/// Another store may have told of the family meanwhile.
TEST_P(SnapshotStore, AProjectThatCameBackIsOfAnotherEpoch) {
  ASSERT_EQ(Save(Change(0, 7)), SaveVerdict::kSaved);
  const FamilyState before = Load();
  ASSERT_EQ(world_->Ask({"HDEL", TestKeyspace().epoch_key(), ShopKeys()}).integer, 1);
  ports::ClaimRequest claim{.identity = Ended(Uuid::V4({0xcc})).identity,
                            .owner = "owner",
                            .lease = std::chrono::seconds(30),
                            .good_for = std::chrono::seconds(5)};
  ASSERT_TRUE(Run(world_->operations().Claim(claim, Within())).ok());
  SaveRequest late = Change(1, 8);
  late.snapshot.set_epoch(before.epoch);
  EXPECT_EQ(Save(late), SaveVerdict::kVersionLost);
  EXPECT_TRUE(Load().doubted_from.has_value());
}

TEST_P(SnapshotStore, WhenAnOperationMadeTheOrderIsKnown) {
  EXPECT_EQ(Load().made, std::nullopt);
  ports::FinishRequest result = Ended(Uuid::V4({0xcc}));
  result.created_order = true;
  ASSERT_TRUE(Run(world_->operations().Finish(result, Within())).ok());
  const std::optional<WallTime> made = Load().made;
  ASSERT_TRUE(made.has_value());
  EXPECT_LE(*made, world_->Now());
  EXPECT_GE(*made, world_->Now() - std::chrono::minutes(1));
}

TEST_P(SnapshotStore, WhileNobodyServesEveryCallIsUnavailable) {
  ASSERT_EQ(Save(Change(0, 7)), SaveVerdict::kSaved);
  world_->Stop();
  for (const absl::Status& status :
       {Run(world_->snapshots().Load(Key(), Within())).status(),
        Run(world_->snapshots().Save(Change(1, 8), Within())).status(),
        Run(world_->snapshots().ClearOutbox(Key(), 1, "epoch--1", Within())).status(),
        Run(world_->snapshots().Pending("shop", Within())).status(),
        Run(world_->snapshots().NoteMember({.member = Key(), .root = Key(2).root}, Within()))}) {
    EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  }
  world_->Restart();
  EXPECT_EQ(Load().snapshot.sequence(), 7U);
}

}  // namespace
}  // namespace tollbridge::test
