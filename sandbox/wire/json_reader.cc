#include "sandbox/wire/json_reader.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/json/error.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/parse_options.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <utility>

#include "base/core/card_numbers.h"
#include "base/core/text.h"
#include "base/http/url.h"
#include "sandbox/core/money.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

// Of a name that the client made up.
constexpr std::size_t kShownNameBytes = 64;

std::string AtMost(std::size_t bytes) {
  return "must have at most " + std::to_string(bytes) + " bytes";
}

/// What is wrong with a value that should be a string; empty: nothing.
std::string WrongWith(const json::value& value, std::size_t max_bytes) {
  if (!value.is_string()) return "must be a string";
  return value.get_string().size() <= max_bytes ? "" : AtMost(max_bytes);
}

/// What of a value without rules cannot be kept, names of fields included; empty: nothing. The
/// depth was bounded by the parser.
std::string WrongWithin(const json::value& value) {
  if (value.is_string() && value.get_string().size() > kMaxStringBytes) {
    return "must hold strings of at most " + std::to_string(kMaxStringBytes) + " bytes";
  }
  // The parser makes infinity of it, which JSON cannot give back.
  if (value.is_double() && !std::isfinite(value.get_double())) {
    return "must hold numbers that fit a double";
  }
  if (const json::array* list = value.if_array()) {
    for (const json::value& element : *list) {
      if (std::string wrong = WrongWithin(element); !wrong.empty()) return wrong;
    }
  }
  if (const json::object* object = value.if_object()) {
    for (const json::key_value_pair& field : *object) {
      if (field.key().size() > kMaxStringBytes) {
        return "must hold names of at most " + std::to_string(kMaxStringBytes) + " bytes";
      }
      if (std::string wrong = WrongWithin(field.value()); !wrong.empty()) return wrong;
    }
  }
  return "";
}

template <typename Number>
std::string Range(Number from, Number to) {
  return absl::StrCat(from, " to ", to);
}

std::string Element(std::string_view name, std::size_t index) {
  return absl::StrCat(std::string(name), "[", index, "]");
}

/// "a, b or c", where ` or ` stands before the last.
std::string Listed(JsonReader::Names names, std::string_view before_last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : before_last;
    text += names[i];
  }
  return text;
}

/// What to write instead of a name that is not known.
std::string Instead(std::string_view name, JsonReader::Names known) {
  if (known.empty()) return "";
  if (const std::string nearest = NearestName(name, known); !nearest.empty()) {
    return "; did you mean '" + nearest + "'?";
  }
  return "; known here: " + Listed(known, ", ");
}

}  // namespace

ApiError MissingInformation(std::string what) {
  return {422, "MissingInformationToCreateTransaction", std::move(what)};
}

Result<json::value> ParseJson(std::string_view body) {
  json::parse_options options;
  options.max_depth = kMaxBodyDepth;
  // The default may miss the nearest double, and extra is given back.
  options.numbers = json::number_precision::precise;
  boost::system::error_code problem;
  json::value root = json::parse(body, problem, {}, options);
  if (problem == json::error::too_deep) {
    return ApiError{400, "ValidationError",
                    "the body is nested deeper than " + std::to_string(kMaxBodyDepth)};
  }
  if (problem) return ApiError{400, "ValidationError", "the body is not JSON"};
  return root;
}

Result<json::object> ParseBody(std::string_view body) {
  SB_ASSIGN_OR_RETURN(json::value value, ParseJson(body));
  if (!value.is_object()) return Invalid("the body must be an object");
  return std::move(value.get_object());
}

Result<json::object> ParseBodyOrNone(std::string_view body) {
  return ParseBody(body.empty() ? "{}" : body);
}

Result<void> CheckNoBody(std::string_view body) {
  if (body.empty()) return {};
  SB_ASSIGN_OR_RETURN(const json::value value, ParseJson(body));
  const bool nothing = value.is_null() || (value.is_object() && value.get_object().empty()) ||
                       (value.is_array() && value.get_array().empty());
  if (nothing) return {};
  return Invalid("the body must be empty: this call takes none");
}

JsonReader::JsonReader(Result<json::object> body, Names known, Unknown unknown)
    : read_(std::make_shared<Read>()), object_(&read_->body) {
  read_->unknown = unknown;
  if (body.ok()) {
    read_->body = *std::move(body);
    Only(known);
  } else {
    Fail(body.error());
  }
}

void JsonReader::Only(Names known) {
  if (read_->unknown == Unknown::kKept) return;
  for (const json::key_value_pair& field : *object_) {
    const std::string_view name = field.key();
    if (std::ranges::find(known, name) != known.end()) continue;
    // The name is the client's: it may be anything, a card number too.
    const std::string masked = MaskCardNumbers(name);
    const std::string_view shown = Truncated(masked, kShownNameBytes);
    return Refuse(shown, "is not a field" + Instead(shown, known));
  }
}

json::object JsonReader::Kept(Names known, Names of_answer) {
  const auto has = [](Names names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  json::object kept;
  if (read_->unknown != Unknown::kKept) return kept;
  for (const json::key_value_pair& field : *object_) {
    if (has(known, field.key()) || has(of_answer, field.key())) continue;
    kept.emplace(field.key(), field.value());
  }
  const json::value all(kept);
  const std::string wrong =
      json::serialize(all).size() > kMaxFreeBytes ? AtMost(kMaxFreeBytes) : WrongWithin(all);
  if (wrong.empty()) return kept;
  Fail(Invalid((path_.empty() ? "the body" : path_) + " " + wrong));
  return {};
}

const json::value* JsonReader::Find(std::string_view name) const {
  if (!ok()) return nullptr;
  const json::value* value = object_->if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void JsonReader::Require(Names names) {
  for (const std::string_view name : names) {
    if (!Has(name)) Refuse(name, "is required");
  }
}

std::optional<std::string> JsonReader::String(std::string_view name, std::size_t max_bytes) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  const std::string wrong = WrongWith(*value, max_bytes);
  if (wrong.empty()) return std::string(value->get_string());
  Refuse(name, wrong);
  return std::nullopt;
}

std::optional<std::string> JsonReader::Text(std::string_view name, Rule keeps,
                                            std::string_view rule) {
  std::optional<std::string> text = String(name);
  if (!text || keeps(*text)) return text;
  Refuse(name, rule);
  return std::nullopt;
}

std::optional<std::string> JsonReader::Filled(std::string_view name, std::size_t max_bytes) {
  return Text(
      name, [&](std::string_view text) { return !text.empty() && text.size() <= max_bytes; },
      "must have " + Range(std::size_t{1}, max_bytes) + " bytes");
}

std::optional<std::string> JsonReader::OneOf(std::string_view name, Names allowed) {
  return Text(
      name,
      [&](std::string_view text) { return std::ranges::find(allowed, text) != allowed.end(); },
      "must be " + Listed(allowed, " or "));
}

std::optional<std::string> JsonReader::Digits(std::string_view name, std::size_t at_least,
                                              std::size_t at_most) {
  return Text(
      name,
      [&](std::string_view text) {
        return text.size() >= at_least && text.size() <= at_most &&
               std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
      },
      "must have " + Range(at_least, at_most) + " digits");
}

std::optional<Uuid> JsonReader::Id(std::string_view name) {
  const std::optional<std::string> text = String(name);
  if (!text) return std::nullopt;
  const std::optional<Uuid> id = Uuid::Parse(*text);
  if (!id) Refuse(name, "must be a uuid");
  return id;
}

std::optional<std::int64_t> JsonReader::Integer(std::string_view name, std::int64_t at_least,
                                                std::int64_t at_most) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  // The parser makes it an uint64 only where an int64 is too small.
  const std::int64_t* number = value->if_int64();
  if (number != nullptr && *number >= at_least && *number <= at_most) return *number;
  Refuse(name, "must be an integer from " + Range(at_least, at_most));
  return std::nullopt;
}

std::optional<double> JsonReader::Number(std::string_view name, std::int64_t at_least,
                                         std::int64_t at_most) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  // Infinity, which the parser makes of what fits no double, is past any bound.
  const double number = value->is_number() ? value->to_number<double>() : INFINITY;
  if (number >= static_cast<double>(at_least) && number <= static_cast<double>(at_most)) {
    return number;
  }
  Refuse(name, "must be a number from " + Range(at_least, at_most));
  return std::nullopt;
}

std::optional<bool> JsonReader::Bool(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_bool()) return value->get_bool();
  Refuse(name, "must be true or false");
  return std::nullopt;
}

std::optional<std::string> JsonReader::Currency(std::string_view name) {
  return Text(name, &IsCurrency, "must match ^[A-Z]{3}$");
}

std::optional<std::string> JsonReader::PageUrl(std::string_view name) {
  return Text(
      name,
      [](std::string_view text) { return http::ParseUrl(text.substr(0, text.find('#'))).ok(); },
      "must be an absolute http or https URL");
}

std::optional<std::string> JsonReader::Url(std::string_view name) {
  return Text(
      name, [](std::string_view text) { return http::ParseUrl(text).ok(); },
      "must be an absolute http or https URL");
}

std::optional<Millis> JsonReader::Duration(std::string_view name, Millis at_least, Millis at_most) {
  const std::optional<std::string> text = String(name);
  if (!text) return std::nullopt;
  const std::optional<Millis> duration = ParseDuration(*text);
  if (duration && *duration >= at_least && *duration <= at_most) return duration;
  const bool bounded = at_most < Millis::max();
  Refuse(name, absl::StrCat("must be an ISO 8601 duration",
                            at_least > Millis{0} ? " longer than zero" : "",
                            !bounded               ? ""
                            : at_least > Millis{0} ? " and at most "
                                                   : " of at most ",
                            bounded ? DurationText(at_most) : ""));
  return std::nullopt;
}

std::optional<std::vector<std::string>> JsonReader::Strings(std::string_view name) {
  return Texts(name, [](std::string_view) { return true; }, "");
}

std::optional<std::vector<std::string>> JsonReader::Texts(std::string_view name, Rule keeps,
                                                          std::string_view rule) {
  const json::array* list = Array(name);
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  texts.reserve(list->size());
  for (const json::value& value : *list) {
    const std::string wrong = WrongWith(value, kMaxStringBytes);
    if (!wrong.empty() || !keeps(value.get_string())) {
      Refuse(Element(name, texts.size()), wrong.empty() ? rule : wrong);
      return std::nullopt;
    }
    texts.emplace_back(value.get_string());
  }
  return texts;
}

const json::array* JsonReader::Array(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) Refuse(name, "must be an array");
  return value->if_array();
}

std::optional<JsonReader> JsonReader::Object(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_object()) return JsonReader(read_, &value->get_object(), PathOf(name));
  Refuse(name, "must be an object");
  return std::nullopt;
}

std::vector<JsonReader> JsonReader::Objects(std::string_view name) {
  std::vector<JsonReader> readers;
  const json::array* list = Array(name);
  if (list == nullptr) return readers;
  for (const json::value& value : *list) {
    const std::string element = Element(name, readers.size());
    if (!value.is_object()) {
      Refuse(element, "must be an object");
      break;
    }
    readers.push_back(JsonReader(read_, &value.get_object(), PathOf(element)));
  }
  return readers;
}

std::optional<std::string> JsonReader::FreeObject(std::string_view name, std::size_t max_bytes) {
  if (!Object(name)) return std::nullopt;
  const json::value& value = *Find(name);
  std::string text = json::serialize(value);
  std::string wrong = text.size() > max_bytes ? AtMost(max_bytes) : WrongWithin(value);
  if (wrong.empty()) return text;
  Refuse(name, wrong);
  return std::nullopt;
}

std::string JsonReader::PathOf(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void JsonReader::Fail(ApiError error) {
  if (ok()) read_->error = std::move(error);
}

void JsonReader::Refuse(std::string_view name, std::string_view rule) {
  Fail(Invalid(PathOf(name) + " " + std::string(rule)));
}

Result<void> JsonReader::Done() const {
  if (!ok()) return *read_->error;
  return {};
}

}  // namespace tollbridge::sandbox
