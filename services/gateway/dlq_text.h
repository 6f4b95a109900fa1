#ifndef TOLLBRIDGE_SERVICES_GATEWAY_DLQ_TEXT_H_
#define TOLLBRIDGE_SERVICES_GATEWAY_DLQ_TEXT_H_

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/dead_letter_reader.h"
#include "tollbridge/events/v1/hint.pb.h"

/// Dead letters as people read them on a terminal. Anybody can have written into the topic of
/// hints, so that what is no hint is shown as hexadecimal digits, card numbers in it masked first,
/// and everything else without control characters.
namespace tollbridge::gateway {

/// The hint in the letter; nullopt when its value is none, or names no order.
std::optional<events::v1::Hint> HintOf(const kafka::StoredLetter& letter);

/// PARTITION:OFFSET, by which a letter is named. nullopt when the text is none.
std::optional<kafka::RecordPlace> ParsePlace(std::string_view text);
std::string PlaceText(const kafka::RecordPlace& place);

/// One line a letter under a heading; what to say when there are none.
std::string LetterTable(const std::vector<kafka::StoredLetter>& letters);

/// All of one letter.
std::string LetterStory(const kafka::StoredLetter& letter);

/// The same facts as a JSON object.
boost::json::object LetterJson(const kafka::StoredLetter& letter);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_SERVICES_GATEWAY_DLQ_TEXT_H_
