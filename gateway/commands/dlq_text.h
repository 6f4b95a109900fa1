#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_TEXT_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_TEXT_H_

#include <boost/json/object.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/ports/hint_log.h"
#include "tollbridge/events/v1/hint.pb.h"

/// Dead letters as people read them on a terminal. Anybody can have written into the topic of
/// hints, so that what is no hint is shown as hexadecimal digits, card numbers in it masked first,
/// and everything else without control characters.
namespace tollbridge::gateway {

/// Where a letter lies in the topic of dead letters: what people name it by.
struct LetterPlace {
  std::int32_t partition = 0;
  std::int64_t offset = 0;

  auto operator<=>(const LetterPlace&) const = default;
};

struct PlacedLetter {
  LetterPlace place;
  ports::DeadLetter letter;
};

/// The hint in the letter; nullopt when its value is none, or names no order.
std::optional<events::v1::Hint> HintOf(const PlacedLetter& letter);

/// PARTITION:OFFSET, by which a letter is named. nullopt when the text is none.
std::optional<LetterPlace> ParsePlace(std::string_view text);
std::string PlaceText(const LetterPlace& place);

/// One line a letter under a heading; what to say when there are none.
std::string LetterTable(const std::vector<PlacedLetter>& letters);

/// All of one letter.
std::string LetterStory(const PlacedLetter& letter);

/// The same facts as a JSON object.
boost::json::object LetterJson(const PlacedLetter& letter);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_TEXT_H_
