#include <gtest/gtest.h>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/fails_with.h"

namespace tollbridge::test {
namespace {

using ports::ClaimResult;
using ports::ClaimVerdict;

class OperationStoreFault : public OperationStoreContractTest {
 protected:
  static void ExpectReason(const absl::Status& status, std::string_view reason) {
    EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, reason));
  }
  void ExpectAllCallsFail(std::string_view reason) {
    const ports::Context context = Within();
    const ports::DueOperation due{.identity = Identity(1), .attempt = 1, .epoch = epoch_};
    ExpectReason(TryClaim(Identity(9)).status(), reason);
    ExpectReason(BeginStep(Identity(1), 1, "owner-1"), reason);
    ExpectReason(Run(world_->operations().Release(Identity(1), "owner-1", context)), reason);
    ExpectReason(Run(world_->operations().Finish(
                         Result(Identity(1), operations::v1::OPERATION_STATE_DONE), context))
                     .status(),
                 reason);
    ExpectReason(Run(world_->operations().InitializeEpoch(Id(1), context)).status(), reason);
    ExpectReason(Run(world_->unresolved().TakeDue("shop", 1, "token", kLease, context)).status(),
                 reason);
    ExpectReason(
        Run(world_->unresolved().Reschedule(due, "token", {.after = kLease}, context)).status(),
        reason);
    ExpectReason(Run(world_->unresolved().PullDue("shop", context)), reason);
    ExpectReason(Run(world_->unresolved().Survey("shop", context)).status(), reason);
    ExpectReason(TryRead(Id(1)).status(), reason);
    ExpectReason(Run(world_->registry().List({.project = "shop"}, context)).status(), reason);
    ExpectReason(Run(world_->registry().Close({.project = "shop", .id = Id(1)}, context)).status(),
                 reason);
    ExpectReason(
        Run(world_->registry().JudgeMark({.operation = Id(1)}, Entry().key, false, context))
            .status(),
        reason);
    ExpectReason(Run(world_->outbox().Take("shop", 1, kLease, context)).status(), reason);
    ExpectReason(Run(world_->outbox().Drained("shop", {{.place = "1-1"}}, context)), reason);
    ExpectReason(Run(world_->outbox().Retire("shop", 1, context)).status(), reason);
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationStoreFault,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationStoreFault, WhileNobodyServesEveryCallIsUnavailableAndAfterwardsAllIsThere) {
  Claim(Identity(1));
  world_->Stop();

  const BootTime start = BootClock::now();
  ExpectAllCallsFail(domain::reason::kStoreUnavailable);
  EXPECT_LT(BootClock::now() - start, std::chrono::seconds(5));

  world_->Restart();
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kInProgress);
  EXPECT_EQ(Claim(Identity(9)).verdict, ClaimVerdict::kLookFirst);
}

}  // namespace
}  // namespace tollbridge::test
