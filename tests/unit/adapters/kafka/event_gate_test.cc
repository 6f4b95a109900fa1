#include "adapters/kafka/event_gate.h"

#include <gtest/gtest.h>

#include <string>

#include "adapters/kafka/record_place.h"

namespace tollbridge::kafka {
namespace {

constexpr int kPartitions = 3;
const std::string kTopic = "events";

/// One whose partition is, or is not, that of "a".
std::string OtherKey(bool same_partition) {
  for (int i = 0;; ++i) {
    std::string key = "key-" + std::to_string(i);
    const bool same = PartitionOfKey(key, kPartitions) == PartitionOfKey("a", kPartitions);
    if (same == same_partition) return key;
  }
}

class EventGateTest : public testing::Test {
 protected:
  void WaitInVain() {
    ASSERT_TRUE(gate_.Enter(kTopic, "a"));
    gate_.Leave(kTopic, "a", absl::UnavailableError("no leader"));
  }
  EventGate gate_{kPartitions};
};

TEST_F(EventGateTest, AnyNumberMayEnterWhereAllIsWell) {
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(gate_.Enter(kTopic, "a"));
}

TEST_F(EventGateTest, TwoTryAPartitionWhereOneWasInVain) {
  WaitInVain();
  const std::string neighbour = OtherKey(true);
  EXPECT_TRUE(gate_.Enter(kTopic, "a"));
  EXPECT_TRUE(gate_.Enter(kTopic, neighbour));
  EXPECT_FALSE(gate_.Enter(kTopic, "a"));
  gate_.Leave(kTopic, neighbour, absl::UnavailableError("no leader"));
  EXPECT_TRUE(gate_.Enter(kTopic, "a"));
  EXPECT_FALSE(gate_.Enter(kTopic, "a"));
}

TEST_F(EventGateTest, OtherPartitionsAndTopicsAreFree) {
  WaitInVain();
  const std::string elsewhere = OtherKey(false);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(gate_.Enter(kTopic, elsewhere));
    EXPECT_TRUE(gate_.Enter("test orders", "a"));
  }
}

TEST_F(EventGateTest, OneThatIsTakenOpensIt) {
  WaitInVain();
  ASSERT_TRUE(gate_.Enter(kTopic, "a"));
  gate_.Leave(kTopic, "a", absl::OkStatus());
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(gate_.Enter(kTopic, "a"));
}

TEST_F(EventGateTest, ARecordThatIsNeverTakenSaysNothing) {
  ASSERT_TRUE(gate_.Enter(kTopic, "a"));
  gate_.Leave(kTopic, "a", absl::InvalidArgumentError("too large"));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(gate_.Enter(kTopic, "a"));
}

}  // namespace
}  // namespace tollbridge::kafka
