#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

#include "base/telemetry/metric_definitions.h"
#include "services/ports/operation_types.h"

namespace tollbridge::operations {
namespace {

TEST(ReviewReasonsTest, EveryReasonIsALabelOfTheMetric) {
  for (const std::string_view reason :
       {ports::review::kLateEffect, ports::review::kOrphanPaid, ports::review::kAmountDiffers,
        ports::review::kCurrencyDiffers, ports::review::kAbsentNotRepeatable,
        ports::review::kAmbiguous}) {
    EXPECT_NE(std::ranges::find(telemetry::kReviewReasons, reason), telemetry::kReviewReasons.end())
        << reason;
  }
}

}  // namespace
}  // namespace tollbridge::operations
