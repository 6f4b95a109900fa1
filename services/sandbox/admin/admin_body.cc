#include "services/sandbox/admin/admin_body.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/parse_options.hpp>
#include <cstddef>
#include <utility>

#include "services/base/card_numbers.h"
#include "services/base/text.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxTextBytes = 4 * 1024;
// Of a name that the caller made up.
constexpr std::size_t kShownNameBytes = 64;

}  // namespace

AdminBody::AdminBody(std::string_view text) {
  if (text.empty()) return;
  json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code problem;
  json::value value = json::parse(text, problem, {}, options);
  if (problem) {
    error_ = ApiError{400, "ValidationError", "the body is not JSON, or nested deeper than 32"};
  } else if (!value.is_object()) {
    error_ = Invalid("the body must be an object");
  } else {
    object_ = std::move(value.get_object());
  }
}

AdminBody::AdminBody(std::string_view text, std::initializer_list<std::string_view> known)
    : AdminBody(text) {
  for (const json::key_value_pair& field : object_) {
    const std::string_view name = field.key();
    if (std::ranges::find(known, name) != known.end()) continue;
    Refuse(Truncated(MaskCardNumbers(name), kShownNameBytes), "is not a field of this call");
  }
}

std::optional<std::string> AdminBody::Text(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string() || value->get_string().size() > kMaxTextBytes) {
    Refuse(name, "must be a string of at most 4096 bytes");
    return std::nullopt;
  }
  return std::string(value->get_string());
}

std::optional<std::int64_t> AdminBody::Integer(std::string_view name, std::int64_t from,
                                               std::int64_t to) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  // The parser makes it an uint64 only where an int64 is too small.
  if (!value->is_int64() || value->get_int64() < from || value->get_int64() > to) {
    Refuse(name, "must be an integer from " + std::to_string(from) + " to " + std::to_string(to));
    return std::nullopt;
  }
  return value->get_int64();
}

std::string AdminBody::RequiredText(std::string_view name) {
  if (Find(name) == nullptr) Refuse(name, "is required");
  return Text(name).value_or("");
}

std::int64_t AdminBody::RequiredInteger(std::string_view name, std::int64_t from, std::int64_t to) {
  if (Find(name) == nullptr) Refuse(name, "is required");
  return Integer(name, from, to).value_or(from);
}

void AdminBody::Refuse(std::string_view name, std::string_view rule) {
  if (!error_) error_ = Invalid(std::string(name) + " " + std::string(rule));
}

const json::value* AdminBody::Find(std::string_view name) const {
  if (error_) return nullptr;
  const json::value* value = object_.if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

}  // namespace tollbridge::sandbox
