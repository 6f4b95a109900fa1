#include "services/domain/told_outcomes.h"

#include <gtest/gtest.h>

#include <vector>

#include "services/domain/event_id.h"
#include "services/domain/published.h"

namespace tollbridge::domain {
namespace {

/// The audit of events looks for these ids on the topic: the last of each, with the count of that.
TEST(ToldOutcomesTest, AreTheLastOfEachSortInTheOrderInWhichEachCame) {
  const Project project{.name = "shop", .id = Uuid{{7}}};
  const Uuid root{{1}};
  const Uuid refund{{2}};
  storage::v1::Snapshot snapshot;
  storage::v1::OrderState& state = *snapshot.mutable_root();
  state.set_kind(events::v1::EVENT_KIND_PAYMENT);
  for (const events::v1::EventWhat what :
       {events::v1::EVENT_WHAT_CREATED, events::v1::EVENT_WHAT_PROCESSING,
        events::v1::EVENT_WHAT_NEEDS_REVIEW, events::v1::EVENT_WHAT_FAILED,
        events::v1::EVENT_WHAT_COMPLETED, events::v1::EVENT_WHAT_NEEDS_REVIEW,
        events::v1::EVENT_WHAT_NEEDS_REVIEW}) {
    CountPublished(&state, what);
  }
  storage::v1::OrderState& member = *snapshot.add_members();
  member.set_order_id(refund.ToBytes());
  member.set_kind(events::v1::EVENT_KIND_REFUND);
  CountPublished(&member, events::v1::EVENT_WHAT_EXPIRED);
  struct Row {
    Uuid order;
    events::v1::EventKind kind;
    events::v1::EventWhat what;
    std::uint32_t times;
  };
  const std::vector<Row> expected = {
      {root, events::v1::EVENT_KIND_PAYMENT, events::v1::EVENT_WHAT_NEEDS_REVIEW, 3},
      {root, events::v1::EVENT_KIND_PAYMENT, events::v1::EVENT_WHAT_FAILED, 1},
      {root, events::v1::EVENT_KIND_PAYMENT, events::v1::EVENT_WHAT_COMPLETED, 1},
      {refund, events::v1::EVENT_KIND_REFUND, events::v1::EVENT_WHAT_EXPIRED, 1}};
  const std::vector<ToldOutcome> told = ToldOutcomes(project, root, snapshot);
  ASSERT_EQ(told.size(), expected.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].order, expected[i].order) << i;
    EXPECT_EQ(told[i].what, expected[i].what) << i;
    EXPECT_EQ(told[i].id, EventId(project.id, expected[i].order, expected[i].kind, expected[i].what,
                                  expected[i].times))
        << i;
  }
}

}  // namespace
}  // namespace tollbridge::domain
