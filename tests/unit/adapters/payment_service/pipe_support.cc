#include "tests/unit/adapters/payment_service/pipe_support.h"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace tollbridge::payment_service {
namespace {

struct Sample {
  prometheus::MetricType type;
  prometheus::ClientMetric metric;
};

std::optional<Sample> Find(const telemetry::Metrics& metrics, std::string_view name,
                           const Labels& labels) {
  for (const prometheus::MetricFamily& family : metrics.collectable().Collect()) {
    if (family.name != name) continue;
    for (const prometheus::ClientMetric& metric : family.metric) {
      Labels have;
      for (const auto& label : metric.label) have[label.name] = label.value;
      if (have == labels) return Sample{family.type, metric};
    }
  }
  return std::nullopt;
}

}  // namespace

boost::asio::awaitable<ExchangeResult> ScriptedTransport::Send(Exchange exchange) {
  ExchangeResult result = script_(exchange);
  seen_->push_back(std::move(exchange));
  co_return result;
}

ScriptedTransport::Script InOrder(std::vector<ExchangeResult> results) {
  return [results = std::move(results), next = std::size_t{0}](const Exchange&) mutable {
    return results[std::min(next++, results.size() - 1)];
  };
}

TransportChain ChainOf(std::unique_ptr<Transport> link, Seen* seen,
                       ScriptedTransport::Script script) {
  std::vector<std::unique_ptr<Transport>> links;
  links.push_back(std::move(link));
  links.push_back(std::make_unique<ScriptedTransport>(seen, std::move(script)));
  return TransportChain(std::move(links));
}

ExchangeResult Answered(int status, std::string body) {
  ExchangeResult result;
  result.fate = http::Fate::kAnswered;
  result.response.status = status;
  result.response.body = std::move(body);
  return result;
}

ExchangeResult NotSent(absl::Status why) {
  ExchangeResult result;
  result.fate = http::Fate::kNotSent;
  result.error = std::move(why);
  return result;
}

ExchangeResult Unknown(absl::Status why) {
  ExchangeResult result;
  result.fate = http::Fate::kUnknown;
  result.error = std::move(why);
  return result;
}

double CountOf(const telemetry::Metrics& metrics, std::string_view name, const Labels& labels) {
  const std::optional<Sample> sample = Find(metrics, name, labels);
  if (!sample) return 0;
  return sample->type == prometheus::MetricType::Histogram
             ? static_cast<double>(sample->metric.histogram.sample_count)
             : sample->metric.counter.value;
}

double SumOf(const telemetry::Metrics& metrics, std::string_view name, const Labels& labels) {
  const std::optional<Sample> sample = Find(metrics, name, labels);
  return sample ? sample->metric.histogram.sample_sum : 0;
}

}  // namespace tollbridge::payment_service
