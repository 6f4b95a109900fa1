#include "gateway/commands/dlq_text.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <cstddef>
#include <utility>

#include "base/core/card_numbers.h"
#include "base/core/encoding.h"
#include "base/core/uuid.h"
#include "base/telemetry/utf8.h"
#include "gateway/commands/terminal_text.h"
#include "services/domain/timestamps.h"

namespace tollbridge::gateway {
namespace {

using events::v1::Hint;

/// Of a value that is no hint, so much is shown.
constexpr std::size_t kMostShown = 4096;

/// Text from outside that is no identifier.
std::string Foreign(std::string_view text) {
  return Printable(MaskCardNumbers(telemetry::WellFormedUtf8(text)));
}

std::string TimeText(WallTime time) { return time == WallTime{} ? "" : domain::ToRfc3339(time); }

std::string SourceText(const Hint& hint) {
  const std::string name = events::v1::HintSource_Name(hint.source());
  constexpr std::string_view kPrefix = "HINT_SOURCE_";
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : absl::StrCat(hint.source());
}

/// A key is usually `project:order`; what stands behind the colon is shown as it is when it is an
/// id.
std::string KeyText(std::string_view key) {
  const std::size_t colon = key.rfind(':');
  if (colon == std::string_view::npos || !Uuid::Parse(key.substr(colon + 1))) return Foreign(key);
  return Foreign(key.substr(0, colon)).append(key.substr(colon));
}

using Facts = std::vector<std::pair<std::string, std::string>>;

void AddHint(const Hint& hint, Facts* facts) {
  facts->emplace_back("project", Foreign(hint.project()));
  facts->emplace_back("order_id", hint.order_id());
  if (Uuid::Parse(hint.member())) facts->emplace_back("member", hint.member());
  facts->emplace_back("source", SourceText(hint));
  if (hint.has_noticed_at()) {
    facts->emplace_back("noticed_at", domain::ToRfc3339(domain::ToWallTime(hint.noticed_at())));
  }
}

void AddUnparsed(const ports::DeadLetter& letter, Facts* facts) {
  const std::string& value = letter.record.value;
  const std::string masked = MaskCardNumbers(value);
  if (letter.cut_from) {
    facts->emplace_back("cut_to_bytes", absl::StrCat(value.size()));
    facts->emplace_back("value_bytes", absl::StrCat(letter.cut_from->value_bytes));
    facts->emplace_back("value_sha256", Foreign(letter.cut_from->value_sha256));
  } else {
    facts->emplace_back("value_bytes", absl::StrCat(value.size()));
  }
  facts->emplace_back("value_hex", HexEncode(std::string_view(masked).substr(0, kMostShown)));
}

Facts FactsOf(const PlacedLetter& stored) {
  const ports::DeadLetter& letter = stored.letter;
  Facts facts = {{"letter", PlaceText(stored.place)},
                 {"cause", Foreign(letter.cause)},
                 {"tries", absl::StrCat(letter.tries)},
                 {"first_failure", TimeText(letter.first_failure)},
                 {"last_failure", TimeText(letter.last_failure)}};
  if (letter.record.partition >= 0) {
    facts.emplace_back("hint", absl::StrCat(letter.record.partition, ":", letter.record.offset));
  }
  facts.emplace_back("key", KeyText(letter.record.key));
  facts.emplace_back("traceparent", letter.record.trace.ToTraceparent());
  if (const std::optional<Hint> hint = HintOf(stored)) {
    AddHint(*hint, &facts);
  } else {
    AddUnparsed(letter, &facts);
  }
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

}  // namespace

std::optional<Hint> HintOf(const PlacedLetter& letter) {
  if (letter.letter.cut_from) return std::nullopt;
  Hint hint;
  if (!hint.ParseFromString(letter.letter.record.value)) return std::nullopt;
  if (!Uuid::Parse(hint.order_id()) || hint.project().empty()) return std::nullopt;
  return hint;
}

std::optional<LetterPlace> ParsePlace(std::string_view text) {
  const std::size_t colon = text.find(':');
  LetterPlace place;
  if (colon == std::string_view::npos ||
      !absl::SimpleAtoi(std::string(text.substr(0, colon)), &place.partition) ||
      !absl::SimpleAtoi(std::string(text.substr(colon + 1)), &place.offset) ||
      place.partition < 0 || place.offset < 0) {
    return std::nullopt;
  }
  return place;
}

std::string PlaceText(const LetterPlace& place) {
  return absl::StrCat(place.partition, ":", place.offset);
}

std::string LetterTable(const std::vector<PlacedLetter>& letters) {
  if (letters.empty()) return "no dead letters\n";
  std::vector<Row> rows = {
      {"LETTER", "CAUSE", "TRIES", "FIRST FAILURE", "LAST FAILURE", "SOURCE", "PROJECT", "ORDER"}};
  for (const PlacedLetter& stored : letters) {
    const ports::DeadLetter& letter = stored.letter;
    const std::optional<Hint> hint = HintOf(stored);
    rows.push_back({PlaceText(stored.place), OrDash(Foreign(letter.cause)),
                    absl::StrCat(letter.tries), OrDash(TimeText(letter.first_failure)),
                    OrDash(TimeText(letter.last_failure)), hint ? SourceText(*hint) : "-",
                    hint ? Foreign(hint->project()) : "-", hint ? hint->order_id() : "-"});
  }
  return Table(rows);
}

std::string LetterStory(const PlacedLetter& letter) {
  std::vector<Row> rows;
  for (auto& [name, value] : FactsOf(letter)) rows.push_back({name, value});
  return Table(rows);
}

boost::json::object LetterJson(const PlacedLetter& letter) {
  boost::json::object json;
  for (const auto& [name, value] : FactsOf(letter)) json[name] = value;
  json["tries"] = letter.letter.tries;
  json["parsable"] = HintOf(letter).has_value();
  return json;
}

}  // namespace tollbridge::gateway
