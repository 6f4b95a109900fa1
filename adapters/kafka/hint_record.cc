#include "adapters/kafka/hint_record.h"

#include <cstddef>
#include <string>

namespace tollbridge::kafka {
namespace {

telemetry::TraceContext TraceOf(const rd_kafka_message_t& message) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const void* value = nullptr;
  std::size_t size = 0;
  if (rd_kafka_header_get_last(headers, "traceparent", &value, &size) !=
      RD_KAFKA_RESP_ERR_NO_ERROR) {
    return {};
  }
  return telemetry::TraceContext::FromTraceparent({static_cast<const char*>(value), size})
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
