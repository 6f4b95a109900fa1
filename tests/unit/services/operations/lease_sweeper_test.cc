#include "services/operations/lease_sweeper.h"

#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

class LeaseSweeperTest : public EngineTest {
 protected:
  /// Claims like an owner that dies with SENT.
  void ClaimAndDie(const std::string& key) {
    ports::ClaimRequest claim;
    claim.identity.id = OperationId(TestProject().id, key);
    claim.identity.rpc = "tollbridge.payments.v1.Payments/CreateOrder";
    claim.identity.fingerprints = {{"f1", "digest"}};
    claim.owner = "dead";
    claim.lease = settings_.lease;
    const auto claimed = test::Await(context_, memory_.Claim(claim, CallContext()));
    ASSERT_TRUE(claimed.ok());
  }
  bool RunUntilAsleep() {
    return test::RunUntil(context_, [&] { return clock_.sleepers() == 1; });
  }

  LeaseSweeper sweeper_{context_.get_executor(), store_, clock_, metrics_, settings_.sweep_interval,
                        settings_.store_timeout};
};

TEST_F(LeaseSweeperTest, ClosesOperationsOfDeadOwners) {
  ClaimAndDie("key");
  sweeper_.Start();
  ASSERT_TRUE(RunUntilAsleep());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_RUNNING);
  clock_.Advance(settings_.lease);
  ASSERT_TRUE(test::RunUntil(context_, [&] { return store_.calls.size() == 2; }));
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
}

TEST_F(LeaseSweeperTest, GoesOnWithoutWaitingWhileThereAreMore) {
  for (int i = 0; i < 150; ++i) ClaimAndDie("key " + std::to_string(i));
  clock_.Advance(settings_.lease);
  sweeper_.Start();
  ASSERT_TRUE(RunUntilAsleep());
  EXPECT_EQ(store_.calls.size(), 2U);
  EXPECT_EQ(State("key 149"), v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(State("key 0"), v1::OPERATION_STATE_UNKNOWN);
}

TEST_F(LeaseSweeperTest, GoesOnAfterTheStoreWasDown) {
  store_.fail_sweeps = 1;
  ClaimAndDie("key");
  clock_.Advance(settings_.lease);
  sweeper_.Start();
  ASSERT_TRUE(RunUntilAsleep());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_RUNNING);
  clock_.Advance(settings_.sweep_interval);
  ASSERT_TRUE(test::RunUntil(context_, [&] { return store_.calls.size() == 2; }));
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
}

TEST_F(LeaseSweeperTest, EndsAtStop) {
  sweeper_.Start();
  ASSERT_TRUE(RunUntilAsleep());
  sweeper_.Stop();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return clock_.sleepers() == 0; }));
  context_.restart();
  context_.run();  // returns only when no coroutine is left waiting
  EXPECT_EQ(store_.calls.size(), 1U);
}

}  // namespace
}  // namespace tollbridge::operations
