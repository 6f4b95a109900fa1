#include "services/domain/published.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tollbridge::domain
