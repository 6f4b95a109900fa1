#include <gtest/gtest.h>

#include <chrono>

#include "adapters/kafka/client.h"

namespace tollbridge::kafka {
namespace {

/// librdkafka's handles go before the process does.
class HandlesClosed : public testing::Environment {
 public:
  void TearDown() override { EXPECT_EQ(AwaitHandlesClosed(std::chrono::minutes(1)), 0U); }
};

const testing::Environment* const handles_closed =
    testing::AddGlobalTestEnvironment(new HandlesClosed);

}  // namespace
}  // namespace tollbridge::kafka
