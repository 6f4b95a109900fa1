#include "tests/unit/adapters/payment_service/pipe_support.h"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <exception>
#include <optional>

namespace tollbridge::payment_service {

namespace asio = boost::asio;

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

void HoldingTransport::Held::Answer(std::size_t index, ExchangeResult result) {
  all.at(index).result = std::move(result);
  if (const auto gate = all.at(index).gate.lock()) gate->cancel();
}

asio::awaitable<ExchangeResult> HoldingTransport::Send(Exchange exchange) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto gate =
      std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
  const std::size_t index = held_->all.size();
  held_->all.push_back({std::move(exchange), std::nullopt, gate});
  co_await gate->async_wait(asio::as_tuple(asio::use_awaitable));
  co_return held_->all.at(index).result.value();
}

HeldPipe::HeldPipe(std::unique_ptr<Transport> link)
    : chain_([&] {
        std::vector<std::unique_ptr<Transport>> links;
        links.push_back(std::move(link));
        links.push_back(std::make_unique<HoldingTransport>(&held_));
        return TransportChain(std::move(links));
      }()) {}

void HeldPipe::Run() {
  context_.restart();
  context_.poll();
}

std::size_t HeldPipe::Start(Exchange exchange) {
  const std::size_t index = results_.size();
  results_.emplace_back();
  asio::co_spawn(context_, chain_.Send(std::move(exchange)),
                 [this, index](std::exception_ptr, ExchangeResult result) {
                   results_[index] = std::move(result);
                 });
  Run();
  return index;
}

void HeldPipe::Answer(std::size_t index, ExchangeResult result) {
  held_.Answer(index, std::move(result));
  Run();
}

ExchangeResult HeldPipe::Pass(Exchange exchange, ExchangeResult result) {
  const std::size_t before = arrived();
  const std::size_t index = Start(std::move(exchange));
  if (arrived() > before) Answer(before, std::move(result));
  return results_[index].value();
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
  switch (sample->type) {
    case prometheus::MetricType::Histogram:
      return static_cast<double>(sample->metric.histogram.sample_count);
    case prometheus::MetricType::Gauge:
      return sample->metric.gauge.value;
    default:
      return sample->metric.counter.value;
  }
}

double SumOf(const telemetry::Metrics& metrics, std::string_view name, const Labels& labels) {
  const std::optional<Sample> sample = Find(metrics, name, labels);
  return sample ? sample->metric.histogram.sample_sum : 0;
}

}  // namespace tollbridge::payment_service
