#include "tests/fuzz/traced_values.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/struct.pb.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::fuzz {
namespace {

namespace pb = google::protobuf;
namespace json = boost::json;
namespace options = tollbridge::options::v1;

const options::FieldPolicy& PolicyOf(const pb::FieldDescriptor& field) {
  return field.options().GetExtension(options::field);
}

std::string NameOf(const pb::FieldDescriptor& field) {
  const std::string& name = PolicyOf(field).wire_name();
  return name.empty() ? field.name() : name;
}

/// The whole number that a value is beyond doubt.
std::optional<std::int64_t> WholeOf(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_double()) {
    constexpr double kExact = 9007199254740992.0;
    const double number = value.get_double();
    const bool whole = std::abs(number) <= kExact && std::trunc(number) == number;
    return whole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
  }
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = value.get_string();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all ? std::optional(number) : std::nullopt;
}

class Tracer {
 public:
  std::string Message(const pb::Message& message, const json::value& body) {
    const pb::Descriptor& type = *message.GetDescriptor();
    if (type.options().GetExtension(options::wire_array)) {
      return Field(message, *type.field(0), &body);
    }
    const json::object* object = body.if_object();
    if (object == nullptr) return type.full_name() + " of no object";
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      const options::FieldPolicy& policy = PolicyOf(field);
      // Enums are compared by writing them again; a text beside one is theirs.
      if (!policy.raw_text_of().empty() || field.cpp_type() == pb::FieldDescriptor::CPPTYPE_ENUM) {
        continue;
      }
      const json::value* value = policy.local() ? nullptr : object->if_contains(NameOf(field));
      const std::string wrong = Field(message, field, value);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  static bool IsSet(const pb::Message& message, const pb::FieldDescriptor& field) {
    const pb::Reflection& reflection = *message.GetReflection();
    return field.is_repeated() ? reflection.FieldSize(message, &field) > 0
                               : reflection.HasField(message, &field);
  }

  std::string Field(const pb::Message& message, const pb::FieldDescriptor& field,
                    const json::value* value) {
    const bool set = IsSet(message, field);
    if (value == nullptr || value->is_null()) {
      return set ? field.full_name() + " out of nothing" : "";
    }
    if (field.is_map()) return {};
    if (field.is_repeated()) return List(message, field, *value);
    const pb::Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_INT64: {
        const std::optional<std::int64_t> number = WholeOf(*value);
        const bool same = set && number && reflection.GetInt64(message, &field) == *number;
        return same || (!set && !number) ? "" : field.full_name() + " is another number";
      }
      case pb::FieldDescriptor::CPPTYPE_STRING: {
        if (!value->is_string()) return {};
        const bool same =
            set && reflection.GetString(message, &field) == std::string_view(value->get_string());
        return same ? "" : field.full_name() + " is another text";
      }
      case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        return Nested(set, reflection.GetMessage(message, &field), field, *value);
      default:
        return {};
    }
  }

  std::string List(const pb::Message& message, const pb::FieldDescriptor& field,
                   const json::value& value) {
    const pb::Reflection& reflection = *message.GetReflection();
    const int size = reflection.FieldSize(message, &field);
    if (!value.is_array()) return size == 0 ? "" : field.full_name() + " of no array";
    const json::array& array = value.get_array();
    if (static_cast<std::size_t>(size) > array.size()) return field.full_name() + " grew";
    // With elements that were passed over the places differ.
    if (static_cast<std::size_t>(size) != array.size()) return {};
    if (field.cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) return {};
    for (int i = 0; i < size; ++i) {
      const std::string wrong = Nested(true, reflection.GetRepeatedMessage(message, &field, i),
                                       field, array[static_cast<std::size_t>(i)]);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  std::string Nested(bool set, const pb::Message& message, const pb::FieldDescriptor& field,
                     const json::value& value) {
    if (!field.message_type()->options().GetExtension(options::wire)) return {};
    if (set) return Message(message, value);
    const bool array = field.message_type()->options().GetExtension(options::wire_array);
    const bool readable = array ? value.is_array() : value.is_object();
    return readable ? field.full_name() + " was lost" : "";
  }
};

}  // namespace

std::string Untraced(const pb::Message& message, const json::value& body) {
  return Tracer().Message(message, body);
}

}  // namespace tollbridge::fuzz
