#include "base/telemetry/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "tests/support/series.h"

namespace tollbridge::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

prometheus::MetricFamily Family(const Metrics& metrics, const MetricDef& def) {
  for (prometheus::MetricFamily& family : metrics.collectable().Collect()) {
    if (family.name == def.name) return family;
  }
  return {};
}

/// Label values, joined by commas in the order of their names, to the value of the series.
std::map<std::string, double> Values(const Metrics& metrics, const MetricDef& def) {
  std::map<std::string, double> values;
  for (const prometheus::ClientMetric& series : Family(metrics, def).metric) {
    std::map<std::string, std::string> labels;
    for (const auto& label : series.label) labels[label.name] = label.value;
    std::string key;
    for (const auto& [name, value] : labels) key += (key.empty() ? "" : ",") + value;
    values[key] = series.counter.value + series.gauge.value;
  }
  return values;
}

TEST(MetricsTest, CountsPerLabelValues) {
  Metrics metrics;
  metrics.Get(kHints, {"webhook"}).Increment();
  metrics.Get(kHints, {"webhook"}).Increment(2);
  metrics.Get(kHints, {"sweep"}).Increment();
  EXPECT_THAT(Values(metrics, kHints),
              UnorderedElementsAre(Pair("member", 0), Pair("poller", 0), Pair("report", 0),
                                   Pair("sweep", 1), Pair("webhook", 3)));
}

TEST(MetricsTest, GaugesAreSetAndAddedTo) {
  Metrics metrics;
  metrics.Get(kOldestDueOrder).Set(5);
  metrics.Get(kOldestDueOrder).Add(-2);
  EXPECT_THAT(Values(metrics, kOldestDueOrder), ElementsAre(Pair("", 3)));
}

TEST(MetricsTest, HistogramsHaveTheBucketsOfTheirDefinition) {
  Metrics metrics;
  metrics.Get(kWebhookToEvent).Observe(0.2);
  const prometheus::MetricFamily family = Family(metrics, kWebhookToEvent);
  ASSERT_EQ(family.metric.size(), 1u);
  const auto& histogram = family.metric[0].histogram;
  EXPECT_EQ(histogram.sample_count, 1u);
  ASSERT_EQ(histogram.bucket.size(), kPipelineSeconds.size() + 1);
  for (std::size_t i = 0; i < kPipelineSeconds.size(); ++i) {
    EXPECT_EQ(histogram.bucket[i].upper_bound, kPipelineSeconds[i]);
    EXPECT_EQ(histogram.bucket[i].cumulative_count, kPipelineSeconds[i] < 0.2 ? 0u : 1u);
  }
}

TEST(MetricsTest, AValueOutsideTheClosedSetCountsAsOther) {
  Metrics metrics;
  metrics.Get(kHints, {"order 17"}).Increment();
  metrics.Get(kHints, {"order 18"}).Increment();
  metrics.Get(kHints, {}).Increment();  // a forgotten label
  EXPECT_EQ(Values(metrics, kHints).at("other"), 3);
  EXPECT_EQ(Values(metrics, kHints).size(), kHintSources.size() + 1);
}

TEST(MetricsTest, SeriesOfALabelClosedElsewhereAreBounded) {
  Metrics metrics;
  for (int i = 0; i < 3000; ++i) {
    metrics.Get(kOperationsReplayed, {std::to_string(i)}).Increment();
  }
  const auto values = Values(metrics, kOperationsReplayed);
  EXPECT_EQ(values.size(), 1001u);
  EXPECT_EQ(values.at("999"), 1);
  EXPECT_EQ(values.at("other"), 2000);
}

TEST(MetricsTest, ProjectsAreThoseOfTheConfiguration) {
  Metrics metrics;
  metrics.CloseProjects({"shop", "stall"});
  metrics.Get(kStoreClockSteps, {"shop"}).Increment();
  metrics.Get(kStoreClockSteps, {"stall"}).Increment(2);
  metrics.Get(kStoreClockSteps, {"made-up"}).Increment();
  metrics.Get(kStoreClockSteps, {"made-up too"}).Increment();
  EXPECT_THAT(Values(metrics, kStoreClockSteps),
              UnorderedElementsAre(Pair("shop", 1), Pair("stall", 2), Pair("other", 2)));
  // The others of its labels are bounded as before, for each project.
  for (int i = 0; i < 4000; ++i) {
    metrics.Get(kOperations, {std::to_string(i), "done", i % 2 == 0 ? "shop" : "stall"});
  }
  EXPECT_EQ(Family(metrics, kOperations).metric.size(), 3002u);
  EXPECT_EQ(test::SeriesOf(metrics, kOperations, {"2998", "done", "shop"}), 0);
  EXPECT_EQ(test::SeriesOf(metrics, kOperations, {"other", "done", "stall"}), 0)
      << "a project keeps its name";
}

TEST(MetricsTest, ThreadsCountTogether) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < 1000; ++i) metrics.Get(kHints, {kHintSources[i % 4]}).Increment();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Values(metrics, kHints),
              UnorderedElementsAre(Pair("webhook", 1000), Pair("poller", 1000), Pair("sweep", 1000),
                                   Pair("report", 1000), Pair("member", 0)));
}

TEST(MetricsTest, CountersOfClosedSetsAreThereAtZero) {
  const Metrics metrics;
  EXPECT_THAT(Values(metrics, kOrphans), UnorderedElementsAre(Pair("paid", 0), Pair("unpaid", 0)));
  EXPECT_THAT(Values(metrics, kSweepFailures), ElementsAre(Pair("", 0)));
  EXPECT_EQ(Values(metrics, kEventsPublished).size(), kEventKinds.size() * kEventWhats.size());
  EXPECT_EQ(Values(metrics, kOutboundAnswers).size(),
            kOutboundOperations.size() * kStatusClasses.size());
  ASSERT_EQ(Family(metrics, kWebhookToEvent).metric.size(), 1u);
  EXPECT_EQ(Family(metrics, kWebhookToEvent).metric[0].histogram.sample_count, 0u);
}

TEST(MetricsTest, WhatIsClosedElsewhereAndGaugesBeginWhenTheyAreUsed) {
  const Metrics metrics;
  for (const MetricListing& listing : AllMetrics()) {
    bool closed = true;
    for (const LabelDef& label : listing.def->labels()) closed = closed && !label.values.empty();
    if (listing.type == "gauge" || !closed) {
      EXPECT_TRUE(Values(metrics, *listing.def).empty()) << listing.def->name;
    }
  }
}

TEST(MetricsTest, AClearedGaugeIsLeftOutUntilItIsSet) {
  Metrics metrics;
  const Gauge idle = metrics.Get(kPoolConnections, {"idle"});
  const Gauge in_use = metrics.Get(kPoolConnections, {"in_use"});
  idle.Set(1);
  in_use.Set(2);
  in_use.Clear();
  EXPECT_THAT(Values(metrics, kPoolConnections), ElementsAre(Pair("idle", 1)));
  idle.Clear();
  EXPECT_EQ(Family(metrics, kPoolConnections).name, "") << "no name without a series";
  in_use.Set(3);
  EXPECT_THAT(Values(metrics, kPoolConnections), ElementsAre(Pair("in_use", 3)));
}

TEST(MetricsTest, CollectorsRunBeforeAScrape) {
  Metrics metrics;
  metrics.OnCollect([](Metrics& m) { m.Get(kPoolConnections, {"idle"}).Set(7); });
  EXPECT_TRUE(Values(metrics, kPoolConnections).empty());
  metrics.RunCollectors();
  EXPECT_THAT(Values(metrics, kPoolConnections), ElementsAre(Pair("idle", 7)));
}

TEST(MetricsTest, CountsLogLines) {
  Metrics metrics;
  metrics.RunCollectors();
  const double before = Values(metrics, kLogLines)["error"];
  const LogCapture capture;
  Log(Severity::kError, "it_broke");
  metrics.RunCollectors();
  EXPECT_EQ(Values(metrics, kLogLines)["error"], before + 1);
  metrics.RunCollectors();
  EXPECT_EQ(Values(metrics, kLogLines)["error"], before + 1);
}

TEST(MetricDefinitionsTest, AreNamedOnceAndCloseEveryLabel) {
  std::set<std::string_view> names;
  for (const auto& [type, def] : AllMetrics()) {
    EXPECT_TRUE(names.insert(def->name).second) << def->name;
    EXPECT_TRUE(def->help.ends_with('.')) << def->name;
    EXPECT_EQ(type == "counter", def->name.ends_with("_total")) << def->name;
    EXPECT_EQ(type == "histogram", !def->buckets.empty()) << def->name;
    for (std::size_t i = 0; i < def->label_count; ++i) {
      const LabelDef& label = def->label_array[i];
      EXPECT_NE(label.values.empty(), label.closed_by.empty()) << def->name << " " << label.name;
    }
  }
}

TEST(MetricDefinitionsTest, AllInTheHeaderAreListed) {
  std::ifstream header(TOLLBRIDGE_SOURCE_DIR "/base/telemetry/metric_definitions.h");
  std::size_t declared = 0;
  for (std::string line; std::getline(header, line);) {
    for (const char* type : {"CounterDef k", "GaugeDef k", "HistogramDef k"}) {
      if (line.starts_with(std::string("inline constexpr ") + type)) ++declared;
    }
  }
  EXPECT_EQ(declared, AllMetrics().size());
}

}  // namespace
}  // namespace tollbridge::telemetry
