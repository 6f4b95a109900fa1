#include <gtest/gtest.h>

#include <vector>

#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "tests/contract/store_world.h"
#include "tests/support/fails_with.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::test {
namespace {

using ports::KnownOrder;

class KnownOrders : public StoreContractTest {
 protected:
  static constexpr WallTime kDue{ports::Millis(1'800'000'000'000)};

  static Uuid Id(std::uint8_t number) { return Uuid::V4({0xbb, number}); }

  void Record(const Uuid& order, common::v1::OrderStatus status, bool publishing = false,
              const std::vector<storage::v1::OrderState>& members = {}) {
    ports::SaveRequest request{.key = {.project = "shop", .root = order},
                               .expected_version = 0,
                               .snapshot = {},
                               .outbox = {},
                               .next_due = kDue,
                               .seen_due = std::nullopt,
                               .retention = std::chrono::days(400)};
    request.snapshot.set_stream("stream");
    request.snapshot.mutable_root()->set_status(status);
    *request.snapshot.mutable_root()->mutable_modified() =
        domain::ToTimestamp(kDue - ports::Millis(1'234));
    for (const storage::v1::OrderState& member : members) {
      *request.snapshot.add_members() = member;
    }
    if (publishing) request.outbox.add_entries()->set_id("event");
    ASSERT_EQ(*SaveFamily(request), ports::SaveVerdict::kSaved);
  }
  std::vector<KnownOrder> LookAt(const std::vector<Uuid>& orders,
                                 const std::string& project = "shop") {
    absl::StatusOr<std::vector<KnownOrder>> known =
        Run(world_->known_orders().LookAt(project, orders, Within()));
    EXPECT_TRUE(known.ok()) << known.status();
    return known.ok() ? *std::move(known) : std::vector<KnownOrder>{};
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, KnownOrders, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(KnownOrders, NothingIsKnownOfAnOrderThatNobodyRead) {
  const std::vector<KnownOrder> known = LookAt({Id(1)});
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].root, Id(1));
  EXPECT_FALSE(known[0].recorded);
  EXPECT_FALSE(known[0].due.has_value());
  EXPECT_FALSE(known[0].publishing);
}

TEST_P(KnownOrders, AnswersForEachOrderInTheOrderAsked) {
  Record(Id(1), common::v1::ORDER_STATUS_COMPLETED);
  Record(Id(3), common::v1::ORDER_STATUS_PROCESSING, /*publishing=*/true);
  const std::vector<KnownOrder> known = LookAt({Id(3), Id(2), Id(1), Id(3)});
  ASSERT_EQ(known.size(), 4U);
  EXPECT_EQ(known[0].status, common::v1::ORDER_STATUS_PROCESSING);
  EXPECT_TRUE(known[0].publishing);
  EXPECT_FALSE(known[1].recorded);
  EXPECT_TRUE(known[2].recorded);
  EXPECT_EQ(known[2].status, common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_EQ(known[2].modified, kDue - ports::Millis(1'234));
  EXPECT_EQ(known[2].due, kDue);
  EXPECT_FALSE(known[2].publishing);
  EXPECT_EQ(known[3].status, common::v1::ORDER_STATUS_PROCESSING);
}

TEST_P(KnownOrders, AMemberIsKnownByItsRootsSnapshot) {
  storage::v1::OrderState refund;
  refund.set_order_id(Id(2).ToBytes());
  refund.set_status_text("half-way");
  storage::v1::OrderState never_read;
  never_read.set_order_id(Id(3).ToBytes());
  Record(Id(1), common::v1::ORDER_STATUS_COMPLETED, /*publishing=*/true, {refund, never_read});
  const std::vector<KnownOrder> known = LookAt({Id(2), Id(3), Id(1)});
  ASSERT_EQ(known.size(), 3U);
  EXPECT_EQ(known[0].root, Id(1));
  EXPECT_TRUE(known[0].recorded);
  EXPECT_EQ(known[0].status_text, "half-way");
  EXPECT_FALSE(known[0].modified.has_value());
  EXPECT_EQ(known[0].due, kDue) << "the family's";
  EXPECT_TRUE(known[0].publishing);
  EXPECT_EQ(known[1].root, Id(1));
  EXPECT_FALSE(known[1].recorded);
  EXPECT_EQ(known[2].root, Id(1));
  EXPECT_EQ(known[2].status, common::v1::ORDER_STATUS_COMPLETED);
}

TEST_P(KnownOrders, AnOrderThatIsOnlyDueIsNotRecorded) {
  ASSERT_TRUE(
      Run(world_->due_queue().Enter({.project = "shop", .root = Id(1)}, kDue, Within())).ok());
  const std::vector<KnownOrder> known = LookAt({Id(1)});
  ASSERT_EQ(known.size(), 1U);
  EXPECT_FALSE(known[0].recorded);
  EXPECT_EQ(known[0].due, kDue);
}

TEST_P(KnownOrders, AnOrderIsNotedAsSeenUntilItIsRead) {
  const auto note = [&](std::uint8_t number, bool seen) {
    const ports::FamilyKey key{.project = "shop", .root = Id(number)};
    EXPECT_TRUE(Run(world_->due_queue().Enter(key, kDue, Within())).ok());
    EXPECT_TRUE(Run(world_->due_queue().Note(key, {.at = kDue, .seen = seen}, Within())).ok());
  };
  note(1, true);
  note(2, false);
  EXPECT_TRUE(LookAt({Id(1)}).at(0).noted_as_seen);
  EXPECT_FALSE(LookAt({Id(2)}).at(0).noted_as_seen);
  EXPECT_FALSE(LookAt({Id(3)}).at(0).noted_as_seen);
  Record(Id(1), common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_FALSE(LookAt({Id(1)}).at(0).noted_as_seen);
}

TEST_P(KnownOrders, ProjectsAreApart) {
  Record(Id(1), common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_FALSE(LookAt({Id(1)}, "other").at(0).recorded);
}

TEST_P(KnownOrders, AHundredOrdersAreOneRoundTrip) {
  std::vector<Uuid> orders;
  for (std::uint8_t i = 0; i < 100; ++i) orders.push_back(Id(i));
  LookAt(orders);
  const std::uint64_t before = world_->round_trips();
  EXPECT_EQ(LookAt(orders).size(), 100U);
  EXPECT_EQ(world_->round_trips() - before, 1U);
}

TEST_P(KnownOrders, WhileNobodyServesTheCallIsUnavailable) {
  world_->Stop();
  const std::vector<Uuid> orders = {Id(1)};
  const absl::Status status = Run(world_->known_orders().LookAt("shop", orders, Within())).status();
  EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
}

}  // namespace
}  // namespace tollbridge::test
