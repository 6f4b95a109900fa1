#include "adapters/kafka/hint_record.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace tollbridge::kafka {
namespace {

/// The last of that name; empty for none.
std::string_view Header(const rd_kafka_headers_t* headers, const char* name) {
  const void* value = nullptr;
  std::size_t size = 0;
  if (rd_kafka_header_get_last(headers, name, &value, &size) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return {};
  }
  return {static_cast<const char*>(value), size};
}

telemetry::TraceContext TraceOf(const rd_kafka_message_t& message) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return telemetry::TraceContext::FromHeaders(Header(headers, "traceparent"),
                                              Header(headers, "tracestate"))
      .value_or(telemetry::TraceContext{});
}

}  // namespace

ports::HintRecord HintRecordOf(const rd_kafka_message_t& message) {
  return {.partition = message.partition,
          .offset = message.offset,
          .leader_epoch = rd_kafka_message_leader_epoch(&message),
          .key = std::string(static_cast<const char*>(message.key), message.key_len),
          .value = std::string(static_cast<const char*>(message.payload), message.len),
          .trace = TraceOf(message)};
}

}  // namespace tollbridge::kafka
