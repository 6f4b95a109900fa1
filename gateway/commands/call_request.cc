#include "gateway/commands/call_request.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <istream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "gateway/commands/typed_name.h"
#include "gateway/config/secret_file.h"

namespace tollbridge::gateway {
namespace {

namespace json = boost::json;
namespace pb = google::protobuf;

/// Of the file and of stdin: no request that the gateway takes is larger.
constexpr std::size_t kMostBytes = 16UL << 20U;

/// Where the text stops being JSON.
absl::Status NoJson(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return absl::InvalidArgumentError("it is empty");
  }
  json::stream_parser parser;
  json::error_code error;
  const std::size_t read = parser.write(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (!error) return absl::OkStatus();
  const std::string_view before =
      text.substr(0, error == json::error::incomplete ? text.size() : read);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n') + 1;  // 0 where there is none
  return absl::InvalidArgumentError(absl::StrCat("it is no JSON: ", error.message(), " at line ",
                                                 line, ", column ", before.size() - start + 1));
}

/// Finds the first place where a JSON value does not fit its message.
class Misfit {
 public:
  /// nullopt where everything fits. `path` is that of the message, with its dot.
  std::optional<std::string> In(const pb::Descriptor& type, const json::value& value,
                                const std::string& path) {
    if (!value.is_object()) return absl::StrCat(Place(path), "should be an object");
    for (const auto& entry : value.get_object()) {
      const std::string name(entry.key());
      const pb::FieldDescriptor* field = FieldOf(type, name);
      if (field == nullptr) {
        return absl::StrCat(Place(path), "there is no field", Quoted(name), " in ", type.name(),
                            DidYouMean(name, FieldNames(type)));
      }
      if (auto found = InField(type, *field, entry.value(), path + field->name())) return found;
    }
    return std::nullopt;
  }

 private:
  static std::string Place(std::string path) {
    if (path.empty()) return path;
    path.pop_back();
    return path + ": ";
  }
  static const pb::FieldDescriptor* FieldOf(const pb::Descriptor& type, const std::string& name) {
    const pb::FieldDescriptor* field = type.FindFieldByName(name);
    return field != nullptr ? field : type.FindFieldByCamelcaseName(name);
  }
  static std::vector<std::string> FieldNames(const pb::Descriptor& type) {
    std::vector<std::string> names;
    for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->name());
    return names;
  }

  std::optional<std::string> InField(const pb::Descriptor& type, const pb::FieldDescriptor& field,
                                     const json::value& value, const std::string& path) {
    if (value.is_null()) return std::nullopt;
    const bool is_own = field.message_type() != nullptr && !field.is_map() &&
                        field.message_type()->file()->package() != "google.protobuf";
    if (!is_own) return Leaf(type, field, value, path);
    if (!field.is_repeated()) return In(*field.message_type(), value, path + ".");
    if (!value.is_array()) return absl::StrCat(path, ": should be a list");
    std::size_t at = 0;
    for (const json::value& each : value.get_array()) {
      if (auto found = In(*field.message_type(), each, absl::StrCat(path, "[", at++, "]."))) {
        return found;
      }
    }
    return std::nullopt;
  }

  /// A field whose value has no fields of ours: read alone.
  static std::optional<std::string> Leaf(const pb::Descriptor& type,
                                         const pb::FieldDescriptor& field, const json::value& value,
                                         const std::string& path) {
    const std::unique_ptr<pb::Message> alone(
        pb::MessageFactory::generated_factory()->GetPrototype(&type)->New());
    const json::object object = {{field.name(), value}};
    if (pb::util::JsonStringToMessage(json::serialize(object), alone.get()).ok()) {
      return std::nullopt;
    }
    const std::string name = field.enum_type() != nullptr      ? field.enum_type()->name()
                             : field.message_type() != nullptr ? field.message_type()->name()
                                                               : field.type_name();
    return absl::StrCat(path, ": should be ",
                        field.is_repeated() ? "a list or map of " : "of type ", name);
  }
};

}  // namespace

absl::StatusOr<std::string> ReadRequest(const std::string& argument, std::istream& in) {
  if (argument.starts_with('@')) return ReadFile(argument.substr(1));
  if (argument != "-") return argument;
  std::string text;
  for (auto at = std::istreambuf_iterator<char>(in); at != std::istreambuf_iterator<char>(); ++at) {
    if (text.size() == kMostBytes) return absl::InvalidArgumentError("stdin holds more than 16 MB");
    text.push_back(*at);
  }
  return text;
}

absl::Status ParseRequest(const std::string& json, pb::Message* request) {
  if (pb::util::JsonStringToMessage(json, request).ok()) return absl::OkStatus();
  // What protobuf says of it shows the text around the place.
  const std::string is_no =
      absl::StrCat("the request is no ", request->GetDescriptor()->name(), ": ");
  if (const absl::Status read = NoJson(json); !read.ok()) {
    return absl::InvalidArgumentError(is_no + std::string(read.message()));
  }
  Misfit misfit;
  const auto found = misfit.In(*request->GetDescriptor(), json::parse(json), "");
  return absl::InvalidArgumentError(is_no + found.value_or("a field is given twice"));
}

}  // namespace tollbridge::gateway
