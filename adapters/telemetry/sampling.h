#ifndef TOLLBRIDGE_ADAPTERS_TELEMETRY_SAMPLING_H_
#define TOLLBRIDGE_ADAPTERS_TELEMETRY_SAMPLING_H_

#include <opentelemetry/sdk/trace/processor.h>
#include <opentelemetry/sdk/trace/sampler.h>

#include <cstdint>
#include <memory>

namespace tollbridge::telemetry_exporters {

/// Decides once for a trace, where it enters the process: by its id, so that all processes that
/// have the same ratio keep the same traces. A caller that does not want its trace sampled is
/// followed; one that wants it is beyond the ratio for `wanted_per_second` traces only, since the
/// flag costs callers nothing and us an export of every span. Nor does choosing ids that are in the
/// share: twice the share of such calls is in it at most, and a hundred at once. Inside the process
/// children follow their parent. What is not sampled is recorded all the same, for KeepingProcessor
/// to decide. Any thread.
std::unique_ptr<opentelemetry::sdk::trace::Sampler> MakeSampler(double ratio,
                                                                std::uint32_t wanted_per_second);

/// Hands on to `next` what is sampled, and what is to be exported in any case: spans with errors,
/// and those that were told Keep. Any thread.
std::unique_ptr<opentelemetry::sdk::trace::SpanProcessor> MakeKeepingProcessor(
    std::unique_ptr<opentelemetry::sdk::trace::SpanProcessor> next);

}  // namespace tollbridge::telemetry_exporters

#endif  // TOLLBRIDGE_ADAPTERS_TELEMETRY_SAMPLING_H_
