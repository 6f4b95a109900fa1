#include "sandbox/config_reader.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "base/core/text.h"
#include "base/http/url.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

// Of a name that is not known, which may be anything.
constexpr std::size_t kShownNameBytes = 64;

std::string_view Nearest(std::string_view name, std::initializer_list<std::string_view> known) {
  return *std::ranges::min_element(
      known, {}, [&](std::string_view candidate) { return EditDistance(name, candidate); });
}

}  // namespace

ConfigReader::ConfigReader(const json::object& object, std::string path,
                           std::initializer_list<std::string_view> known,
                           std::optional<std::string>* error)
    : object_(object), path_(std::move(path)), error_(error) {
  for (const json::key_value_pair& member : object_) {
    const std::string_view name = member.key();
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string_view shown = Truncated(name, kShownNameBytes);
    Refuse(shown, absl::StrCat("is not a setting; did you mean '",
                               std::string(Nearest(shown, known)), "'?"));
    return;
  }
}

void ConfigReader::Require(std::string_view name) {
  if (!object_.contains(name)) Refuse(name, "is required");
}

void ConfigReader::Text(std::string_view name, const Rule& rule, std::string_view rule_text,
                        std::string* target) {
  const json::value* value = Find(name);
  if (value == nullptr) return;
  if (!value->is_string() || !rule(value->get_string())) return Refuse(name, rule_text);
  *target = std::string(value->get_string());
}

void ConfigReader::Texts(std::string_view name, const Rule& rule, std::string_view rule_text,
                         std::vector<std::string>* target) {
  const json::array* array = Array(name);
  if (array == nullptr) return;
  if (array->empty()) return Refuse(name, "must not be empty");
  std::vector<std::string> texts;
  std::set<std::string_view> seen;
  for (const json::value& value : *array) {
    const std::string element = absl::StrCat(std::string(name), "[", texts.size(), "]");
    if (!value.is_string() || !rule(value.get_string())) return Refuse(element, rule_text);
    if (!seen.insert(value.get_string()).second) return Refuse(element, "is there twice");
    texts.emplace_back(value.get_string());
  }
  *target = std::move(texts);
}

void ConfigReader::Url(std::string_view name, std::string* target) {
  Text(
      name, [](std::string_view text) { return http::ParseUrl(text).ok(); },
      "must be an absolute http or https URL", target);
}

void ConfigReader::Id(std::string_view name, Uuid* target) {
  std::string text;
  Text(
      name, [](std::string_view given) { return Uuid::Parse(given).has_value(); }, "must be a uuid",
      &text);
  if (const std::optional<Uuid> id = Uuid::Parse(text)) *target = *id;
}

void ConfigReader::Bool(std::string_view name, bool* target) {
  const json::value* value = Find(name);
  if (value == nullptr) return;
  if (!value->is_bool()) return Refuse(name, "must be true or false");
  *target = value->get_bool();
}

void ConfigReader::Integer(std::string_view name, std::int64_t from, std::int64_t to,
                           std::int64_t* target) {
  const json::value* value = Find(name);
  if (value == nullptr) return;
  // The parser makes it an uint64 only where an int64 is too small.
  if (!value->is_int64() || value->get_int64() < from || value->get_int64() > to) {
    return Refuse(name, absl::StrCat("must be an integer from ", from, " to ", to));
  }
  *target = value->get_int64();
}

void ConfigReader::Duration(std::string_view name, Millis from, Millis to, Millis* target) {
  std::string text;
  Text(
      name,
      [&](std::string_view given) {
        const std::optional<Millis> duration = ParseDuration(given);
        return duration && *duration >= from && *duration <= to;
      },
      absl::StrCat("must be an ISO 8601 duration ",
                   from > Millis{0} ? "longer than zero and at most " : "of at most ",
                   DurationText(to)),
      &text);
  if (const std::optional<Millis> duration = ParseDuration(text)) *target = *duration;
}

const json::object* ConfigReader::Object(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) Refuse(name, "must be an object");
  return value->if_object();
}

const json::array* ConfigReader::Array(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) Refuse(name, "must be an array");
  return value->if_array();
}

const json::value* ConfigReader::Find(std::string_view name) const {
  return *error_ ? nullptr : object_.if_contains(name);
}

void ConfigReader::Refuse(std::string_view name, std::string_view rule) {
  if (*error_) return;
  *error_ =
      absl::StrCat(path_, path_.empty() ? "" : ".", std::string(name), ": ", std::string(rule));
}

std::string DurationText(Millis duration) {
  using std::chrono::days;
  using std::chrono::minutes;
  if (duration >= days(1) && duration % days(1) == Millis{0}) {
    return absl::StrCat("P", duration / days(1), "D");
  }
  if (duration % minutes(1) == Millis{0}) return absl::StrCat("PT", duration / minutes(1), "M");
  return absl::StrCat("PT", duration / std::chrono::seconds(1), "S");
}

}  // namespace tollbridge::sandbox
