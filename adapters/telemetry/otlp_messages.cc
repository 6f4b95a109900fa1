#include "adapters/telemetry/otlp_messages.h"

#include <opentelemetry/nostd/variant.h>
#include <opentelemetry/sdk/common/attribute_utils.h>
#include <opentelemetry/sdk/instrumentationscope/instrumentation_scope.h>
#include <opentelemetry/sdk/resource/resource.h>
#include <opentelemetry/sdk/trace/span_data.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace tollbridge::telemetry_exporters {
namespace {

namespace sdk = opentelemetry::sdk;
namespace v1 = otlp::v1;
using opentelemetry::trace::SpanContext;
using opentelemetry::trace::SpanKind;
using opentelemetry::trace::StatusCode;
using Attributes = std::unordered_map<std::string, sdk::common::OwnedAttributeValue>;

/// Of a trace or a span.
template <typename Id>
std::string Bytes(const Id& id) {
  const auto bytes = id.Id();
  return {bytes.begin(), bytes.end()};
}

struct SetValue {
  v1::AnyValue& to;

  void operator()(bool value) const { to.set_bool_value(value); }
  void operator()(double value) const { to.set_double_value(value); }
  void operator()(const std::string& value) const { to.set_string_value(value); }
  void operator()(const std::vector<std::uint8_t>& value) const {
    to.set_bytes_value(std::string(value.begin(), value.end()));
  }
  template <typename Integer>
    requires std::is_integral_v<Integer>
  void operator()(Integer value) const {
    to.set_int_value(static_cast<std::int64_t>(value));
  }
  template <typename Value>
  void operator()(const std::vector<Value>& values) const {
    v1::ArrayValue* const array = to.mutable_array_value();
    for (const Value& value : values) SetValue{*array->add_values()}(value);
  }
};

template <typename Message>
void AddAttributes(const Attributes& attributes, Message& to) {
  for (const auto& [key, value] : attributes) {
    v1::KeyValue* const added = to.add_attributes();
    added->set_key(key);
    opentelemetry::nostd::visit(SetValue{*added->mutable_value()}, value);
  }
}

v1::Span::SpanKind KindOf(SpanKind kind) {
  switch (kind) {
    case SpanKind::kServer:
      return v1::Span::SPAN_KIND_SERVER;
    case SpanKind::kClient:
      return v1::Span::SPAN_KIND_CLIENT;
    case SpanKind::kProducer:
      return v1::Span::SPAN_KIND_PRODUCER;
    case SpanKind::kConsumer:
      return v1::Span::SPAN_KIND_CONSUMER;
    case SpanKind::kInternal:
      break;
  }
  return v1::Span::SPAN_KIND_INTERNAL;
}

v1::Status::StatusCode CodeOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return v1::Status::STATUS_CODE_OK;
    case StatusCode::kError:
      return v1::Status::STATUS_CODE_ERROR;
    case StatusCode::kUnset:
      break;
  }
  return v1::Status::STATUS_CODE_UNSPECIFIED;
}

/// What a span and a link have of a context.
template <typename Message>
void SetContext(const SpanContext& context, Message& to) {
  to.set_trace_id(Bytes(context.trace_id()));
  to.set_span_id(Bytes(context.span_id()));
  to.set_trace_state(context.trace_state()->ToHeader());
  to.set_flags(context.trace_flags().flags());
}

void Fill(const sdk::trace::SpanData& from, v1::Span& to) {
  SetContext(from.GetSpanContext(), to);
  if (from.GetParentSpanId().IsValid()) to.set_parent_span_id(Bytes(from.GetParentSpanId()));
  to.set_name(std::string(from.GetName()));
  to.set_kind(KindOf(from.GetSpanKind()));
  const auto started = from.GetStartTime().time_since_epoch();
  to.set_start_time_unix_nano(static_cast<std::uint64_t>(started.count()));
  to.set_end_time_unix_nano(static_cast<std::uint64_t>((started + from.GetDuration()).count()));
  AddAttributes(from.GetAttributes(), to);
  for (const sdk::trace::SpanDataEvent& event : from.GetEvents()) {
    v1::Span::Event* const added = to.add_events();
    added->set_time_unix_nano(
        static_cast<std::uint64_t>(event.GetTimestamp().time_since_epoch().count()));
    added->set_name(event.GetName());
    AddAttributes(event.GetAttributes(), *added);
  }
  for (const sdk::trace::SpanDataLink& link : from.GetLinks()) {
    v1::Span::Link* const added = to.add_links();
    SetContext(link.GetSpanContext(), *added);
    AddAttributes(link.GetAttributes(), *added);
  }
  if (from.GetStatus() == StatusCode::kUnset) return;
  to.mutable_status()->set_code(CodeOf(from.GetStatus()));
  to.mutable_status()->set_message(std::string(from.GetDescription()));
}

}  // namespace

v1::ExportTracesRequest ToOtlp(
    const opentelemetry::nostd::span<std::unique_ptr<sdk::trace::Recordable>>& spans) {
  v1::ExportTracesRequest request;
  v1::ResourceSpans* const all = request.add_resource_spans();
  std::unordered_map<const sdk::instrumentationscope::InstrumentationScope*, v1::ScopeSpans*>
      scopes;
  for (const std::unique_ptr<sdk::trace::Recordable>& recordable : spans) {
    const auto& span = static_cast<const sdk::trace::SpanData&>(*recordable);
    if (!all->has_resource()) {
      AddAttributes(span.GetResource().GetAttributes(), *all->mutable_resource());
    }
    const auto& scope = span.GetInstrumentationScope();
    v1::ScopeSpans*& of_scope = scopes[&scope];
    if (of_scope == nullptr) {
      of_scope = all->add_scope_spans();
      of_scope->mutable_scope()->set_name(scope.GetName());
      of_scope->mutable_scope()->set_version(scope.GetVersion());
    }
    Fill(span, *of_scope->add_spans());
  }
  return request;
}

}  // namespace tollbridge::telemetry_exporters
