#include "base/config/pretty_json.h"

#include <absl/strings/str_cat.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

namespace tollbridge::config {
namespace {

std::string LineStart(std::size_t level) { return "\n" + std::string(2 * level, ' '); }

void Append(const boost::json::value& value, std::size_t level, std::string* out) {
  std::string_view separator;
  if (const auto* object = value.if_object(); object != nullptr && !object->empty()) {
    absl::StrAppend(out, "{");
    for (const auto& member : *object) {
      absl::StrAppend(out, std::string(separator), LineStart(level + 1),
                      boost::json::serialize(boost::json::value(member.key())), ": ");
      Append(member.value(), level + 1, out);
      separator = ",";
    }
    absl::StrAppend(out, LineStart(level), "}");
  } else if (const auto* array = value.if_array(); array != nullptr && !array->empty()) {
    absl::StrAppend(out, "[");
    for (const boost::json::value& item : *array) {
      absl::StrAppend(out, std::string(separator), LineStart(level + 1));
      Append(item, level + 1, out);
      separator = ",";
    }
    absl::StrAppend(out, LineStart(level), "]");
  } else {
    absl::StrAppend(out, boost::json::serialize(value));
  }
}

}  // namespace

std::string PrettyJson(const boost::json::value& value) {
  std::string out;
  Append(value, 0, &out);
  return out + "\n";
}

}  // namespace tollbridge::config
