#include "services/domain/event_id.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "services/domain/wire_names.h"

namespace tollbridge::domain {
namespace {

const Uuid kProject = *Uuid::Parse("0b3c8a52-4a6b-4f7e-9f0d-1a2b3c4d5e6f");
const Uuid kOrder = *Uuid::Parse("7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10");

TEST(EventIdTest, IsTheSameForTheSameEventForEver) {
  // A changed id would be a second event to every consumer: this value may never change.
  EXPECT_EQ(
      EventId(kProject, kOrder, events::v1::EVENT_KIND_PAYMENT, events::v1::EVENT_WHAT_COMPLETED, 1)
          .ToString(),
      "921e20a0-b468-52c5-b0b0-8f4374eeaaf3");
}

TEST(EventIdTest, DiffersInEveryPart) {
  std::set<std::string> ids;
  const auto add = [&](const Uuid& project, const Uuid& order, events::v1::EventKind kind,
                       events::v1::EventWhat what, std::uint32_t occurrence) {
    ids.insert(EventId(project, order, kind, what, occurrence).ToString());
  };
  add(kProject, kOrder, events::v1::EVENT_KIND_PAYMENT, events::v1::EVENT_WHAT_COMPLETED, 1);
  add(kOrder, kOrder, events::v1::EVENT_KIND_PAYMENT, events::v1::EVENT_WHAT_COMPLETED, 1);
  add(kProject, kProject, events::v1::EVENT_KIND_PAYMENT, events::v1::EVENT_WHAT_COMPLETED, 1);
  add(kProject, kOrder, events::v1::EVENT_KIND_PAYOUT, events::v1::EVENT_WHAT_COMPLETED, 1);
  add(kProject, kOrder, events::v1::EVENT_KIND_PAYMENT, events::v1::EVENT_WHAT_FAILED, 1);
  add(kProject, kOrder, events::v1::EVENT_KIND_PAYMENT, events::v1::EVENT_WHAT_COMPLETED, 2);
  EXPECT_EQ(ids.size(), 6U);
}

TEST(EventTypeTest, EveryKindAndWhatHasAName) {
  for (int kind = 1; kind < events::v1::EventKind_ARRAYSIZE; ++kind) {
    EXPECT_FALSE(WireName(static_cast<events::v1::EventKind>(kind)).empty()) << kind;
  }
  for (int what = 1; what < events::v1::EventWhat_ARRAYSIZE; ++what) {
    EXPECT_FALSE(WireName(static_cast<events::v1::EventWhat>(what)).empty()) << what;
  }
  EXPECT_EQ(EventType(events::v1::EVENT_KIND_ACCOUNT_FUNDING, events::v1::EVENT_WHAT_NEEDS_REVIEW),
            "tollbridge.account_funding.needs_review.v1");
}

}  // namespace
}  // namespace tollbridge::domain
