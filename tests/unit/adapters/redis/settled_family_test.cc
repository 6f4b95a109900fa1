#include "adapters/redis/settled_family.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "services/domain/published.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::redis {
namespace {

using std::string_literals::operator""s;

/// What settled.lua puts before it.
const std::string kDay = "\x50\x00"s;

/// An order that failed and was paid after all, of which a person was asked twice.
storage::v1::Snapshot Recovered() {
  storage::v1::Snapshot snapshot;
  snapshot.set_began(1'763'000'000);
  storage::v1::OrderState& root = *snapshot.mutable_root();
  root.set_status(common::v1::ORDER_STATUS_COMPLETED);
  root.mutable_modified()->set_seconds(1'763'000'001);
  root.mutable_modified()->set_nanos(2'000);
  root.set_kind(events::v1::EVENT_KIND_AUTHORIZATION);
  root.set_own_checkout(true);
  root.set_outcome_by_order(true);
  root.set_last_outcome(events::v1::EVENT_WHAT_COMPLETED);
  domain::SetPublished(&root, events::v1::EVENT_WHAT_CREATED, 1);
  domain::SetPublished(&root, events::v1::EVENT_WHAT_FAILED, 1);
  domain::SetPublished(&root, events::v1::EVENT_WHAT_COMPLETED, 1);
  domain::SetPublished(&root, events::v1::EVENT_WHAT_NEEDS_REVIEW, 2);
  return snapshot;
}

bool IsSame(const storage::v1::Snapshot& one, const storage::v1::Snapshot& other) {
  return google::protobuf::util::MessageDifferencer::Equals(one, other);
}

/// What one release has settled the next one reads, for 400 days: these bytes are for ever.
TEST(SettledFamilyTest, WhatIsStoredMeansTheSameForEver) {
  const std::string bytes =
      "\x05"                  // version
      "\xc0\xfd\xd4\xc8\x06"  // when its life began
      "\x3d"                  // completed; own checkout, by the order, with a time
      "\x23"                  // authorization; completed
      "\x84\x89\x7a"          // 1,000,002 us later, as zigzag
      "\x11\x61\x31\x72"s;    // created, failed and completed once, needs_review twice
  EXPECT_EQ(PackSettled(Recovered(), 5), bytes);
  const std::optional<SettledFamily> read = UnpackSettled(kDay + bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, 5U);
  EXPECT_TRUE(IsSame(read->snapshot, Recovered())) << read->snapshot.DebugString();
}

TEST(SettledFamilyTest, EachMarkOfAnOrderIsKeptApart) {
  for (unsigned marks = 0; marks < 8; ++marks) {
    storage::v1::Snapshot snapshot = Recovered();
    snapshot.mutable_root()->set_own_checkout((marks & 1U) != 0);
    snapshot.mutable_root()->set_capturable_seen((marks & 2U) != 0);
    snapshot.mutable_root()->set_outcome_by_order((marks & 4U) != 0);
    const std::optional<std::string> packed = PackSettled(snapshot, 1);
    ASSERT_TRUE(packed);
    EXPECT_TRUE(IsSame(UnpackSettled(kDay + *packed)->snapshot, snapshot)) << marks;
    const unsigned flags = static_cast<unsigned char>(packed->at(6)) % 16U;
    EXPECT_EQ(flags, marks + 8U) << "these too are for ever";
  }
}

TEST(SettledFamilyTest, WhatIsBeyondItsBoundsIsNotPacked) {
  storage::v1::Snapshot often = Recovered();
  domain::SetPublished(often.mutable_root(), events::v1::EVENT_WHAT_NEEDS_REVIEW, 16);
  EXPECT_EQ(PackSettled(often, 1), std::nullopt);
  storage::v1::Snapshot later = Recovered();
  domain::SetPublished(later.mutable_root(), static_cast<events::v1::EventWhat>(17), 1);
  EXPECT_EQ(PackSettled(later, 1), std::nullopt) << "what a later release has told";
  storage::v1::Snapshot unknown = Recovered();
  ASSERT_TRUE(unknown.mutable_root()->MergeFromString("\xfa\x01\x01x"s));
  EXPECT_EQ(PackSettled(unknown, 1), std::nullopt) << "a field of a later release";
}

/// It must not be taken for something that was told.
TEST(SettledFamilyTest, WhatNobodyHasPackedIsNoneOfOurs) {
  const std::string packed = *PackSettled(Recovered(), 5);
  EXPECT_FALSE(UnpackSettled(kDay + packed + packed)) << "twice";
  EXPECT_FALSE(UnpackSettled(kDay + packed + "\x80\x02"s)) << "a number that is no pair";
  EXPECT_FALSE(UnpackSettled(kDay + packed + "\x30"s)) << "told no times";
  EXPECT_FALSE(UnpackSettled(kDay + packed + "\x01"s)) << "nothing, told once";
  EXPECT_FALSE(UnpackSettled(kDay + packed + "\x11"s)) << "one a second time";
  EXPECT_FALSE(UnpackSettled(kDay + packed + "\x80"s)) << "half a number";
  const std::string_view head = std::string_view(packed).substr(0, packed.size() - 4);
  for (std::size_t size = 0; size < head.size(); ++size) {
    EXPECT_FALSE(UnpackSettled(kDay + std::string(head.substr(0, size)))) << size;
  }
  EXPECT_FALSE(UnpackSettled("\x50"));
}

}  // namespace
}  // namespace tollbridge::redis
