#include <gtest/gtest.h>

#include "adapters/kafka/client.h"

namespace tollbridge::kafka {
namespace {

/// librdkafka's handles go before the process does.
class HandlesClosed : public testing::Environment {
 public:
  void TearDown() override { AwaitHandlesClosed(); }
};

const testing::Environment* const handles_closed =
    testing::AddGlobalTestEnvironment(new HandlesClosed);

}  // namespace
}  // namespace tollbridge::kafka
