#include "sandbox/wire/body_reader.h"

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
#include "sandbox/core/result.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

// Of a name that the client made up.
constexpr std::size_t kShownNameBytes = 64;

std::string AtMost(std::size_t bytes) {
  return "must have at most " + std::to_string(bytes) + " bytes";
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
  return std::to_string(from) + " to " + std::to_string(to);
}

std::string Choice(std::span<const std::string_view> allowed) {
  std::string text = "must be ";
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (i > 0) text += " or ";
    text += allowed[i];
  }
  return text;
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

Result<void> CheckNoBody(std::string_view body) {
  if (body.empty()) return {};
  SB_ASSIGN_OR_RETURN(const json::value value, ParseJson(body));
  const bool nothing = value.is_null() || (value.is_object() && value.get_object().empty()) ||
                       (value.is_array() && value.get_array().empty());
  if (nothing) return {};
  return Invalid("the body must be empty: this call takes none");
}

FieldReader::FieldReader(const json::object& object, std::string_view path,
                         std::span<const std::string_view> known)
    : object_(object), path_(path) {
  for (const json::key_value_pair& field : object_) {
    const std::string_view name = field.key();
    if (std::ranges::find(known, name) != known.end()) continue;
    // The name is the client's: it may be anything, a card number too.
    Refuse(Truncated(MaskCardNumbers(name), kShownNameBytes), "is not a field of this request");
    return;
  }
}

const json::value* FieldReader::Find(std::string_view name) const {
  if (error_) return nullptr;
  const json::value* value = object_.if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void FieldReader::Require(std::string_view name) {
  if (Find(name) == nullptr) Refuse(name, "is required");
}

std::optional<std::string> FieldReader::String(std::string_view name, std::size_t max_bytes) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    Refuse(name, "must be a string");
    return std::nullopt;
  }
  const json::string& text = value->get_string();
  if (text.size() > max_bytes) {
    Refuse(name, AtMost(max_bytes));
    return std::nullopt;
  }
  return std::string(text);
}

std::optional<std::string> FieldReader::OneOf(std::string_view name,
                                              std::span<const std::string_view> allowed) {
  std::optional<std::string> text = String(name);
  if (!text || std::ranges::find(allowed, *text) != allowed.end()) return text;
  Refuse(name, Choice(allowed));
  return std::nullopt;
}

std::optional<std::string> FieldReader::Digits(std::string_view name, std::size_t at_least,
                                               std::size_t at_most) {
  std::optional<std::string> text = String(name);
  if (!text) return std::nullopt;
  if (text->size() >= at_least && text->size() <= at_most &&
      std::ranges::all_of(*text, [](char c) { return c >= '0' && c <= '9'; })) {
    return text;
  }
  Refuse(name, "must have " + Range(at_least, at_most) + " digits");
  return std::nullopt;
}

std::optional<Uuid> FieldReader::Id(std::string_view name) {
  const std::optional<std::string> text = String(name);
  if (!text) return std::nullopt;
  const std::optional<Uuid> id = Uuid::Parse(*text);
  if (!id) Refuse(name, "must be a uuid");
  return id;
}

std::optional<std::int64_t> FieldReader::Integer(std::string_view name, std::int64_t at_least,
                                                 std::int64_t at_most) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_int64() && !value->is_uint64()) {
    Refuse(name, "must be an integer");
    return std::nullopt;
  }
  // The parser makes it an uint64 only where an int64 is too small.
  if (value->is_int64() && value->get_int64() >= at_least && value->get_int64() <= at_most) {
    return value->get_int64();
  }
  Refuse(name, "must be from " + Range(at_least, at_most));
  return std::nullopt;
}

std::optional<bool> FieldReader::Bool(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_bool()) return value->get_bool();
  Refuse(name, "must be true or false");
  return std::nullopt;
}

std::optional<std::string> FieldReader::Currency(std::string_view name) {
  std::optional<std::string> text = String(name);
  if (!text) return std::nullopt;
  if (text->size() == 3 &&
      std::ranges::all_of(*text, [](char c) { return c >= 'A' && c <= 'Z'; })) {
    return text;
  }
  Refuse(name, "must match ^[A-Z]{3}$");
  return std::nullopt;
}

std::optional<std::string> FieldReader::PageUrl(std::string_view name) {
  std::optional<std::string> text = String(name);
  if (!text || http::ParseUrl(text->substr(0, text->find('#'))).ok()) return text;
  Refuse(name, "must be an absolute http or https URL");
  return std::nullopt;
}

std::optional<std::string> FieldReader::Url(std::string_view name) {
  std::optional<std::string> text = String(name);
  if (!text || http::ParseUrl(*text).ok()) return text;
  Refuse(name, "must be an absolute http or https URL");
  return std::nullopt;
}

std::optional<std::string> FieldReader::Duration(std::string_view name) {
  std::optional<std::string> text = String(name);
  if (!text) return std::nullopt;
  const std::optional<Millis> duration = ParseDuration(*text);
  if (duration && *duration > Millis{0}) return text;
  Refuse(name, "must be an ISO 8601 duration longer than zero");
  return std::nullopt;
}

std::optional<std::vector<std::string>> FieldReader::Strings(std::string_view name) {
  const json::array* list = Array(name);
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  texts.reserve(list->size());
  for (const json::value& value : *list) {
    const std::string element = std::string(name) + "[" + std::to_string(texts.size()) + "]";
    if (!value.is_string()) {
      Refuse(element, "must be a string");
      return std::nullopt;
    }
    if (value.get_string().size() > kMaxStringBytes) {
      Refuse(element, AtMost(kMaxStringBytes));
      return std::nullopt;
    }
    texts.emplace_back(value.get_string());
  }
  return texts;
}

const json::object* FieldReader::Object(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) Refuse(name, "must be an object");
  return value->if_object();
}

const json::array* FieldReader::Array(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) Refuse(name, "must be an array");
  return value->if_array();
}

std::optional<std::string> FieldReader::FreeObject(std::string_view name, std::size_t max_bytes) {
  if (Object(name) == nullptr) return std::nullopt;
  const json::value& value = *Find(name);
  std::string text = json::serialize(value);
  if (text.size() > max_bytes) {
    Refuse(name, AtMost(max_bytes));
    return std::nullopt;
  }
  if (const std::string wrong = WrongWithin(value); !wrong.empty()) {
    Refuse(name, wrong);
    return std::nullopt;
  }
  return text;
}

std::string FieldReader::PathOf(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void FieldReader::Fail(ApiError error) {
  if (!error_) error_ = std::move(error);
}

void FieldReader::Refuse(std::string_view name, std::string_view rule) {
  Fail(Invalid(PathOf(name) + " " + std::string(rule)));
}

void FieldReader::Include(const Result<void>& inner) {
  if (!inner.ok()) Fail(inner.error());
}

Result<void> FieldReader::Done() const {
  if (error_) return *error_;
  return {};
}

}  // namespace tollbridge::sandbox
