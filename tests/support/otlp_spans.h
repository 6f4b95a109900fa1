#ifndef TOLLBRIDGE_TESTS_SUPPORT_OTLP_SPANS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_OTLP_SPANS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tollbridge/otlp/v1/traces.pb.h"

namespace tollbridge::test {

/// The spans of all processes in an export.
std::vector<otlp::v1::Span> SpansOf(const otlp::v1::ExportTracesRequest& request);

/// Its attributes, numbers as text.
std::map<std::string, std::string> Attributes(const otlp::v1::Span& span);

/// The spans of one trace.
class TraceOf {
 public:
  /// Of all these, those of the trace; its id as 32 hex digits.
  TraceOf(const std::vector<otlp::v1::Span>& spans, std::string_view trace_id);

  /// The one of that name, or the first; nullptr for none.
  const otlp::v1::Span* Find(std::string_view name) const;
  const otlp::v1::Span* Parent(const otlp::v1::Span& span) const;
  /// The one of that name about this message; an empty one for none.
  const otlp::v1::Span& Of(std::string_view name, const std::string& message_id) const;
  /// Whether the one is below the other, at any depth.
  bool IsBelow(std::string_view name, std::string_view above) const;
  bool Has(const std::vector<std::string>& names) const;

 private:
  std::vector<otlp::v1::Span> spans_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_OTLP_SPANS_H_
