#include "services/domain/foreign_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/struct.pb.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/core/card_numbers.h"
#include "tollbridge/common/v1/customer.pb.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::domain {
namespace {

using common::v1::Customer;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::Struct;
using google::protobuf::Value;

/// Where merchants let customers go: callers word it, and put ids of theirs into it.
bool IsAddress(const FieldDescriptor& field) {
  return field.name() == "return_url" || field.name() == "failure_url";
}

bool IsForeignText(const FieldDescriptor& field) {
  if (field.containing_type() == Customer::descriptor()) {
    return field.name() != "merchant_customer_id";
  }
  if (!field.options().GetExtension(options::v1::field).raw_text_of().empty()) return true;
  const std::string& name = field.name();
  return name == "reason" || name == "customer_message" || name == "description" ||
         name == "response_code_description" || name == "status_description" ||
         name == "match_description" || name == "merchant_name" || IsAddress(field);
}

/// One number of telephones in ten, of those with 13 digits and more, would be taken for a card's;
/// so would one id or time in ten in an address, which leads elsewhere then.
std::string Masked(const FieldDescriptor& field, const std::string& text) {
  if (IsAddress(field)) return MaskCardNumbers(text, Doubt::kLeaves);
  const bool is_number = field.name() == "phone_numbers";
  return is_number && !HoldsCardNumber(text) ? text : MaskCardNumbers(text);
}

void MaskText(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) {
    reflection.SetString(&message, &field, Masked(field, reflection.GetString(message, &field)));
    return;
  }
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    reflection.SetRepeatedString(&message, &field, i,
                                 Masked(field, reflection.GetRepeatedString(message, &field, i)));
  }
}

/// A whole number that reads as a card's becomes the text of it, masked.
void MaskNumber(Value& value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.0f", value.number_value());
  if (HoldsCardNumber(digits.data())) value.set_string_value(MaskCardNumbers(digits.data()));
}

void MaskStruct(Struct& object);

void MaskValue(Value& value) {
  if (value.has_string_value()) {
    value.set_string_value(MaskCardNumbers(value.string_value()));
  } else if (value.has_struct_value()) {
    MaskStruct(*value.mutable_struct_value());
  } else if (value.has_list_value()) {
    for (Value& each : *value.mutable_list_value()->mutable_values()) MaskValue(each);
  } else if (value.has_number_value()) {
    MaskNumber(value);
  }
}

/// Names too. Of two that read alike when they are masked one stays.
void MaskStruct(Struct& object) {
  Struct masked;
  for (auto& [name, value] : *object.mutable_fields()) {
    MaskValue(value);
    (*masked.mutable_fields())[MaskCardNumbers(name)] = std::move(value);
  }
  object.Swap(&masked);
}

}  // namespace

void MaskForeignText(Message& message) {
  if (message.GetDescriptor() == Struct::descriptor()) {
    return MaskStruct(static_cast<Struct&>(message));
  }
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> present;
  reflection.ListFields(message, &present);
  for (const FieldDescriptor* field : present) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      if (IsForeignText(*field)) MaskText(message, *field);
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
