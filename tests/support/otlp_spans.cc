#include "tests/support/otlp_spans.h"

#include <algorithm>

#include "base/core/encoding.h"

namespace tollbridge::test {

std::vector<otlp::v1::Span> SpansOf(const otlp::v1::ExportTracesRequest& request) {
  std::vector<otlp::v1::Span> spans;
  for (const auto& resource : request.resource_spans()) {
    for (const auto& scope : resource.scope_spans()) {
      spans.insert(spans.end(), scope.spans().begin(), scope.spans().end());
    }
  }
  return spans;
}

std::map<std::string, std::string> Attributes(const otlp::v1::Span& span) {
  std::map<std::string, std::string> attributes;
  for (const otlp::v1::KeyValue& each : span.attributes()) {
    const otlp::v1::AnyValue& value = each.value();
    attributes[each.key()] =
        value.has_int_value() ? std::to_string(value.int_value()) : value.string_value();
  }
  return attributes;
}

TraceOf::TraceOf(const std::vector<otlp::v1::Span>& spans, std::string_view trace_id) {
  for (const otlp::v1::Span& span : spans) {
    if (HexEncode(span.trace_id()) == trace_id) spans_.push_back(span);
  }
}

const otlp::v1::Span* TraceOf::Find(std::string_view name) const {
  const auto found = std::ranges::find(spans_, name, &otlp::v1::Span::name);
  return found == spans_.end() ? nullptr : &*found;
}

const otlp::v1::Span* TraceOf::Parent(const otlp::v1::Span& span) const {
  const auto found = std::ranges::find(spans_, span.parent_span_id(), &otlp::v1::Span::span_id);
  return found == spans_.end() ? nullptr : &*found;
}

const otlp::v1::Span& TraceOf::Of(std::string_view name, const std::string& message_id) const {
  const auto found = std::ranges::find_if(spans_, [&](const otlp::v1::Span& span) {
    return span.name() == name && Attributes(span)["messaging.message.id"] == message_id;
  });
  static const otlp::v1::Span kNone;
  return found == spans_.end() ? kNone : *found;
}

bool TraceOf::IsBelow(std::string_view name, std::string_view above) const {
  const otlp::v1::Span* span = Find(name);
  while (span != nullptr && span->name() != above) span = Parent(*span);
  return span != nullptr;
}

bool TraceOf::Has(const std::vector<std::string>& names) const {
  return std::ranges::all_of(names, [&](const auto& name) { return Find(name) != nullptr; });
}

}  // namespace tollbridge::test
