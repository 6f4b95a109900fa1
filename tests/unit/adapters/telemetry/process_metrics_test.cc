#include "adapters/telemetry/process_metrics.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/telemetry/metric_definitions.h"
#include "tests/support/series.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::telemetry_exporters {
namespace {

using test::SeriesOf;

TEST(ProcessMetricsTest, ShowsWhatTheProcessTakes) {
  telemetry::Metrics metrics;
  ReportProcess(metrics);
  metrics.RunCollectors();
  EXPECT_GT(SeriesOf(metrics, telemetry::kProcessCpu).value_or(0), 0);
  const double resident = SeriesOf(metrics, telemetry::kProcessResident).value_or(0);
  EXPECT_GT(resident, 1 << 20);
  EXPECT_GT(SeriesOf(metrics, telemetry::kProcessVirtual).value_or(0), resident);
  const double open = SeriesOf(metrics, telemetry::kProcessOpenFds).value_or(0);
  EXPECT_GE(open, 3);
  EXPECT_GT(SeriesOf(metrics, telemetry::kProcessMaxFds).value_or(0), open);
}

TEST(ProcessMetricsTest, ShowsWhenTheProcessStarted) {
  telemetry::Metrics metrics;
  ReportProcess(metrics);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  const double start = SeriesOf(metrics, telemetry::kProcessStart).value_or(0);
  // The kernel counts in whole seconds since it was booted.
  EXPECT_LE(start, now.count() + 2);
  EXPECT_GT(start, now.count() - 24 * 3600);
}

TEST(ProcessMetricsTest, CpuTimeGrowsAndIsNotCountedTwice) {
  telemetry::Metrics metrics;
  ReportProcess(metrics);
  metrics.RunCollectors();
  const double first = SeriesOf(metrics, telemetry::kProcessCpu).value_or(0);
  metrics.RunCollectors();
  const double second = SeriesOf(metrics, telemetry::kProcessCpu).value_or(0);
  EXPECT_GE(second, first);
  EXPECT_LT(second - first, first + 1);
}

TEST(ProcessMetricsTest, WhatTheKernelDoesNotTellIsNotShown) {
  const test::TempFolder folder;
  telemetry::Metrics metrics;
  ReportProcess(metrics, folder.PathOf("gone"));
  metrics.RunCollectors();
  EXPECT_FALSE(SeriesOf(metrics, telemetry::kProcessResident));
  EXPECT_FALSE(SeriesOf(metrics, telemetry::kProcessVirtual));
  EXPECT_FALSE(SeriesOf(metrics, telemetry::kProcessOpenFds));
  EXPECT_FALSE(SeriesOf(metrics, telemetry::kProcessStart));
}

}  // namespace
}  // namespace tollbridge::telemetry_exporters
