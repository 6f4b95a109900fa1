#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_SEND_SPAN_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_SEND_SPAN_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string_view>

#include "adapters/kafka/record_place.h"
#include "base/telemetry/span.h"

namespace tollbridge::kafka {

/// The span of sending one record, from when it is handed to the client to its delivery report, by
/// OpenTelemetry's conventions for messaging.
class SendSpan {
 public:
  /// `creation`: the span in which the record was made, which this one links to; nullopt where the
  /// record names none.
  SendSpan(std::string_view topic, std::string_view message_id,
           const telemetry::TraceContext& parent,
           const std::optional<telemetry::TraceContext>& creation);

  void End(const absl::StatusOr<RecordPlace>& place);

 private:
  telemetry::Span span_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_SEND_SPAN_H_
