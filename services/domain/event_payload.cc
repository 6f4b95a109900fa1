#include "services/domain/event_payload.h"

#include <google/protobuf/util/json_util.h>

#include "services/domain/confluent_frame.h"

namespace tollbridge::domain {

std::optional<events::v1::PaymentEvent> ReadEvent(std::string_view content_type,
                                                  const std::string& value) {
  events::v1::PaymentEvent event;
  if (content_type.starts_with("application/json")) {
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = true;
    if (!google::protobuf::util::JsonStringToMessage(value, &event, options).ok()) {
      return std::nullopt;
    }
  } else {
    std::optional<std::string_view> message = value;
    if (content_type == kConfluentContentType) message = BehindConfluentFrame(value);
    if (!message || !event.ParseFromArray(message->data(), static_cast<int>(message->size()))) {
      return std::nullopt;
    }
  }
  // Records of other topics can often be read as this message, and say nothing then.
  if (event.id().empty() || event.type().empty()) return std::nullopt;
  return event;
}

}  // namespace tollbridge::domain
