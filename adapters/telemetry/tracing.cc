#include "adapters/telemetry/tracing.h"

#include <opentelemetry/sdk/resource/resource.h>
#include <opentelemetry/sdk/trace/batch_span_processor_factory.h>
#include <opentelemetry/sdk/trace/batch_span_processor_options.h>
#include <opentelemetry/sdk/trace/exporter.h>
#include <opentelemetry/sdk/trace/processor.h>
#include <opentelemetry/sdk/trace/tracer_provider.h>
#include <opentelemetry/sdk/trace/tracer_provider_factory.h>
#include <opentelemetry/trace/noop.h>
#include <opentelemetry/trace/provider.h>

#include <algorithm>
#include <future>
#include <utility>

#include "adapters/telemetry/otlp_exporter.h"
#include "adapters/telemetry/sampling.h"
#include "base/core/status_macros.h"

namespace tollbridge::telemetry_exporters {
namespace {

namespace sdk = opentelemetry::sdk;
using ApiProvider = opentelemetry::trace::TracerProvider;
using opentelemetry::trace::Provider;

constexpr std::chrono::milliseconds kShutDownBound{1000};
constexpr std::chrono::milliseconds kBreakOffBound{100};
constexpr std::size_t kMaxBatch = 512;

std::shared_ptr<sdk::trace::TracerProvider> MakeProvider(
    const TracingSettings& settings, std::unique_ptr<sdk::trace::SpanExporter> exporter) {
  sdk::trace::BatchSpanProcessorOptions batch;
  batch.max_queue_size = settings.max_queued_spans;
  batch.schedule_delay_millis = settings.batch_interval;
  batch.max_export_batch_size = std::min(kMaxBatch, settings.max_queued_spans);
  auto processor = MakeKeepingProcessor(
      sdk::trace::BatchSpanProcessorFactory::Create(std::move(exporter), batch));
  auto resource = sdk::resource::Resource::Create({
      {"service.name", settings.service_name},
      {"service.version", settings.service_version},
      {"service.instance.id", settings.service_instance_id},
  });
  return sdk::trace::TracerProviderFactory::Create(
      std::move(processor), resource,
      MakeSampler(settings.sample_ratio, settings.wanted_per_second));
}

}  // namespace

struct Tracing::Impl {
  // Null when nothing is exported, or no more.
  std::shared_ptr<sdk::trace::TracerProvider> provider;
  // Owned by the provider.
  sdk::trace::SpanExporter* exporter = nullptr;
};

absl::StatusOr<std::unique_ptr<Tracing>> Tracing::Start(const TracingSettings& settings) {
  auto impl = std::make_unique<Impl>();
  if (!(settings.sample_ratio >= 0 && settings.sample_ratio <= 1)) {
    return absl::InvalidArgumentError("the sample ratio of traces is not in 0 to 1");
  }
  if (!settings.otlp_endpoint.empty()) {
    TB_ASSIGN_OR_RETURN(auto exporter, OtlpExporter::Create({.endpoint = settings.otlp_endpoint,
                                                             .tls = settings.otlp_tls,
                                                             .headers = settings.otlp_headers,
                                                             .timeout = settings.export_timeout,
                                                             .on_dropped = settings.on_dropped}));
    impl->exporter = exporter.get();
    impl->provider = MakeProvider(settings, std::move(exporter));
    Provider::SetTracerProvider(opentelemetry::nostd::shared_ptr<ApiProvider>(
        std::shared_ptr<ApiProvider>(impl->provider)));
  }
  return std::unique_ptr<Tracing>(new Tracing(std::move(impl)));
}

Tracing::Tracing(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

// Spans that could not be exported in time are lost; there is no one left to tell.
Tracing::~Tracing() { ShutDown(kShutDownBound).IgnoreError(); }

absl::Status Tracing::ShutDown(std::chrono::milliseconds bound) {
  if (impl_->provider == nullptr) return absl::OkStatus();
  Provider::SetTracerProvider(opentelemetry::nostd::shared_ptr<ApiProvider>(
      new opentelemetry::trace::NoopTracerProvider()));
  const auto provider = std::exchange(impl_->provider, nullptr);
  // The bounds that OpenTelemetry takes do not hold: flushing given one may call itself done when
  // it is over, and shutting down takes the export's own time for each batch that is queued. What
  // ends both is the exporter's shutdown: it breaks off the batch that is being sent, and refuses
  // the rest.
  std::future<bool> flush =
      std::async(std::launch::async, [provider] { return provider->ForceFlush(); });
  const bool in_time = flush.wait_for(bound) == std::future_status::ready;
  impl_->exporter->Shutdown(kBreakOffBound);
  const bool flushed = flush.get() && in_time;
  provider->Shutdown(kBreakOffBound);
  return flushed ? absl::OkStatus()
                 : absl::DeadlineExceededError("spans were not exported in time");
}

}  // namespace tollbridge::telemetry_exporters
