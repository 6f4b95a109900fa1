#include "services/domain/sensitivity.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>

namespace tollbridge::domain {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsDeclared(const FieldDescriptor& field, options::v1::Sensitivity sensitivity) {
  return field.options().GetExtension(options::v1::field).sensitivity() == sensitivity;
}

bool IsEmptyText(const Message& message, const FieldDescriptor& field) {
  return !field.is_repeated() && field.cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
         message.GetReflection()->GetString(message, &field).empty();
}

bool Declares(const Descriptor& type, options::v1::Sensitivity sensitivity,
              std::set<const Descriptor*>& seen) {
  if (!seen.insert(&type).second) return false;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (IsDeclared(field, sensitivity)) return true;
    const Descriptor* below = field.message_type();
    if (below != nullptr && Declares(*below, sensitivity, seen)) return true;
  }
  return false;
}

// Where a type has fields of a sensitivity: itself, and in messages below.
struct Places {
  std::vector<const FieldDescriptor*> declared;
  std::vector<const FieldDescriptor*> above;
};

Places FindPlaces(const Descriptor& type, options::v1::Sensitivity sensitivity) {
  Places places;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    const Descriptor* below = field->message_type();
    if (IsDeclared(*field, sensitivity)) {
      places.declared.push_back(field);
    } else if (below != nullptr && DeclaresSensitive(*below, sensitivity, nullptr)) {
      places.above.push_back(field);
    }
  }
  return places;
}

// Worked out once a type and thread: every answer to a caller is looked through.
const Places& PlacesOf(const Descriptor& type, options::v1::Sensitivity sensitivity) {
  thread_local std::map<std::pair<const Descriptor*, options::v1::Sensitivity>, Places> known;
  const auto [it, is_new] = known.try_emplace({&type, sensitivity});
  if (is_new) it->second = FindPlaces(type, sensitivity);
  return it->second;
}

}  // namespace

bool DeclaresSensitive(const Descriptor& type, options::v1::Sensitivity sensitivity,
                       const Descriptor* except) {
  std::set<const Descriptor*> seen = {except};
  return Declares(type, sensitivity, seen);
}

bool HoldsSensitive(const Message& message, options::v1::Sensitivity sensitivity) {
  const Reflection& reflection = *message.GetReflection();
  const Places& places = PlacesOf(*message.GetDescriptor(), sensitivity);
  for (const FieldDescriptor* field : places.declared) {
    const bool present = field->is_repeated() ? reflection.FieldSize(message, field) > 0
                                              : reflection.HasField(message, field);
    if (present && !IsEmptyText(message, *field)) return true;
  }
  for (const FieldDescriptor* field : places.above) {
    if (!field->is_repeated()) {
      if (!reflection.HasField(message, field)) continue;
      if (HoldsSensitive(reflection.GetMessage(message, field), sensitivity)) return true;
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      if (HoldsSensitive(reflection.GetRepeatedMessage(message, field, i), sensitivity))
        return true;
    }
  }
  return false;
}

void ClearSensitive(Message& message, options::v1::Sensitivity sensitivity) {
  const Reflection& reflection = *message.GetReflection();
  const Places& places = PlacesOf(*message.GetDescriptor(), sensitivity);
  for (const FieldDescriptor* field : places.declared) reflection.ClearField(&message, field);
  for (const FieldDescriptor* field : places.above) {
    if (!field->is_repeated()) {
      if (!reflection.HasField(message, field)) continue;
      ClearSensitive(*reflection.MutableMessage(&message, field), sensitivity);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      ClearSensitive(*reflection.MutableRepeatedMessage(&message, field, i), sensitivity);
    }
  }
}

void AddSensitiveTexts(const Message& message, options::v1::Sensitivity sensitivity,
                       std::vector<std::string>* texts) {
  const Reflection& reflection = *message.GetReflection();
  const Places& places = PlacesOf(*message.GetDescriptor(), sensitivity);
  for (const FieldDescriptor* field : places.declared) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
    if (!field->is_repeated()) {
      if (reflection.HasField(message, field))
        texts->push_back(reflection.GetString(message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      texts->push_back(reflection.GetRepeatedString(message, field, i));
    }
  }
  for (const FieldDescriptor* field : places.above) {
    if (!field->is_repeated()) {
      if (!reflection.HasField(message, field)) continue;
      AddSensitiveTexts(reflection.GetMessage(message, field), sensitivity, texts);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      AddSensitiveTexts(reflection.GetRepeatedMessage(message, field, i), sensitivity, texts);
    }
  }
}

}  // namespace tollbridge::domain
