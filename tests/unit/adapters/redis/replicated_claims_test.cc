// Claims that wait for replicas (docs/design/operations.md#rule-13), on a real primary with and
// without one.
#include <gtest/gtest.h>

#include <string>

#include "adapters/redis/operation_store.h"
#include "adapters/redis/script_runner.h"
#include "adapters/system/system_clock.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "tests/support/fails_with.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/operation_records.h"
#include "tests/support/series.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/adapters/redis/redis_fixture.h"

namespace tollbridge::redis {
namespace {

using ports::ClaimVerdict;

constexpr ports::Millis kLease{30'000};
constexpr const char* kOrder = "5f1c3a52-7a3e-4a53-9e0c-0d7d1f6f0001";

class ReplicatedClaims : public RedisTest {
 protected:
  /// Short: where there is no replica each claim waits so long.
  explicit ReplicatedClaims(
      std::chrono::milliseconds replica_timeout = std::chrono::milliseconds(20))
      : options_{.entry_retention = std::chrono::days(400),
                 .min_replicas = 1,
                 .replica_timeout = replica_timeout} {
    EXPECT_TRUE(*Run(store_.InitializeEpoch(Uuid::V4({1}), Within())));
  }

  static ports::OperationIdentity Identity(std::uint8_t number) {
    return {.id = Uuid::V4({0xaa, number}),
            .rpc = "tollbridge.payments.v1.Payments/Capture",
            .project = "shop",
            .fingerprints = {{.key_id = "k1", .digest = "d"}},
            .capture_mode = "",
            .traceparent = "",
            .gate_order = kOrder};
  }
  absl::StatusOr<ports::ClaimResult> Claim(std::uint8_t number) {
    const ports::ClaimRequest request{.identity = Identity(number),
                                      .owner = "gateway-1/1",
                                      .lease = kLease,
                                      .good_for = std::chrono::seconds(5),
                                      .first_step = {.name = "capture"}};
    return Run(store_.Claim(request, Within()));
  }
  std::string StateOfRecord(std::uint8_t number) {
    return Ask(*connection_, test::GetField(test::RecordKey(Identity(number).id), "s")).text;
  }
  /// Returns when the replica follows.
  void StartReplica() {
    replica_.emplace(
        std::vector<std::string>{"--replicaof", "127.0.0.1 " + std::to_string(server_.port())});
    for (int tries = 0; tries < 1000; ++tries) {
      Ask(*connection_, {"INCR", "written"});
      if (Ask(*connection_, {"WAIT", "1", "20"}).integer == 1) return;
    }
    ADD_FAILURE() << "the replica does not follow";
  }

  OperationStoreOptions options_;
  std::unique_ptr<Connection> connection_ = Connected();
  std::unique_ptr<Connection> claims_connection_ = Connected();
  system::SystemClock clock_;
  test::FakeRng rng_;
  ScriptRunner scripts_{*connection_, test::TestKeyspace(), options_, clock_, rng_};
  ScriptRunner claims_{*claims_connection_, test::TestKeyspace(), options_, clock_, rng_};
  RedisOperationStore store_{scripts_, claims_};
  std::optional<test::RedisServer> replica_;
};

/// With a replica that is waited for as long as it takes on a busy machine.
class ClaimsWithAReplica : public ReplicatedClaims {
 protected:
  ClaimsWithAReplica() : ReplicatedClaims(std::chrono::seconds(2)) { StartReplica(); }
};

TEST_F(ReplicatedClaims, AClaimThatNoReplicaHasIsUndone) {
  const absl::Status refused = Claim(1).status();

  EXPECT_THAT(refused, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  EXPECT_EQ(StateOfRecord(1), "N");
  EXPECT_EQ(Ask(*connection_, {"EXISTS", test::ShopKeys() + "g:" + Uuid::Parse(kOrder)->ToBytes()})
                .integer,
            0);
  // Also where the script had to be given again.
  Ask(*connection_, {"SCRIPT", "FLUSH"});
  EXPECT_EQ(Claim(1).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(StateOfRecord(1), "N");
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kReplicasMissing, {"redis"}), 2);
}

TEST_F(ClaimsWithAReplica, AResultThatNoReplicaHasIsNotRecordedWhereItMustBeReplicated) {
  const absl::StatusOr<ports::ClaimResult> claim = Claim(1);
  ASSERT_TRUE(claim.ok()) << claim.status();
  ports::FinishRequest result{.identity = Identity(1),
                              .attempt = claim->attempt,
                              .epoch = claim->epoch,
                              .owner = "owner-1",
                              .to = operations::v1::OPERATION_STATE_DONE};
  result.replicated = true;
  replica_->Stop();
  EXPECT_THAT(Run(store_.Finish(result, {.deadline = Soon()})).status(),
              FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  result.replicated = false;
  EXPECT_EQ(Run(store_.Finish(result, {.deadline = Soon()})).value(),
            ports::FinishVerdict::kAlreadyClosed)
      << "it stands there, and asking again is safe";
}

/// The engine tells it as pending where nothing else shows it: a failover would lose it.
TEST_F(ClaimsWithAReplica, AClaimSaysThatTheReplicasAreNotThere) {
  const absl::StatusOr<ports::ClaimResult> claim = Claim(1);
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_TRUE(claim->replicated);
  ports::FinishRequest result{.identity = Identity(1),
                              .attempt = claim->attempt,
                              .epoch = claim->epoch,
                              .owner = "owner-1",
                              .to = operations::v1::OPERATION_STATE_DONE};
  replica_->Stop();
  ASSERT_TRUE(Run(store_.Finish(result, {.deadline = Soon()})).ok());
  const absl::StatusOr<ports::ClaimResult> again = Claim(1);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->verdict, ClaimVerdict::kDone);
  EXPECT_FALSE(again->replicated);
}

TEST_F(ClaimsWithAReplica, AClaimThatAReplicaHasIsOneRoundTripOnItsOwnConnection) {
  const absl::StatusOr<ports::ClaimResult> first = Claim(1);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kReplicasMissing, {"redis"}), 0);
  ASSERT_TRUE(Run(store_.Release(Identity(1), "gateway-1/1", Within())).ok());
  const std::uint64_t others = connection_->commands_sent();
  const std::uint64_t before = claims_connection_->commands_sent();

  const absl::StatusOr<ports::ClaimResult> second = Claim(1);

  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->attempt, 2U);
  EXPECT_EQ(claims_connection_->commands_sent(), before + 1);
  EXPECT_EQ(connection_->commands_sent(), others);
  Ask(*connection_, {"SCRIPT", "FLUSH"});
  ASSERT_TRUE(Run(store_.Release(Identity(1), "gateway-1/1", Within())).ok());
  EXPECT_TRUE(Claim(1).ok()) << "given again, and waited for";
}

TEST_F(ClaimsWithAReplica, AFurtherStepThatNoReplicaHasMayNotBeSent) {
  const absl::StatusOr<ports::ClaimResult> claimed = Claim(1);
  ASSERT_TRUE(claimed.ok()) << claimed.status();
  const auto begin = [&](const char* name) {
    return Run(
        store_.BeginStep(Identity(1), *claimed, "gateway-1/1", {.name = name}, kLease, Within()));
  };
  EXPECT_TRUE(begin("second").ok());
  replica_.reset();
  EXPECT_EQ(begin("third").code(), absl::StatusCode::kUnavailable);
}

TEST_F(ReplicatedClaims, WhatStandsThereIsAnsweredWithoutReplicas) {
  ASSERT_FALSE(Claim(1).ok());
  Ask(*connection_, test::SetField(test::RecordKey(Identity(1).id), "s", "D"));
  const absl::StatusOr<ports::ClaimResult> replay = Claim(1);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_EQ(replay->verdict, ClaimVerdict::kDone);
}

}  // namespace
}  // namespace tollbridge::redis
