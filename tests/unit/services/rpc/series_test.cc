#include "services/rpc/series.h"

#include <string>

#include "base/telemetry/metric_definitions.h"
#include "tests/support/series.h"
#include "tests/unit/services/rpc/rpc_fixture.h"

namespace tollbridge::rpc {
namespace {

using test::SeriesOf;

using SeriesTest = RpcTest;

TEST_F(SeriesTest, EveryMethodIsThereAtZeroWithOkAndEachFault) {
  telemetry::Metrics metrics;
  CreateSeries(metrics, methods_);
  for (const std::string_view cause : telemetry::kUnrecordedCauses) {
    EXPECT_EQ(SeriesOf(metrics, telemetry::kRpcRefusalsUnrecorded, {std::string(cause)}), 0)
        << cause;
  }
  for (const std::string_view limit : telemetry::kCallerLimitNames) {
    EXPECT_EQ(SeriesOf(metrics, telemetry::kRpcCallerLimited, {std::string(limit)}), 0) << limit;
  }
  EXPECT_EQ(SeriesOf(metrics, telemetry::kRpcFailures, {"STORE_DOUBTFUL", "store"}), 0);
  ASSERT_FALSE(methods_.all().empty());
  for (const MethodInfo& method : methods_.all()) {
    EXPECT_EQ(SeriesOf(metrics, telemetry::kRpcStarted, {method.service, method.name}), 0);
    EXPECT_EQ(SeriesOf(metrics, telemetry::kRpcUnparsable, {method.service, method.name}), 0);
    EXPECT_EQ(SeriesOf(metrics, telemetry::kRpcHandled, {method.service, method.name, "OK"}), 0);
    for (const std::string_view code : telemetry::kServerFaults) {
      EXPECT_EQ(SeriesOf(metrics, telemetry::kRpcHandled,
                         {method.service, method.name, std::string(code)}),
                0)
          << code;
    }
    for (const std::string_view reason : telemetry::kCallerRefusals) {
      EXPECT_EQ(SeriesOf(metrics, telemetry::kRpcRefusedCallers,
                         {method.service, method.name, std::string(reason)}),
                0)
          << reason;
    }
  }
}

}  // namespace
}  // namespace tollbridge::rpc
