// What is kept of a family whose last planned read is over (docs/adr/0041-settled-families.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <string>

#include "services/domain/published.h"
#include "tests/contract/store_world.h"
#include "tests/support/test_keyspace.h"
#include "tests/support/told_state.h"

namespace tollbridge::test {
namespace {

using ports::FamilyState;
using ports::SaveRequest;
using ports::SaveVerdict;

class SettledFamilies : public StoreContractTest {
 protected:
  static constexpr WallTime kDue{ports::Millis(1'800'000'000'000)};

  static ports::FamilyKey Key(std::uint32_t number) {
    std::mt19937 random(number);
    Uuid root;
    for (auto& byte : root.bytes) byte = static_cast<std::uint8_t>(random());
    return {.project = "shop", .root = root};
  }
  /// An order that was paid, as the read before the last has left it.
  static SaveRequest Paid(const ports::FamilyKey& key, std::uint64_t expected_version = 0) {
    SaveRequest request{.key = key,
                        .expected_version = expected_version,
                        .snapshot = {},
                        .outbox = {},
                        .next_due = kDue,
                        .seen_due = std::nullopt,
                        .retention = std::chrono::days(400)};
    request.snapshot.set_stream("sixteen bytes of");
    request.snapshot.set_sequence(2);
    request.snapshot.set_began(1'763'000'000);
    storage::v1::OrderState& root = *request.snapshot.mutable_root();
    root = test::ToldState({events::v1::EVENT_WHAT_CREATED, events::v1::EVENT_WHAT_COMPLETED});
    root.mutable_modified()->set_seconds(1'763'000'017);
    root.mutable_modified()->set_nanos(123'456'000);
    root.set_last_outcome(events::v1::EVENT_WHAT_COMPLETED);
    root.set_outcome_by_order(true);
    return request;
  }
  /// The last planned read, which finds what was there before.
  static SaveRequest LastRead(const ports::FamilyKey& key, std::uint64_t expected_version = 1) {
    SaveRequest request = Paid(key, expected_version);
    request.next_due = std::nullopt;
    request.seen_due = kDue;
    return request;
  }
  SaveVerdict Save(const SaveRequest& request) {
    const absl::StatusOr<SaveVerdict> verdict = SaveFamily(request);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(SaveVerdict::kVersionLost);
  }
  FamilyState Load(const ports::FamilyKey& key) {
    absl::StatusOr<FamilyState> state = Run(world_->snapshots().Load(key, Within()));
    EXPECT_TRUE(state.ok()) << state.status();
    return state.ok() ? *std::move(state) : FamilyState{};
  }
  void Settle(const ports::FamilyKey& key) {
    ASSERT_EQ(Save(Paid(key)), SaveVerdict::kSaved);
    ASSERT_EQ(Save(LastRead(key)), SaveVerdict::kSaved);
  }
  bool HasHash(const ports::FamilyKey& key) {
    return world_->Ask({"EXISTS", ShopKeys() + "f:" + key.root.ToBytes()}).integer == 1;
  }
  std::int64_t Counted(const std::string& field) {
    return world_->Ask({"HGET", ShopKeys() + "settled", field}).AsInteger().value_or(0);
  }
  /// What an operation leaves with an order.
  void Enter(const ports::FamilyKey& key, bool made = false) {
    const ports::OperationIdentity identity{.id = Uuid::V4({0x55}),
                                            .rpc = "tollbridge.payments.v1.Payments/CreateRefund",
                                            .project = "shop",
                                            .fingerprints = {{.key_id = "k", .digest = "d"}}};
    const ports::StepTarget step{.name = "create_refund", .order_id = key.root.ToString()};
    const auto claim = Run(world_->operations().Claim({.identity = identity,
                                                       .owner = "owner",
                                                       .lease = std::chrono::seconds(30),
                                                       .good_for = std::chrono::seconds(5),
                                                       .first_step = step},
                                                      Within()));
    ASSERT_TRUE(claim.ok()) << claim.status();
    ports::FinishRequest finish{.identity = identity,
                                .attempt = claim->attempt,
                                .epoch = claim->epoch,
                                .owner = "owner",
                                .step = step,
                                .to = operations::v1::OPERATION_STATE_DONE};
    finish.order = ports::OrderEntry{.key = key, .capture_mode = "", .traceparent = ""};
    finish.created_order = made;
    ASSERT_TRUE(Run(world_->operations().Finish(finish, Within())).ok());
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, SettledFamilies,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

/// What is published of it later begins a stream of its own.
TEST_P(SettledFamilies, SaysAllThatItSaidBeforeButItsStream) {
  const ports::FamilyKey key = Key(1);
  Settle(key);
  EXPECT_FALSE(HasHash(key));
  const FamilyState state = Load(key);
  EXPECT_EQ(state.version, 2U);
  storage::v1::Snapshot expected = Paid(key).snapshot;
  expected.clear_stream();
  expected.clear_sequence();
  EXPECT_EQ(state.snapshot.DebugString(), expected.DebugString());
  EXPECT_EQ(state.due, std::nullopt);
  const auto known = Run(world_->known_orders().LookAt("shop", {key.root}, Within()));
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_TRUE(known->front().recorded);
  EXPECT_EQ(known->front().status, common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_TRUE(known->front().modified.has_value());
}

TEST_P(SettledFamilies, ALateChangeGoesOnWithItsVersionAndSettlesAgain) {
  const ports::FamilyKey key = Key(2);
  Settle(key);
  SaveRequest late = Paid(key, 2);
  late.outbox.add_entries()->set_sequence(1);
  EXPECT_EQ(Save(Paid(key, 1)), SaveVerdict::kVersionLost);
  EXPECT_EQ(Save(Paid(key, 0)), SaveVerdict::kVersionLost);
  ASSERT_EQ(Save(late), SaveVerdict::kSaved);
  EXPECT_TRUE(HasHash(key));
  EXPECT_EQ(Counted("n"), 0);
  EXPECT_EQ(Load(key).version, 3U);
  ASSERT_TRUE(*Run(world_->snapshots().ClearOutbox(key, 3, Load(key).epoch, Within())));
  ASSERT_EQ(Save(LastRead(key, 3)), SaveVerdict::kSaved);
  EXPECT_FALSE(HasHash(key));
  EXPECT_EQ(Load(key).version, 4U);
}

TEST_P(SettledFamilies, NothingSettlesThatIsToBeReadToldOrHasMembers) {
  const ports::FamilyKey key = Key(3);
  ASSERT_EQ(Save(Paid(key)), SaveVerdict::kSaved);
  SaveRequest read_again = LastRead(key);
  read_again.next_due = kDue;
  ASSERT_EQ(Save(read_again), SaveVerdict::kSaved);
  EXPECT_TRUE(HasHash(key));
  SaveRequest told = LastRead(key, 2);
  told.outbox.add_entries()->set_sequence(3);
  ASSERT_EQ(Save(told), SaveVerdict::kSaved);
  EXPECT_TRUE(HasHash(key));
  ASSERT_TRUE(*Run(world_->snapshots().ClearOutbox(key, 3, Load(key).epoch, Within())));
  SaveRequest with_member = LastRead(key, 3);
  with_member.snapshot.add_members()->set_order_id(Key(4).root.ToBytes());
  ASSERT_EQ(Save(with_member), SaveVerdict::kSaved);
  EXPECT_TRUE(HasHash(key));
  EXPECT_EQ(Counted("n"), 0);
}

TEST_P(SettledFamilies, AnOperationThatMadeItDueMeanwhileKeepsItAsItIs) {
  const ports::FamilyKey key = Key(5);
  ASSERT_EQ(Save(Paid(key)), SaveVerdict::kSaved);
  Enter(key);
  ASSERT_EQ(Save(LastRead(key)), SaveVerdict::kSaved);
  EXPECT_TRUE(HasHash(key));
  EXPECT_TRUE(Load(key).due.has_value());
}

/// Until the operation is retired, which the drainer may do late.
TEST_P(SettledFamilies, NothingSettlesThatAloneNamesTheOperationThatMadeIt) {
  const ports::FamilyKey key = Key(12);
  Enter(key, true);
  SaveRequest paid = Paid(key);
  paid.seen_due = Load(key).due;
  ASSERT_EQ(Save(paid), SaveVerdict::kSaved);
  ASSERT_EQ(Save(LastRead(key)), SaveVerdict::kSaved);
  EXPECT_TRUE(HasHash(key));
  EXPECT_EQ(Load(key).due, std::nullopt);
  const auto listed =
      Run(world_->registry().List({.project = "shop", .order_id = key.root.ToString()}, Within()));
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(listed->operations.size(), 1U);
}

TEST_P(SettledFamilies, AnOperationOnASettledOneMakesItDueAndItsVersionStays) {
  const ports::FamilyKey key = Key(6);
  Settle(key);
  Enter(key);
  const FamilyState state = Load(key);
  ASSERT_TRUE(state.due.has_value());
  EXPECT_EQ(state.version, 2U);
  SaveRequest last = LastRead(key, 2);
  last.seen_due = state.due;
  ASSERT_EQ(Save(last), SaveVerdict::kSaved);
  EXPECT_EQ(Load(key).version, 3U);
  EXPECT_EQ(Load(key).due, std::nullopt);
}

TEST_P(SettledFamilies, ASettledRootIsNobodysMember) {
  const ports::FamilyKey key = Key(7);
  Settle(key);
  const absl::Status noted = Run(world_->snapshots().NoteMember({.member = key,
                                                                 .root = Key(8).root,
                                                                 .seen_due = std::nullopt,
                                                                 .retention = std::chrono::days(1)},
                                                                Within()));
  ASSERT_TRUE(noted.ok()) << noted;
  EXPECT_EQ(Load(key).root, std::nullopt);
  EXPECT_EQ(Load(key).version, 2U);
}

TEST_P(SettledFamilies, ManyStayInSmallHashesAndEachIsFound) {
  constexpr std::uint32_t kFamilies = 1'000;
  for (std::uint32_t i = 0; i < kFamilies; ++i) Settle(Key(100 + i));
  EXPECT_EQ(Counted("n"), kFamilies);
  EXPECT_EQ(Counted("b"), kFamilies / 64 + 1);
  for (std::uint32_t i = 0; i < kFamilies; ++i) {
    ASSERT_EQ(Load(Key(100 + i)).version, 2U) << i;
  }
  for (std::int64_t hash = 0; hash < Counted("b"); ++hash) {
    const std::string name = ShopKeys() + "s:" + std::to_string(hash);
    EXPECT_LE(world_->Ask({"HLEN", name}).integer, 128) << hash;
  }
  EXPECT_EQ(Load(Key(50)).version, 0U) << "was never there";
}

TEST_P(SettledFamilies, WhatHasExpiredIsNotThereAndGoesWhenOthersSettle) {
  const ports::FamilyKey key = Key(9);
  ASSERT_EQ(Save(Paid(key)), SaveVerdict::kSaved);
  SaveRequest long_ago = LastRead(key);
  long_ago.retention = -std::chrono::days(3);
  ASSERT_EQ(Save(long_ago), SaveVerdict::kSaved);
  EXPECT_EQ(Load(key).version, 0U);
  Settle(Key(10));
  EXPECT_EQ(Counted("n"), 1);
  EXPECT_EQ(Load(Key(10)).version, 2U);
}

TEST_P(SettledFamilies, WhatHasMoreToItThanUsualStaysAsItIs) {
  for (const auto& change : std::vector<std::function<void(storage::v1::Snapshot&)>>{
           [](auto& snapshot) { snapshot.set_cycle_after("0"); },
           [](auto& snapshot) { snapshot.mutable_root()->set_status_text("unheard-of"); },
           [](auto& snapshot) { snapshot.mutable_root()->mutable_modified()->set_nanos(1); },
           [](auto& snapshot) {
             domain::SetPublished(snapshot.mutable_root(), events::v1::EVENT_WHAT_CREATED, 16);
           },
           [](auto& snapshot) { snapshot.mutable_root()->clear_status(); }}) {
    const ports::FamilyKey key = Key(11);
    const std::uint64_t version = Load(key).version;
    SaveRequest request = LastRead(key, version);
    request.seen_due = std::nullopt;
    change(request.snapshot);
    request.snapshot.set_epoch(Load(key).epoch);
    ASSERT_EQ(Save(request), SaveVerdict::kSaved);
    EXPECT_TRUE(HasHash(key));
    EXPECT_EQ(Load(key).snapshot.SerializeAsString(), request.snapshot.SerializeAsString());
  }
}

}  // namespace
}  // namespace tollbridge::test
