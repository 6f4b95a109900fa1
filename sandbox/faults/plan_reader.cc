#include "sandbox/faults/plan_reader.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>

#include "base/core/text.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

/// Of a name that is not known and is repeated in an error.
constexpr std::size_t kLongestUnknown = 40;

std::optional<std::int64_t> AsInteger(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  return std::nullopt;
}

std::optional<double> AsNumber(const json::value& value) {
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_double()) return value.get_double();
  return std::nullopt;
}

}  // namespace

const json::value* PlanReader::Find(std::string_view field) {
  known_.push_back(field);
  return object_.if_contains(field);
}

const json::object* PlanReader::Object(std::string_view field, bool required) {
  const json::value* value = Find(field);
  if (value != nullptr && value->is_object()) return &value->get_object();
  if (value != nullptr || required) Refuse(field, "must be an object");
  return nullptr;
}

std::optional<std::string> PlanReader::Text(std::string_view field, std::size_t longest,
                                            bool required) {
  const json::value* value = Find(field);
  if (value == nullptr && !required) return std::nullopt;
  if (value == nullptr || !value->is_string() || value->get_string().empty() ||
      value->get_string().size() > longest) {
    Refuse(field, absl::StrCat("must be a text of 1 to ", longest, " bytes"));
    return std::nullopt;
  }
  return std::string(value->get_string());
}

std::optional<std::int64_t> PlanReader::Integer(std::string_view field, std::int64_t least,
                                                std::int64_t most, bool required) {
  const json::value* value = Find(field);
  if (value == nullptr && !required) return std::nullopt;
  const std::optional<std::int64_t> number = value == nullptr ? std::nullopt : AsInteger(*value);
  if (!number || *number < least || *number > most) {
    Refuse(field, absl::StrCat("must be a whole number from ", least, " to ", most));
    return std::nullopt;
  }
  return number;
}

std::optional<double> PlanReader::Number(std::string_view field, double least, double most,
                                         bool required) {
  const json::value* value = Find(field);
  if (value == nullptr && !required) return std::nullopt;
  const std::optional<double> number = value == nullptr ? std::nullopt : AsNumber(*value);
  // Written so that NaN is refused too.
  if (!number || !(*number >= least && *number <= most)) {
    Refuse(field, absl::StrCat("must be a number from ", least, " to ", most));
    return std::nullopt;
  }
  return number;
}

void PlanReader::RefuseOthers() {
  for (const auto& field : object_) {
    const std::string_view name(field.key().data(), field.key().size());
    if (std::ranges::find(known_, name) != known_.end()) continue;
    Refuse(Truncated(name, kLongestUnknown), "is not known here");
    return;
  }
}

void PlanReader::Refuse(std::string_view field, std::string_view rule) {
  if (*error_) return;
  *error_ = Invalid(absl::StrCat(PathOf(field), ": ", std::string(rule)));
}

std::string PlanReader::PathOf(std::string_view field) const { return path_ + std::string(field); }

}  // namespace tollbridge::sandbox
