// What the auditor says of keys, ids and projects.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/chaos/audit_world.h"
#include "tests/chaos/auditor/audit.h"

namespace tollbridge::chaos {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kOther = "another project";

TEST(AuditProjectsTest, AnOrderThatIsMadeInAnotherProjectIsFound) {
  AuditWorld world;
  for (KnownOrder& order : world.history.orders) {
    if (order.id == AuditWorld::Id("order-to-void")) order.project = kOther;
  }
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherProject));
}

TEST(AuditProjectsTest, AnEffectInAnotherProjectIsFound) {
  for (const std::string what : {"refund", "payout", "capture", "void", "charge"}) {
    AuditWorld world;
    std::ranges::find(world.history.ledger, what, &Effect::effect)->project = kOther;
    EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherProject)) << what;
  }
}

TEST(AuditProjectsTest, ALinkIsThatOfTheKeyInItsOwnProject) {
  AuditWorld world;
  std::ranges::find(world.history.ledger, "payment_link", &Effect::effect)->project = kOther;
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kEffectWithoutOperation));
}

TEST(AuditProjectsTest, AnOrderThatAnotherProjectsOperationHoldsIsFound) {
  AuditWorld world;
  world.TellError("refund-order-to-void", "CreateRefund", "ORDER_BUSY", "SAFE_SAME_KEY");
  world.history.told.back().holder = AuditWorld::OperationOf("void-order-to-void");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  for (Told& told : world.history.told) {
    if (told.key == "refund-order-to-void") told.project = kOther;
  }
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherProject));
}

TEST(AuditCallersTest, AWrongIdIsToldNoResult) {
  AuditWorld world;
  world.told("refund-shirt").wrong = "order";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kWrongIdDone));
}

TEST(AuditCallersTest, AWrongIdAsksForNoEffect) {
  AuditWorld world;
  world.told("pay-shirt").wrong = "transaction";
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kEffectWithoutOperation));
}

TEST(AuditCallersTest, AWrongIdWantsNoPerson) {
  for (const bool wrong : {false, true}) {
    AuditWorld world;
    world.Tell("refund-watch", "CreateRefund").pending = "NEEDS_REVIEW";
    if (wrong) world.told("refund-watch").wrong = "order";
    world.Record("refund-watch", "CreateRefund", "RUNNING");
    world.Record("refund-watch", "CreateRefund", "NEEDS_REVIEW");
    world.Leave("refund-watch", "CreateRefund", "NEEDS_REVIEW", "ABSENT_NOT_REPEATABLE");
    EXPECT_EQ(Kinds(Audit(world.history)).contains(contradiction::kUnexplainedReview), wrong);
  }
}

TEST(AuditCallersTest, AKeyWhoseCallsAreAllTheSameIsItsOwn) {
  AuditWorld world;
  world.TellError("refund-shirt", "CreateRefund", "IDEMPOTENCY_KEY_REUSED", "AFTER_CHANGE");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kKeyTaken));
  world.history.told.back().amount += 1;
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
}

TEST(AuditCallersTest, AKeyIsNotRefusedAfterItWasDoneNorTheOtherWay) {
  AuditWorld world;
  world.TellError("refund-shirt", "CreateRefund", "UPSTREAM_REFUSED", "AFTER_CHANGE");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kAnsweredAnew));

  AuditWorld other;
  std::erase_if(other.history.told, [](const Told& told) { return told.key == "refund-shirt"; });
  other.TellError("refund-shirt", "CreateRefund", "UPSTREAM_REFUSED", "AFTER_CHANGE");
  other.history.told.back().began = 1;
  other.TellResult("refund-shirt", "CreateRefund", "shirt-refund");
  EXPECT_THAT(Kinds(Audit(other.history)), ElementsAre(contradiction::kAnsweredAnew));
  // Where the store failed, the refusal may not have been recorded.
  other.history.disturbances.push_back({other.history.told.back().at - 1, "store_failed"});
  EXPECT_THAT(Kinds(Audit(other.history)), IsEmpty());
}

TEST(AuditCallersTest, ALinkIsForgottenWithTheMemoryAndNotInAFailover) {
  for (const std::string what : {"memory_lost", "store_failed_over", "store_failed"}) {
    AuditWorld world;
    world.history.disturbances.push_back({world.told("link-1").at, what});
    world.TellError("link-1", "CreatePaymentLink", "STORE_DOUBTFUL", "SAFE_SAME_KEY");
    world.AddLink("link-1", "second link");
    world.TellResult("link-1", "CreatePaymentLink", "second link");
    const bool found = Kinds(Audit(world.history)).contains(contradiction::kTwoResults);
    EXPECT_EQ(found, what != "memory_lost") << what;
  }
}

TEST(AuditCallersTest, AnAttemptThatNobodyWaitsForIsFound) {
  AuditWorld world;
  constexpr TimeMs kLong = 10'000;
  world.TellError("refund-watch", "CreateRefund", "STORE_UNAVAILABLE", "SAFE_SAME_KEY");
  OperationLine& begun = world.Record("refund-watch", "CreateRefund", "RUNNING");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kLostOperation));
  begun.at += kLong;
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kClaimedForNobody));
  // Another call of its key is under way then.
  world.TellError("refund-watch", "CreateRefund", "OPERATION_IN_PROGRESS", "SAFE_SAME_KEY");
  world.history.told.back().at += 2 * kLong;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kLostOperation));
}

}  // namespace
}  // namespace tollbridge::chaos
