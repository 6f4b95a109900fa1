// What the scripts leave in Redis: keys, indexes, lifetimes, sizes and round trips. What they
// answer is in tests/contract.
#include <gtest/gtest.h>

#include <string>

#include "adapters/redis/operation_registry.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/redis/unresolved_operations.h"
#include "adapters/system/system_clock.h"
#include "services/domain/published.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/operation_records.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/adapters/redis/redis_fixture.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::redis {
namespace {

using ports::ClaimVerdict;
using ports::FinishVerdict;
using ports::OperationState;

constexpr const char* kOrder = "5f1c3a52-7a3e-4a53-9e0c-0d7d1f6f0001";
constexpr ports::Millis kLease{30'000};

class RecordsTest : public RedisTest {
 protected:
  RecordsTest() : connection_(Connected()) {
    EXPECT_TRUE(*Run(store_.InitializeEpoch(Uuid::V4({1}), Within())));
  }

  static ports::OperationIdentity Identity(std::uint8_t number,
                                           std::optional<std::string> gate = std::nullopt) {
    return {.id = Uuid::V4({0xaa, number}),
            .rpc = "tollbridge.payments.v1.Payments/CreateOrder",
            .project = "shop",
            .fingerprints = {{.key_id = "k1", .digest = std::string(32, 'd')}},
            .capture_mode = "manual",
            .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            .gate_order = std::move(gate)};
  }
  static std::string RecordKey(const ports::OperationIdentity& identity) {
    return test::RecordKey(identity.id);
  }
  std::string Field(const std::string& key, const std::string& name) {
    return Ask(*connection_, test::GetField(key, name)).text;
  }
  ports::ClaimResult Claim(const ports::OperationIdentity& identity) {
    const ports::ClaimRequest request{
        .identity = identity,
        .owner = "gateway-1/1",
        .lease = kLease,
        .good_for = std::chrono::seconds(5),
        .first_step = {.name = "create_order", .amount = 1250, .currency = "EUR"}};
    absl::StatusOr<ports::ClaimResult> result = Run(store_.Claim(request, Within()));
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    epoch_ = result->epoch;
    return *result;
  }
  FinishVerdict Finish(const ports::OperationIdentity& identity, OperationState to,
                       std::uint32_t attempt = 1) {
    const ports::FinishRequest request{
        .identity = identity,
        .attempt = attempt,
        .epoch = epoch_,
        .owner = "gateway-1/1",
        .step = {.name = "create_order", .order_id = kOrder, .amount = 1250, .currency = "EUR"},
        .to = to,
        .review_reason =
            to == operations::v1::OPERATION_STATE_NEEDS_REVIEW ? ports::review::kAmbiguous : "",
        .reason = "201",
        .outcome = to == operations::v1::OPERATION_STATE_DONE ? std::string(900, 'x') : "",
        .order = ports::OrderEntry{.key = {.project = "shop", .root = *Uuid::Parse(kOrder)},
                                   .capture_mode = "manual",
                                   .traceparent = identity.traceparent}};
    const absl::StatusOr<FinishVerdict> verdict = Run(store_.Finish(request, Within()));
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(FinishVerdict::kNotOurs);
  }
  std::int64_t AskInteger(Command command) {
    return Ask(*connection_, std::move(command)).AsInteger().value_or(-1);
  }
  std::int64_t Indexed(const std::string& state) {
    return AskInteger({"ZCARD", test::ShopKeys() + "operations:" + state});
  }

  std::unique_ptr<Connection> connection_;
  system::SystemClock clock_;
  test::FakeRng rng_;
  ScriptRunner scripts_{*connection_,
                        test::TestKeyspace(),
                        {.entry_retention = std::chrono::days(400)},
                        clock_,
                        rng_};
  RedisOperationStore store_{scripts_, scripts_};
  RedisUnresolvedOperations unresolved_{scripts_};
  RedisOperationRegistry registry_{scripts_};
  std::string epoch_;
};

TEST_F(RecordsTest, ClaimAndFinishAreOneRoundTripEach) {
  Claim(Identity(1));
  Finish(Identity(1), operations::v1::OPERATION_STATE_DONE);
  const std::uint64_t before = connection_->commands_sent();
  Claim(Identity(2, kOrder));
  EXPECT_EQ(connection_->commands_sent(), before + 1);
  Finish(Identity(2, kOrder), operations::v1::OPERATION_STATE_DONE);
  EXPECT_EQ(connection_->commands_sent(), before + 2);
}

TEST_F(RecordsTest, EachOpenStateHasAnIndexAndClosedOnesHaveNone) {
  Claim(Identity(1));
  EXPECT_EQ(Indexed("running"), 1);
  EXPECT_EQ(Indexed("due"), 0);
  Finish(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(Indexed("running"), 0);
  EXPECT_EQ(Indexed("due"), 1);
  EXPECT_EQ(Indexed("unknown"), 1);
  Finish(Identity(1), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(Indexed("unknown"), 0);
  EXPECT_EQ(Indexed("due"), 0);
  EXPECT_EQ(Indexed("needs_review"), 1);
  EXPECT_EQ(
      Ask(*connection_, {"HGET", test::ShopKeys() + "operations:reviews", "AMBIGUOUS_EVIDENCE"})
          .text,
      "1");
  Finish(Identity(1), operations::v1::OPERATION_STATE_DONE);
  EXPECT_EQ(Indexed("needs_review"), 0);
  EXPECT_EQ(AskInteger({"EXISTS", test::ShopKeys() + "operations:reviews"}), 0);
}

TEST_F(RecordsTest, ALateEffectHasAReviewRecordOfItsOwnThatStays) {
  Claim(Identity(1));
  Finish(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  ASSERT_EQ(Claim(Identity(1)).attempt, 2U);
  ASSERT_EQ(Finish(Identity(1), operations::v1::OPERATION_STATE_DONE, 1),
            FinishVerdict::kLateEffect);
  ASSERT_EQ(Finish(Identity(1), operations::v1::OPERATION_STATE_DONE, 1),
            FinishVerdict::kLateEffect);

  const std::string review =
      test::ShopKeys() + "o:" + LateEffectId(Identity(1).id, epoch_, 1).ToBytes();
  EXPECT_EQ(Field(review, "s"), "V");
  EXPECT_EQ(Field(review, "y"), "LATE_EFFECT");
  EXPECT_EQ(Field(review, "o"), kOrder);
  EXPECT_EQ(Field(review, "ro"), Identity(1).id.ToBytes());
  EXPECT_EQ(Field(review, "z"), std::string(900, 'x'));
  EXPECT_EQ(Field(review, "g"), "");
  EXPECT_EQ(AskInteger({"PTTL", review}), -1);
  EXPECT_EQ(Indexed("needs_review"), 1);
  EXPECT_EQ(Field(RecordKey(Identity(1)), "s"), "R");
}

TEST_F(RecordsTest, TheGateOfAnOperationThatIsGoneOrClosedIsFree) {
  Claim(Identity(1, kOrder));
  ASSERT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
  Ask(*connection_, {"DEL", RecordKey(Identity(1))});
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed);
  Ask(*connection_, test::SetField(RecordKey(Identity(2)), "s", "D"));
  EXPECT_EQ(Claim(Identity(3, kOrder)).verdict, ClaimVerdict::kClaimed);
}

TEST_F(RecordsTest, ARunningOperationThatHadNothingSentBecomesNotExecuted) {
  Claim(Identity(1, kOrder));
  Ask(*connection_, test::SetField(RecordKey(Identity(1)), "p", ""));
  scripts_.SetTimeOffset(kLease);
  const auto due = Run(unresolved_.TakeDue("shop", 10, "token", kLease, Within()));
  ASSERT_TRUE(due.ok());
  ASSERT_EQ(due->expired.size(), 1U);
  EXPECT_EQ(due->expired.front().became, operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(due->to_look_at.empty());
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed);
}

TEST_F(RecordsTest, AnIndexEntryWithoutItsRecordIsDropped) {
  Claim(Identity(1));
  Ask(*connection_, {"DEL", RecordKey(Identity(1))});
  scripts_.SetTimeOffset(kLease);
  EXPECT_TRUE(Run(unresolved_.TakeDue("shop", 10, "token", kLease, Within()))->expired.empty());
  EXPECT_EQ(Indexed("due"), 0);
  EXPECT_EQ(Indexed("running"), 0);
}

TEST_F(RecordsTest, AnEpochIsReadAgainOnEachNewConnection) {
  Claim(Identity(1));
  const std::string run = Ask(*connection_, {"HGET", "tb:epoch", "run"}).text;
  Ask(*connection_, {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no"});
  ASSERT_TRUE(test::RunUntil(context_, [&] { return connection_->generation() == 2; }));
  // As another process leaves it that begins one.
  const std::string before = Ask(*connection_, {"HGET", "tb:epoch", "id"}).text;
  Ask(*connection_,
      {"HSET", "tb:epoch", "id", "11111111-2222-4333-8444-555555555555", "earlier", before});
  const ports::ClaimResult same_server = Claim(Identity(2));
  EXPECT_EQ(same_server.epoch, "11111111");
  EXPECT_FALSE(same_server.doubtful);
  EXPECT_EQ(Ask(*connection_, {"HGET", "tb:epoch", "run"}).text, run);
}

TEST_F(RecordsTest, AForeignValueInARecordIsAnErrorAndNotACrash) {
  Ask(*connection_, {"HSET", RecordKey(Identity(1)), "no", "string"});
  const ports::ClaimRequest request{.identity = Identity(1),
                                    .owner = "gateway-1/1",
                                    .lease = kLease,
                                    .good_for = std::chrono::seconds(5),
                                    .first_step = {.name = "create_order"}};
  EXPECT_EQ(Run(store_.Claim(request, Within())).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(Run(registry_.Read("shop", Identity(1).id, Within())).status().code(),
            absl::StatusCode::kInternal);
}

/// What is kept of an order that was published as usual.
storage::v1::OrderState CompletedState(events::v1::EventKind kind) {
  storage::v1::OrderState state;
  state.set_status(common::v1::ORDER_STATUS_COMPLETED);
  state.mutable_modified()->set_seconds(1'800'000'000);
  state.mutable_modified()->set_nanos(123'456'000);
  state.set_kind(kind);
  state.set_own_checkout(true);
  state.set_capturable_seen(true);
  state.set_last_outcome(events::v1::EVENT_WHAT_COMPLETED);
  state.set_outcome_by_order(true);
  for (const events::v1::EventWhat what :
       {events::v1::EVENT_WHAT_CREATED, events::v1::EVENT_WHAT_PROCESSING,
        events::v1::EVENT_WHAT_COMPLETED}) {
    domain::SetPublished(&state, what, 1);
  }
  return state;
}

TEST_F(RecordsTest, AFamilyWithItsDueEntryTakesAtMost400Bytes) {
  constexpr int kFamilies = 1000;
  RedisSnapshotStore snapshots(scripts_);
  std::int64_t family_bytes = 0;
  for (int i = 0; i < kFamilies; ++i) {
    const Uuid root =
        Uuid::V4({0xf0, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i & 0xff)});
    ports::FinishRequest finish{.identity = Identity(1),
                                .attempt = 1,
                                .epoch = "00000000",
                                .owner = "gateway-1/1",
                                .to = operations::v1::OPERATION_STATE_DONE,
                                .order = ports::OrderEntry{.key = {.project = "shop", .root = root},
                                                           .capture_mode = "manual",
                                                           .traceparent = Identity(1).traceparent}};
    finish.identity.id = root;
    ASSERT_TRUE(Run(store_.Finish(finish, Within())).ok());

    ports::SaveRequest save{.key = finish.order->key,
                            .expected_version = 0,
                            .seen_capture_mode = "manual",
                            .next_due = WallTime(ports::Millis(1'800'000'000'000)),
                            .retention = std::chrono::days(400)};
    save.snapshot.set_stream(std::string(16, '\x7f'));
    save.snapshot.set_sequence(3);
    save.snapshot.set_began(1'800'000'000);
    *save.snapshot.mutable_root() = CompletedState(events::v1::EVENT_KIND_PAYMENT);
    // An outbox that came and went must leave nothing behind.
    save.outbox.add_entries()->set_payload(std::string(1500, 'x'));
    save.snapshot.set_epoch(Run(snapshots.Load(save.key, Within()))->epoch);
    ASSERT_EQ(*Run(snapshots.Save(save, Within())), ports::SaveVerdict::kSaved);
    ASSERT_TRUE(*Run(snapshots.ClearOutbox(save.key, 1, save.snapshot.epoch(), Within())));
    family_bytes =
        AskInteger({"MEMORY", "USAGE", test::ShopKeys() + "f:" + root.ToBytes(), "SAMPLES", "0"});
  }
  const std::int64_t due_bytes =
      AskInteger({"MEMORY", "USAGE", test::ShopKeys() + "due", "SAMPLES", "0"}) / kFamilies;
  RecordProperty("family_bytes", static_cast<int>(family_bytes));
  RecordProperty("due_entry_bytes", static_cast<int>(due_bytes));
  EXPECT_GT(family_bytes, 0);
  EXPECT_LE(family_bytes + due_bytes, 400) << family_bytes << " + " << due_bytes;
}

TEST_F(RecordsTest, AFamilyWithRefundsStaysInTheSmallEncoding) {
  RedisSnapshotStore snapshots(scripts_);
  ports::SaveRequest save{.key = {.project = "shop", .root = Uuid::V4({0xf1})},
                          .retention = std::chrono::days(400)};
  save.snapshot.set_stream(std::string(16, '\x7f'));
  *save.snapshot.mutable_root() = CompletedState(events::v1::EVENT_KIND_PAYMENT);
  for (std::uint8_t i = 0; i < 20; ++i) {
    storage::v1::OrderState member = CompletedState(events::v1::EVENT_KIND_REFUND);
    member.set_order_id(Uuid::V4({0xf2, i}).ToBytes());
    *save.snapshot.add_members() = member;
  }
  save.snapshot.set_epoch(Run(snapshots.Load(save.key, Within()))->epoch);
  ASSERT_EQ(*Run(snapshots.Save(save, Within())), ports::SaveVerdict::kSaved);
  const std::string key = test::ShopKeys() + "f:" + save.key.root.ToBytes();
  EXPECT_EQ(Ask(*connection_, {"OBJECT", "ENCODING", key}).text, "listpack");
}

}  // namespace
}  // namespace tollbridge::redis
