#include "services/domain/published.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tollbridge::domain {
namespace {

using events::v1::EventWhat;
using storage::v1::OrderState;

TEST(PublishedTest, NothingWasPublishedOfANewOrder) {
  const OrderState state;
  EXPECT_TRUE(PublishedOf(state).empty());
  EXPECT_EQ(TimesPublished(state, events::v1::EVENT_WHAT_COMPLETED), 0U);
}

TEST(PublishedTest, EachIsCountedByItself) {
  OrderState state;
  EXPECT_EQ(CountPublished(&state, events::v1::EVENT_WHAT_NEEDS_REVIEW), 1U);
  EXPECT_EQ(CountPublished(&state, events::v1::EVENT_WHAT_CREATED), 1U);
  EXPECT_EQ(CountPublished(&state, events::v1::EVENT_WHAT_NEEDS_REVIEW), 2U);
  EXPECT_EQ(TimesPublished(state, events::v1::EVENT_WHAT_NEEDS_REVIEW), 2U);
  EXPECT_EQ(TimesPublished(state, events::v1::EVENT_WHAT_CREATED), 1U);
  EXPECT_EQ(TimesPublished(state, events::v1::EVENT_WHAT_COMPLETED), 0U);
}

TEST(PublishedTest, TheOrderInWhichTheyCameIsKept) {
  OrderState state;
  for (const EventWhat what : {events::v1::EVENT_WHAT_FAILED, events::v1::EVENT_WHAT_COMPLETED,
                               events::v1::EVENT_WHAT_FAILED}) {
    CountPublished(&state, what);
  }
  const std::vector<Published> published = PublishedOf(state);
  ASSERT_EQ(published.size(), 2U);
  EXPECT_EQ(published[0].what, events::v1::EVENT_WHAT_FAILED);
  EXPECT_EQ(published[0].times, 2U);
  EXPECT_EQ(published[1].what, events::v1::EVENT_WHAT_COMPLETED);
}

TEST(PublishedTest, EveryKindAndManyTimesComeBackAsTheyWere) {
  OrderState state;
  for (int what = 1; what <= events::v1::EventWhat_MAX; ++what) {
    SetPublished(&state, static_cast<EventWhat>(what), 1'000'000U + static_cast<unsigned>(what));
  }
  OrderState read;
  ASSERT_TRUE(read.ParseFromString(state.SerializeAsString()));
  for (int what = 1; what <= events::v1::EventWhat_MAX; ++what) {
    EXPECT_EQ(TimesPublished(read, static_cast<EventWhat>(what)),
              1'000'000U + static_cast<unsigned>(what));
  }
}

TEST(PublishedTest, AUsualHistoryTakesAByteEach) {
  OrderState state;
  for (const EventWhat what : {events::v1::EVENT_WHAT_CREATED, events::v1::EVENT_WHAT_PROCESSING,
                               events::v1::EVENT_WHAT_COMPLETED}) {
    CountPublished(&state, what);
  }
  EXPECT_EQ(state.ByteSizeLong(), 5U) << "a tag, a length and three numbers";
}

/// What one release has written the next one reads, for 400 days: these numbers are for ever.
TEST(PublishedTest, WhatIsStoredMeansTheSameForEver) {
  struct Row {
    EventWhat what;
    std::uint32_t times;
    std::string bytes;  ///< field 11, its length, the number
  };
  for (const Row& row :
       std::vector<Row>{{events::v1::EVENT_WHAT_CREATED, 1, "\x5a\x01\x21"},
                        {events::v1::EVENT_WHAT_PROCESSING, 1, "\x5a\x01\x22"},
                        {events::v1::EVENT_WHAT_COMPLETED, 1, "\x5a\x01\x23"},
                        {events::v1::EVENT_WHAT_CANCELLED, 1, "\x5a\x01\x24"},
                        {events::v1::EVENT_WHAT_EXPIRED, 1, "\x5a\x01\x25"},
                        {events::v1::EVENT_WHAT_FAILED, 1, "\x5a\x01\x26"},
                        {events::v1::EVENT_WHAT_NEEDS_REVIEW, 1, "\x5a\x01\x27"},
                        {events::v1::EVENT_WHAT_NEEDS_REVIEW, 3, "\x5a\x01\x67"},
                        {events::v1::EVENT_WHAT_NEEDS_REVIEW, 4, "\x5a\x02\x87\x01"}}) {
    SCOPED_TRACE(EventWhat_Name(row.what) + " " + std::to_string(row.times));
    OrderState written;
    SetPublished(&written, row.what, row.times);
    EXPECT_EQ(written.SerializeAsString(), row.bytes);
    OrderState read;
    ASSERT_TRUE(read.ParseFromString(row.bytes));
    const std::vector<Published> published = PublishedOf(read);
    ASSERT_EQ(published.size(), 1U);
    EXPECT_EQ(published[0].what, row.what);
    EXPECT_EQ(published[0].times, row.times);
  }
}

/// After an upgrade is rolled back: it is no business of ours, and comes back as it was.
TEST(PublishedTest, WhatALaterReleaseHasToldStaysWhereItIs) {
  OrderState state;
  ASSERT_TRUE(state.ParseFromString("\x5a\x03\x21\x3f\x23"));
  EXPECT_EQ(CountPublished(&state, events::v1::EVENT_WHAT_COMPLETED), 2U);
  EXPECT_EQ(CountPublished(&state, events::v1::EVENT_WHAT_NEEDS_REVIEW), 1U);
  EXPECT_EQ(state.SerializeAsString(), "\x5a\x04\x21\x3f\x43\x27");
  EXPECT_EQ(PublishedOf(state).at(1).what, static_cast<EventWhat>(31));
}

}  // namespace
}  // namespace tollbridge::domain
