#include "services/domain/event_payload.h"

#include <google/protobuf/util/json_util.h>

#include "services/domain/confluent_frame.h"

namespace tollbridge::domain {
namespace {

template <typename Message>
std::optional<Message> Read(std::string_view content_type, const std::string& value) {
  Message message;
  if (content_type.starts_with("application/json")) {
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = true;
    if (!google::protobuf::util::JsonStringToMessage(value, &message, options).ok()) {
      return std::nullopt;
    }
    return message;
  }
  std::optional<std::string_view> bytes = value;
  if (content_type == kConfluentContentType) bytes = BehindConfluentFrame(value);
  if (!bytes || !message.ParseFromArray(bytes->data(), static_cast<int>(bytes->size()))) {
    return std::nullopt;
  }
  return message;
}

}  // namespace

std::optional<events::v1::PaymentEvent> ReadEvent(std::string_view content_type,
                                                  const std::string& value) {
  std::optional<events::v1::PaymentEvent> event =
      Read<events::v1::PaymentEvent>(content_type, value);
  // Heartbeats, and records of other topics, can often be read as this message, and say nothing
  // then.
  if (event && (event->id().empty() || event->type().empty())) return std::nullopt;
  return event;
}

std::optional<events::v1::Heartbeat> ReadHeartbeat(std::string_view content_type,
                                                   const std::string& value) {
  return Read<events::v1::Heartbeat>(content_type, value);
}

}  // namespace tollbridge::domain
