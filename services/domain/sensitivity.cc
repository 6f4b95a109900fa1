#include "services/domain/sensitivity.h"

#include <set>
#include <vector>

#include <google/protobuf/descriptor.h>

namespace tollbridge::domain {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::vector<const FieldDescriptor*> PresentFields(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  return fields;
}

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

}  // namespace

bool DeclaresSensitive(const Descriptor& type, options::v1::Sensitivity sensitivity,
                       const Descriptor* except) {
  std::set<const Descriptor*> seen = {except};
  return Declares(type, sensitivity, seen);
}

bool HoldsSensitive(const Message& message, options::v1::Sensitivity sensitivity) {
  const Reflection& reflection = *message.GetReflection();
  for (const FieldDescriptor* field : PresentFields(message)) {
    if (IsDeclared(*field, sensitivity)) {
      if (!IsEmptyText(message, *field)) return true;
      continue;
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
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
  for (const FieldDescriptor* field : PresentFields(message)) {
    if (IsDeclared(*field, sensitivity)) {
      reflection.ClearField(&message, field);
      continue;
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      ClearSensitive(*reflection.MutableMessage(&message, field), sensitivity);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      ClearSensitive(*reflection.MutableRepeatedMessage(&message, field, i), sensitivity);
    }
  }
}

}  // namespace tollbridge::domain
