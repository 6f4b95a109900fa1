#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_EVENT_LINE_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_EVENT_LINE_H_

#include <absl/status/statusor.h>

#include <string>

#include "adapters/kafka/event_tail.h"

/// How `tollbridge events tail` shows events.
namespace tollbridge::gateway {

bool IsHeartbeat(const kafka::TailedRecord& record);

/// The record as one JSON object, with its headers and its payload in words.
std::string EventJson(const std::string& topic, const kafka::TailedRecord& record);

/// What stands above lines of EventLine.
std::string EventLineHead();
/// When, type, order and amount of the event, for people: columns as wide as what is usual in them.
/// What cannot be read is said to be so, with its place.
std::string EventLine(const std::string& topic, const kafka::TailedRecord& record);

/// The type that an option names: `payment.completed`, or all of it,
/// `tollbridge.payment.completed.v1`. INVALID_ARGUMENT, naming the option and what may be meant,
/// where no event has it.
absl::StatusOr<std::string> EventTypeOption(const std::string& option, const std::string& name);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_EVENT_LINE_H_
