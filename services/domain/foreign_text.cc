#include "services/domain/foreign_text.h"

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "base/core/card_numbers.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::domain {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsForeignText(const FieldDescriptor& field) {
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_STRING || field.is_repeated()) return false;
  if (!field.options().GetExtension(options::v1::field).raw_text_of().empty()) return true;
  const std::string& name = field.name();
  return name == "reason" || name == "customer_message" || name == "description" ||
         name == "response_code_description" || name == "status_description" ||
         name == "match_description";
}

}  // namespace

void MaskForeignText(Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> present;
  reflection.ListFields(message, &present);
  for (const FieldDescriptor* field : present) {
    if (IsForeignText(*field)) {
      reflection.SetString(&message, field, MaskCardNumbers(reflection.GetString(message, field)));
      continue;
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      MaskForeignText(*reflection.MutableMessage(&message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      MaskForeignText(*reflection.MutableRepeatedMessage(&message, field, i));
    }
  }
}

}  // namespace tollbridge::domain
