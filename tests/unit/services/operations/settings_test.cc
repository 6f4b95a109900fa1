#include "services/operations/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tollbridge::operations {
namespace {

TEST(CheckSettings, AcceptsTheDefaults) { EXPECT_TRUE(CheckSettings(Settings{}).ok()); }

TEST(CheckSettings, RefusesALeaseThatMayEndWhileItsOwnerSends) {
  Settings settings;
  settings.lease = settings.send_window + settings.attempt_deadline + settings.lease_margin;
  EXPECT_EQ(CheckSettings(settings).code(), absl::StatusCode::kInvalidArgument);
  settings.lease += ports::Millis(1);
  EXPECT_TRUE(CheckSettings(settings).ok());
}

TEST(CheckSettings, NamesTheIntervalThatIsNotPositive) {
  Settings settings;
  settings.resolver_interval = ports::Millis(0);
  EXPECT_THAT(std::string(CheckSettings(settings).message()),
              ::testing::HasSubstr("resolver_interval"));
}

}  // namespace
}  // namespace tollbridge::operations
