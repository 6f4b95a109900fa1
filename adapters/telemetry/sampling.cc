#include "adapters/telemetry/sampling.h"

#include <opentelemetry/common/key_value_iterable.h>
#include <opentelemetry/sdk/trace/samplers/trace_id_ratio_factory.h>
#include <opentelemetry/sdk/trace/span_data.h>
#include <opentelemetry/trace/span_metadata.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/telemetry/span.h"

namespace tollbridge::telemetry_exporters {
namespace {

namespace otel = opentelemetry;
namespace sdk = opentelemetry::sdk::trace;

bool Has(const otel::common::KeyValueIterable& attributes, std::string_view name) {
  // False when the search was broken off, which it is at the first of that name.
  return !attributes.ForEachKeyValue(
      [name](otel::nostd::string_view key, const otel::common::AttributeValue&) noexcept {
        return std::string_view(key.data(), key.size()) != name;
      });
}

class Sampler final : public sdk::Sampler {
 public:
  Sampler(double ratio, std::uint32_t wanted_per_second)
      : by_id_(sdk::TraceIdRatioBasedSamplerFactory::Create(ratio)),
        earned_by_call_(kShares * ratio),
        wanted_per_second_(wanted_per_second) {}

  sdk::SamplingResult ShouldSample(
      const otel::trace::SpanContext& parent, otel::trace::TraceId trace_id,
      otel::nostd::string_view name, otel::trace::SpanKind kind,
      const otel::common::KeyValueIterable& attributes,
      const otel::trace::SpanContextKeyValueIterable& links) noexcept override {
    const bool sampled = Sampled(parent, kind, attributes, [&] {
      return by_id_
          ->ShouldSample(otel::trace::SpanContext::GetInvalid(), trace_id, name, kind, attributes,
                         links)
          .IsSampled();
    });
    return {.decision = sampled ? sdk::Decision::RECORD_AND_SAMPLE : sdk::Decision::RECORD_ONLY,
            .attributes = nullptr,
            .trace_state = parent.trace_state()};
  }

  otel::nostd::string_view GetDescription() const noexcept override { return "Tollbridge"; }

 private:
  template <typename ById>
  bool Sampled(const otel::trace::SpanContext& parent, otel::trace::SpanKind kind,
               const otel::common::KeyValueIterable& attributes, const ById& by_id) {
    if (!parent.IsValid()) return !Has(attributes, telemetry::Span::kOfRoutine) && by_id();
    if (kind != otel::trace::SpanKind::kServer) return parent.IsSampled();
    if (!Has(attributes, telemetry::Span::kWanted)) return false;
    const std::scoped_lock lock(mutex_);
    earned_ = std::min(earned_ + earned_by_call_, kMostEarned);
    return (by_id() && TakeEarned()) || TakeWanted();
  }

  /// The id is the caller's choice: who chooses all of them so that they are in the share gets no
  /// more of them than calls by chance would.
  bool TakeEarned() {
    if (earned_ < 1) return false;
    earned_ -= 1;
    return true;
  }

  bool TakeWanted() {
    const auto second = std::chrono::floor<std::chrono::seconds>(BootClock::now());
    if (second != second_) taken_ = 0;
    second_ = second;
    return taken_ < wanted_per_second_ && ++taken_ > 0;
  }

  /// As many times its share as chance may give for a while, and what chance gives at once.
  static constexpr double kShares = 2;
  static constexpr double kMostEarned = 100;

  const std::unique_ptr<sdk::Sampler> by_id_;
  const double earned_by_call_;
  const std::uint32_t wanted_per_second_;
  std::mutex mutex_;
  double earned_ = kMostEarned;
  std::chrono::time_point<BootClock, std::chrono::seconds> second_;
  std::uint32_t taken_ = 0;
};

bool IsKept(const sdk::SpanData& span) {
  return span.GetSpanContext().IsSampled() || span.GetStatus() == otel::trace::StatusCode::kError ||
         span.GetAttributes().contains(std::string(telemetry::Span::kKept));
}

class KeepingProcessor final : public sdk::SpanProcessor {
 public:
  explicit KeepingProcessor(std::unique_ptr<sdk::SpanProcessor> next) : next_(std::move(next)) {}

  std::unique_ptr<sdk::Recordable> MakeRecordable() noexcept override {
    return next_->MakeRecordable();
  }
  void OnStart(sdk::Recordable& span, const otel::trace::SpanContext& parent) noexcept override {
    next_->OnStart(span, parent);
  }
  void OnEnd(std::unique_ptr<sdk::Recordable>&& span) noexcept override {
    if (IsKept(static_cast<const sdk::SpanData&>(*span))) next_->OnEnd(std::move(span));
  }
  bool ForceFlush(std::chrono::microseconds timeout) noexcept override {
    return next_->ForceFlush(timeout);
  }
  bool Shutdown(std::chrono::microseconds timeout) noexcept override {
    return next_->Shutdown(timeout);
  }

 private:
  const std::unique_ptr<sdk::SpanProcessor> next_;
};

}  // namespace

std::unique_ptr<sdk::Sampler> MakeSampler(double ratio, std::uint32_t wanted_per_second) {
  return std::make_unique<Sampler>(ratio, wanted_per_second);
}

std::unique_ptr<sdk::SpanProcessor> MakeKeepingProcessor(std::unique_ptr<sdk::SpanProcessor> next) {
  return std::make_unique<KeepingProcessor>(std::move(next));
}

}  // namespace tollbridge::telemetry_exporters
