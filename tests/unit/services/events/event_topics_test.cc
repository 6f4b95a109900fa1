// Which topic events go to where projects, or test orders, have topics of their own
// (docs/design/events.md#events).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/services/events/fixture.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::events {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kProcessing = common::v1::ORDER_STATUS_PROCESSING;
constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

class EventTopicsTest : public EventsFixture {
 protected:
  EventTopicsTest() {
    settings_.topics["shop"] = {.events = {.name = "real", .mark = "R"},
                                .test_orders = {.name = "tests", .mark = "T"}};
  }

  common::v1::Order Order(common::v1::OrderStatus status, bool test) const {
    common::v1::Order order = MakeOrder(status);
    if (test) order.add_flags("is-test");
    return order;
  }
  /// Of what was published since it was last asked: topic and number in the stream.
  std::vector<std::string> Places() {
    std::vector<std::string> places;
    for (const auto& entry : events_.events) {
      v1::PaymentEvent event;
      EXPECT_TRUE(event.ParseFromString(entry.payload()));
      if (streams_.empty() || streams_.back() != event.stream()) streams_.push_back(event.stream());
      places.push_back(entry.topic() + " " + std::to_string(entry.sequence()));
    }
    events_.events.clear();
    return places;
  }

  std::vector<std::string> streams_;
};

TEST_F(EventTopicsTest, OrdersGoToTheirProjectsTopicAndTestOrdersApart) {
  reads_.Show(Order(kCompleted, false));
  ReadOnce();
  EXPECT_THAT(Places(), ElementsAre("real 1", "real 2"));
  common::v1::Order test = MakeOrder(kCompleted, kOtherOrderId);
  test.add_flags("is-test");
  reads_.Show(test);
  ReadOnce(kOtherOrderId);
  EXPECT_THAT(Places(), ElementsAre("tests 1", "tests 2"));
}

TEST_F(EventTopicsTest, AStreamStaysWhereItBeganWhateverTheOrderShowsLater) {
  reads_.Show(Order(kProcessing, false));
  ReadOnce();
  Places();
  reads_.Show(Order(kCompleted, true));
  ReadOnce();
  EXPECT_THAT(Places(), ElementsAre("real 3"));
  EXPECT_EQ(streams_.size(), 1U);
}

TEST_F(EventTopicsTest, WhereItsTopicIsNotConfiguredAnyMoreAnotherStreamBegins) {
  reads_.Show(Order(kProcessing, false));
  ReadOnce();
  EXPECT_THAT(Places(), ElementsAre("real 1", "real 2"));
  settings_.topics["shop"].events = {.name = "other", .mark = "O"};
  reads_.Show(Order(kProcessing, false));
  ReadOnce();
  EXPECT_THAT(Places(), IsEmpty()) << "the topic alone is no news";
  reads_.Show(Order(kCompleted, false));
  ReadOnce();
  EXPECT_THAT(Places(), ElementsAre("other 1"));
  EXPECT_EQ(streams_.size(), 2U);
}

TEST_F(EventTopicsTest, WhatWasSavedGoesToTheTopicOfItsStream) {
  reads_.Show(Order(kCompleted, false));
  events_.take_only = 1;
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOutage);
  settings_.topics["shop"].events = {.name = "other", .mark = "O"};
  events_.take_only.reset();
  ReadOnce();
  EXPECT_THAT(Places(), ElementsAre("real 1", "real 1", "real 2"));
}

}  // namespace
}  // namespace tollbridge::events
