#include "base/telemetry/metrics.h"

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"

namespace tollbridge::telemetry {
namespace {

/// Bound on the series of one metric whose labels are closed elsewhere.
constexpr std::size_t kMaxOpenSeries = 1000;

using Values = std::span<const std::string_view>;

/// What a series is found by: its owner is a series' key, its view is made for a look-up without
/// copying.
struct KeyView {
  std::string_view metric;
  Values values;
};

struct Key {
  std::string_view metric;
  std::vector<std::string> values;
};

struct KeyHash {
  using is_transparent = void;
  template <typename AnyKey>
  std::size_t operator()(const AnyKey& key) const {
    std::size_t hash = std::hash<std::string_view>()(key.metric);
    for (const std::string_view value : key.values) {
      hash = hash * 31 + std::hash<std::string_view>()(value);
    }
    return hash;
  }
};

struct KeyEqual {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return a.metric == b.metric && std::ranges::equal(a.values, b.values);
  }
};

bool IsProject(const LabelDef& label) { return label.closed_by == kByConfiguration; }

/// The label values to count under: those given, with "other" where they leave the closed set.
std::vector<std::string_view> Closed(const MetricDef& def, Values given,
                                     const std::vector<std::string>& projects, bool full) {
  std::vector<std::string_view> values;
  for (std::size_t i = 0; i < def.label_count; ++i) {
    const LabelDef& label = def.label_array[i];
    const std::string_view value = i < given.size() ? given[i] : kOtherLabelValue;
    bool known = !full;
    if (!label.values.empty()) {
      known = std::ranges::count(label.values, value) > 0;
    } else if (IsProject(label) && !projects.empty()) {
      known = std::ranges::count(projects, value) > 0;
    }
    values.push_back(known ? value : kOtherLabelValue);
  }
  return values;
}

/// All series of one Prometheus type.
template <typename Metric>
class Series {
 public:
  void Register(const MetricDef& def, prometheus::Family<Metric>& family) {
    families_.emplace(def.name, Family{&family, 0});
  }

  Metric* Get(const MetricDef& def, Values values) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = series_.find(KeyView{def.name, values});
      if (found != series_.end()) return found->second;
    }
    const std::scoped_lock lock(mutex_);
    const auto family = families_.find(def.name);
    const std::vector<std::string_view> closed =
        Closed(def, values, projects_, family->second.series >= MaxSeries(def));
    const auto existing = series_.find(KeyView{def.name, closed});
    if (existing != series_.end()) return existing->second;
    Metric* metric = Add(def, *family->second.family, closed);
    ++family->second.series;
    series_.emplace(Key{def.name, {closed.begin(), closed.end()}}, metric);
    return metric;
  }

  void CloseProjects(const std::vector<std::string>& names) {
    const std::scoped_lock lock(mutex_);
    projects_ = names;
  }

 private:
  struct Family {
    prometheus::Family<Metric>* family;
    std::size_t series;
  };

  std::size_t MaxSeries(const MetricDef& def) const {
    // And one more for what is of none.
    return std::ranges::any_of(def.labels(), IsProject) ? kMaxOpenSeries * (projects_.size() + 1)
                                                        : kMaxOpenSeries;
  }

  static Metric* Add(const MetricDef& def, prometheus::Family<Metric>& family, Values values) {
    prometheus::Labels labels;
    for (std::size_t i = 0; i < values.size(); ++i) {
      labels.emplace(def.label_array[i].name, values[i]);
    }
    if constexpr (std::is_same_v<Metric, prometheus::Histogram>) {
      return &family.Add(
          labels, prometheus::Histogram::BucketBoundaries(def.buckets.begin(), def.buckets.end()));
    } else {
      return &family.Add(labels);
    }
  }

  std::shared_mutex mutex_;
  std::unordered_map<std::string_view, Family> families_;
  std::unordered_map<Key, Metric*, KeyHash, KeyEqual> series_;
  std::vector<std::string> projects_;
};

/// Creates a series for each combination of the values of closed sets.
template <typename Metric>
void CreateClosed(Series<Metric>& series, const MetricDef& def,
                  std::vector<std::string_view> values = {}) {
  if (values.size() == def.label_count) {
    series.Get(def, values);
    return;
  }
  for (const std::string_view value : def.label_array[values.size()].values) {
    values.push_back(value);
    CreateClosed(series, def, values);
    values.pop_back();
  }
}

/// What stands for a gauge that was cleared: nothing that is measured is not a number.
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

/// A registry without the gauges that were cleared.
class KnownValues final : public prometheus::Collectable {
 public:
  explicit KnownValues(const prometheus::Registry& registry) : registry_(registry) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> families = registry_.Collect();
    for (prometheus::MetricFamily& family : families) {
      if (family.type != prometheus::MetricType::Gauge) continue;
      std::erase_if(family.metric, [](const prometheus::ClientMetric& metric) {
        return std::isnan(metric.gauge.value);
      });
    }
    std::erase_if(families,
                  [](const prometheus::MetricFamily& family) { return family.metric.empty(); });
    return families;
  }

 private:
  const prometheus::Registry& registry_;
};

/// Counts what the log counts for itself, since the log knows no metrics.
void CollectLogLines(Metrics& metrics, std::array<std::uint64_t, kSeverities.size()>& lines,
                     std::uint64_t& dropped) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto severity = static_cast<Severity>(i);
    const std::uint64_t now = LogLines(severity);
    metrics.Get(kLogLines, {SeverityName(severity)}).Increment(static_cast<double>(now - lines[i]));
    lines[i] = now;
  }
  const std::uint64_t now = DroppedLogLines();
  metrics.Get(kLogLinesDropped).Increment(static_cast<double>(now - dropped));
  dropped = now;
}

}  // namespace

void Counter::Increment(double by) const { counter_->Increment(by); }
void Gauge::Set(double value) const { gauge_->Set(value); }
void Gauge::Add(double by) const { gauge_->Increment(by); }
void Gauge::Clear() const { gauge_->Set(kNotKnown); }
void Histogram::Observe(double value) const { histogram_->Observe(value); }

struct Metrics::Impl {
  prometheus::Registry registry;
  KnownValues known{registry};
  Series<prometheus::Counter> counters;
  Series<prometheus::Gauge> gauges;
  Series<prometheus::Histogram> histograms;
  std::mutex collectors_mutex;
  std::vector<std::function<void(Metrics&)>> collectors;
  std::array<std::uint64_t, kSeverities.size()> log_lines{};
  std::uint64_t log_lines_dropped = 0;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {
  for (const auto& [type, def] : AllMetrics()) {
    const std::string name(def->name);
    const std::string help(def->help);
    if (type == "counter") {
      impl_->counters.Register(
          *def, prometheus::BuildCounter().Name(name).Help(help).Register(impl_->registry));
      CreateClosed(impl_->counters, *def);
    } else if (type == "gauge") {
      impl_->gauges.Register(
          *def, prometheus::BuildGauge().Name(name).Help(help).Register(impl_->registry));
    } else {
      impl_->histograms.Register(
          *def, prometheus::BuildHistogram().Name(name).Help(help).Register(impl_->registry));
      CreateClosed(impl_->histograms, *def);
    }
  }
}

Metrics::~Metrics() = default;

Counter Metrics::Get(const CounterDef& def, LabelValues label_values) {
  return Counter(impl_->counters.Get(def, {label_values.begin(), label_values.size()}));
}

Gauge Metrics::Get(const GaugeDef& def, LabelValues label_values) {
  return Gauge(impl_->gauges.Get(def, {label_values.begin(), label_values.size()}));
}

Histogram Metrics::Get(const HistogramDef& def, LabelValues label_values) {
  return Histogram(impl_->histograms.Get(def, {label_values.begin(), label_values.size()}));
}

void Metrics::CloseProjects(std::vector<std::string> names) {
  impl_->counters.CloseProjects(names);
  impl_->gauges.CloseProjects(names);
  impl_->histograms.CloseProjects(names);
}

void Metrics::OnCollect(std::function<void(Metrics&)> collector) {
  const std::scoped_lock lock(impl_->collectors_mutex);
  impl_->collectors.push_back(std::move(collector));
}

void Metrics::RunCollectors() {
  const std::scoped_lock lock(impl_->collectors_mutex);
  CollectLogLines(*this, impl_->log_lines, impl_->log_lines_dropped);
  for (const auto& collector : impl_->collectors) collector(*this);
}

const prometheus::Collectable& Metrics::collectable() const { return impl_->known; }

}  // namespace tollbridge::telemetry
