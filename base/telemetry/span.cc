#include "base/telemetry/span.h"

#include <absl/random/random.h>
#include <opentelemetry/trace/noop.h>
#include <opentelemetry/trace/provider.h>
#include <opentelemetry/trace/span_startoptions.h>
#include <opentelemetry/trace/trace_state.h>
#include <opentelemetry/trace/tracer.h>
#include <opentelemetry/trace/tracer_provider.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/core/card_numbers.h"
#include "base/core/encoding.h"

namespace tollbridge::telemetry {
namespace {

namespace otel = opentelemetry;

constexpr std::size_t kTraceparentSize = 55;
/// What Trace Context asks everybody to pass on.
constexpr std::size_t kMaxTracestate = 512;

template <std::size_t n>
std::string Hex(const std::array<std::uint8_t, n>& bytes) {
  return HexEncode({reinterpret_cast<const char*>(bytes.data()), n});
}

template <std::size_t n>
void AppendHex(const std::array<std::uint8_t, n>& bytes, std::string& out) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (const std::uint8_t byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 0xf]);
  }
}

template <std::size_t n>
bool IsZero(const std::array<std::uint8_t, n>& bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

/// Lower-case digits only, as Trace Context has it; -1 for all else.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool ReadHex(std::string_view text, std::span<std::uint8_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = HexDigit(text[2 * i]);
    const int low = HexDigit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

template <std::size_t n>
void FillRandom(std::array<std::uint8_t, n>& bytes) {
  thread_local absl::BitGen random;
  do {
    for (std::uint8_t& byte : bytes) byte = absl::Uniform<std::uint8_t>(random);
  } while (IsZero(bytes));
}

otel::trace::SpanContext ToOtel(const TraceContext& context) {
  return {otel::trace::TraceId(context.trace_id), otel::trace::SpanId(context.span_id),
          otel::trace::TraceFlags(context.flags), true,
          context.state == nullptr ? otel::trace::TraceState::GetDefault()
                                   : otel::trace::TraceState::FromHeader(*context.state)};
}

/// `parent` has the state of the trace, which no sampler of ours changes.
TraceContext FromOtel(const otel::trace::SpanContext& from, const TraceContext& parent) {
  TraceContext context;
  context.state = parent.state;
  std::ranges::copy(from.trace_id().Id(), context.trace_id.begin());
  std::ranges::copy(from.span_id().Id(), context.span_id.begin());
  context.flags = from.trace_flags().flags();
  return context;
}

otel::trace::SpanKind ToOtel(SpanKind kind) {
  switch (kind) {
    case SpanKind::kServer:
      return otel::trace::SpanKind::kServer;
    case SpanKind::kClient:
      return otel::trace::SpanKind::kClient;
    case SpanKind::kProducer:
      return otel::trace::SpanKind::kProducer;
    case SpanKind::kConsumer:
      return otel::trace::SpanKind::kConsumer;
    case SpanKind::kInternal:
    case SpanKind::kRoutine:
      break;
  }
  return otel::trace::SpanKind::kInternal;
}

otel::nostd::string_view ToOtel(std::string_view text) { return {text.data(), text.size()}; }

/// The ids of a span that nobody records.
TraceContext Unrecorded(const TraceContext& parent) {
  TraceContext context;
  if (parent.valid()) {
    context.trace_id = parent.trace_id;
    context.flags = parent.flags;
    context.state = parent.state;
  } else {
    FillRandom(context.trace_id);
  }
  FillRandom(context.span_id);
  return context;
}

}  // namespace

bool TraceContext::valid() const { return !IsZero(trace_id) && !IsZero(span_id); }

std::string TraceContext::TraceIdHex() const { return Hex(trace_id); }

std::string TraceContext::SpanIdHex() const { return Hex(span_id); }

std::string TraceContext::ToTraceparent() const {
  if (!valid()) return "";
  std::string text;
  text.reserve(kTraceparentSize);
  text.append("00-");
  AppendHex(trace_id, text);
  text.push_back('-');
  AppendHex(span_id, text);
  text.push_back('-');
  AppendHex(std::array<std::uint8_t, 1>{flags}, text);
  return text;
}

std::optional<TraceContext> TraceContext::FromTraceparent(std::string_view text) {
  if (text.size() < kTraceparentSize || text[2] != '-' || text[35] != '-' || text[52] != '-') {
    return std::nullopt;
  }
  std::array<std::uint8_t, 1> version{};
  std::array<std::uint8_t, 1> flags{};
  TraceContext context;
  if (!ReadHex(text.substr(0, 2), version) || !ReadHex(text.substr(3, 32), context.trace_id) ||
      !ReadHex(text.substr(36, 16), context.span_id) || !ReadHex(text.substr(53, 2), flags)) {
    return std::nullopt;
  }
  // A later version may have more behind another hyphen; 255 is none.
  const bool well_formed =
      version[0] == 0 ? text.size() == kTraceparentSize
                      : version[0] != 0xff &&
                            (text.size() == kTraceparentSize || text[kTraceparentSize] == '-');
  if (!well_formed || !context.valid()) return std::nullopt;
  context.flags = flags[0];
  return context;
}

std::optional<TraceContext> TraceContext::FromHeaders(std::string_view traceparent,
                                                      std::string_view tracestate) {
  std::optional<TraceContext> context = FromTraceparent(traceparent);
  if (!context || tracestate.empty() || tracestate.size() > kMaxTracestate) return context;
  const auto state = otel::trace::TraceState::FromHeader(ToOtel(tracestate));
  if (state->Empty()) return context;
  std::string text = state->ToHeader();
  // It goes to others as it is: nothing may go on that looks like card data.
  if (MaskCardNumbers(text) == text) {
    context->state = std::make_shared<const std::string>(std::move(text));
  }
  return context;
}

std::string_view TraceContext::ToTracestate() const {
  return state == nullptr || !valid() ? std::string_view() : *state;
}

bool TraceContext::operator==(const TraceContext& other) const {
  return trace_id == other.trace_id && span_id == other.span_id && flags == other.flags &&
         ToTracestate() == other.ToTracestate();
}

struct Span::Impl {
  TraceContext context;
  // Null when nobody records.
  otel::nostd::shared_ptr<otel::trace::Span> span;
};

Span::Span(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Span::Span(Span&&) noexcept = default;
Span& Span::operator=(Span&&) noexcept = default;
// OpenTelemetry's span ends with its last owner.
Span::~Span() = default;

const TraceContext& Span::context() const { return impl_->context; }

bool Span::recording() const { return impl_->span != nullptr && impl_->span->IsRecording(); }

void Span::SetAttribute(std::string_view name, AttributeValue value) {
  if (!recording()) return;
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    const std::string masked = MaskCardNumbers(*text);
    impl_->span->SetAttribute(ToOtel(name), ToOtel(masked));
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    impl_->span->SetAttribute(ToOtel(name), *integer);
  } else if (const auto* number = std::get_if<double>(&value)) {
    impl_->span->SetAttribute(ToOtel(name), *number);
  } else {
    impl_->span->SetAttribute(ToOtel(name), std::get<bool>(value));
  }
}

void Span::SetError(std::string_view description) {
  if (impl_->span == nullptr) return;
  const std::string masked = MaskCardNumbers(description);
  impl_->span->SetStatus(otel::trace::StatusCode::kError, ToOtel(masked));
}

void Span::SetErrorType(std::string_view type) {
  SetAttribute("error.type", type);
  SetError(type);
}

void Span::Keep() { SetAttribute(kKept, true); }

Span StartSpan(std::string_view name, const TraceContext& parent, SpanKind kind,
               std::optional<TraceContext> link) {
  auto impl = std::make_unique<Span::Impl>();
  const auto provider = otel::trace::Provider::GetTracerProvider();
  if (dynamic_cast<const otel::trace::NoopTracerProvider*>(provider.get()) != nullptr) {
    impl->context = Unrecorded(parent);
    return Span(std::move(impl));
  }
  otel::trace::StartSpanOptions options;
  options.kind = ToOtel(kind);
  TraceContext above = parent;
  // OpenTelemetry hands the flag on, whatever the sampler says: what a caller wants goes beside it.
  const bool wanted = kind == SpanKind::kServer && parent.sampled();
  if (wanted) above.flags = static_cast<std::uint8_t>(above.flags & ~1U);
  if (parent.valid()) options.parent = ToOtel(above);
  std::vector<std::pair<otel::trace::SpanContext, std::map<std::string, std::string>>> links;
  if (link.has_value() && link->valid())
    links.emplace_back(ToOtel(*link), std::map<std::string, std::string>());
  std::map<std::string, bool> attributes;
  if (kind == SpanKind::kRoutine) attributes.emplace(Span::kOfRoutine, true);
  if (wanted) attributes.emplace(Span::kWanted, true);
  const auto tracer = provider->GetTracer("tollbridge");
  impl->span = tracer->StartSpan(ToOtel(name), attributes, links, options);
  if (impl->span->GetContext().IsValid()) {
    impl->context = FromOtel(impl->span->GetContext(), parent);
  } else {
    impl->span = nullptr;
    impl->context = Unrecorded(parent);
  }
  return Span(std::move(impl));
}

}  // namespace tollbridge::telemetry
