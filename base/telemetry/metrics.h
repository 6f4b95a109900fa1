#ifndef TOLLBRIDGE_BASE_TELEMETRY_METRICS_H_
#define TOLLBRIDGE_BASE_TELEMETRY_METRICS_H_

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prometheus {
class Collectable;
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace tollbridge::telemetry {

/// One label of a metric and the closed set of its values.
struct LabelDef {
  std::string_view name;
  /// The whole set. Empty when the set is not known in this room: then `closed_by` says what closes
  /// it.
  std::span<const std::string_view> values;
  std::string_view closed_by;
};

/// What all metrics have. Instances live in metric_definitions.h only, one per metric.
struct MetricDef {
  static constexpr std::size_t kMaxLabels = 4;

  constexpr MetricDef(std::string_view name_in, std::string_view help_in,
                      std::initializer_list<LabelDef> labels_in,
                      std::span<const double> buckets_in = {})
      : name(name_in), help(help_in), buckets(buckets_in) {
    for (const LabelDef& label : labels_in) label_array[label_count++] = label;
  }

  constexpr std::span<const LabelDef> labels() const { return {label_array.data(), label_count}; }

  std::string_view name;
  std::string_view help;
  std::array<LabelDef, kMaxLabels> label_array{};
  std::size_t label_count = 0;
  /// Upper bounds of a histogram's buckets; empty for the other types.
  std::span<const double> buckets;
};

struct CounterDef : MetricDef {
  using MetricDef::MetricDef;
};
struct GaugeDef : MetricDef {
  using MetricDef::MetricDef;
};
struct HistogramDef : MetricDef {
  using MetricDef::MetricDef;
};

/// Handles to one time series. Cheap to copy, usable from any thread, valid as long as their
/// Metrics.
class Counter {
 public:
  explicit Counter(prometheus::Counter* counter) : counter_(counter) {}
  void Increment(double by = 1) const;

 private:
  prometheus::Counter* counter_;
};

class Gauge {
 public:
  explicit Gauge(prometheus::Gauge* gauge) : gauge_(gauge) {}
  void Set(double value) const;
  void Add(double by) const;
  /// What it tells is not known: the page leaves it out until the next Set. Not for one that is
  /// added to.
  void Clear() const;

 private:
  prometheus::Gauge* gauge_;
};

class Histogram {
 public:
  explicit Histogram(prometheus::Histogram* histogram) : histogram_(histogram) {}
  void Observe(double value) const;

 private:
  prometheus::Histogram* histogram_;
};

/// The value that stands for a label value outside the closed set.
inline constexpr std::string_view kOtherLabelValue = "other";

/// The metrics of a process. Thread-safe. Every metric of AllMetrics() is registered at
/// construction. A counter or histogram whose labels have closed sets in this room is there at 0
/// from then on: an increase from nothing is no increase to Prometheus. Those who know the other
/// sets create their series at start. A gauge is there once it is set.
class Metrics {
 public:
  using LabelValues = std::initializer_list<std::string_view>;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// The time series with these label values, in the order of the definition's labels; there must
  /// be as many. A value outside its closed set becomes "other", so a mistake cannot make series
  /// without end; a label closed elsewhere takes at most 1000 distinct combinations, or as many for
  /// each project where it is counted by project, then "other". Takes a shared lock and makes no
  /// strings once the series exists; keep the handle where that still matters.
  Counter Get(const CounterDef& def, LabelValues label_values = {});
  Gauge Get(const GaugeDef& def, LabelValues label_values = {});
  Histogram Get(const HistogramDef& def, LabelValues label_values = {});

  /// These are the projects of the configuration: labels that they close take no other name from
  /// now on. Before anything is counted by project. Until then any name is taken, as in tests.
  void CloseProjects(std::vector<std::string> names);

  /// `collector` runs before each scrape, on the scraping thread, and sets gauges from state that
  /// it may read there. It must not call OnCollect.
  void OnCollect(std::function<void(Metrics&)> collector);

  /// Runs the collectors. For whoever renders `collectable()`, which has no gauge that was cleared.
  void RunCollectors();
  const prometheus::Collectable& collectable() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_METRICS_H_
