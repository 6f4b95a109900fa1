#include "adapters/redis/script_span.h"

#include <absl/strings/str_cat.h>

#include <string>

namespace tollbridge::redis {

ScriptSpan::ScriptSpan(std::string_view script, const telemetry::TraceContext& parent) {
  if (!parent.valid()) return;
  constexpr std::string_view kOperation = "EVALSHA";
  span_ = telemetry::StartSpan(absl::StrCat("EVALSHA ", std::string(script)), parent,
                               telemetry::SpanKind::kClient);
  if (!span_->recording()) return;
  span_->SetAttribute("db.system.name", "redis");
  span_->SetAttribute("db.operation.name", kOperation);
  span_->SetAttribute("db.stored_procedure.name", script);
}

void ScriptSpan::Failed(const absl::Status& status) {
  if (span_) span_->SetErrorType(absl::StatusCodeToString(status.code()));
}

}  // namespace tollbridge::redis
