#include "tests/e2e/leak_marks.h"

#include <google/protobuf/struct.pb.h>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>

#include "base/core/card_numbers.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::test {
namespace {

namespace pb = google::protobuf;
namespace options = tollbridge::options::v1;

constexpr int kDeepest = 6;
constexpr std::size_t kOverAnyLimit = 80'000;
/// Of no time of day, port or amount in these tests.
constexpr std::array<const char*, 12> kCodes = {"9417", "9523", "8741", "9638", "8857", "9746",
                                                "8963", "9371", "8479", "9184", "8296", "9859"};

options::Sensitivity SensitivityOf(const pb::FieldDescriptor& field) {
  return field.options().GetExtension(options::field).sensitivity();
}

bool IsMarked(const pb::FieldDescriptor& field) {
  return SensitivityOf(field) == options::SENSITIVITY_CARD_DATA ||
         SensitivityOf(field) == options::SENSITIVITY_CREDENTIAL;
}

bool IsText(const pb::FieldDescriptor& field) {
  return field.type() == pb::FieldDescriptor::TYPE_STRING && !field.is_repeated();
}

bool IsMessage(const pb::FieldDescriptor& field) {
  return field.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE && !field.is_map();
}

/// Whether a message of this type can hold a marked field.
bool CanHoldMarks(const pb::Descriptor& type, int depth = 0) {
  if (depth > kDeepest) return false;
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::FieldDescriptor& field = *type.field(i);
    if (IsMarked(field)) return true;
    if (IsMessage(field) && CanHoldMarks(*field.message_type(), depth + 1)) return true;
  }
  return false;
}

/// The fields that are set when one of each oneof is.
std::vector<const pb::FieldDescriptor*> FieldsWith(const pb::Descriptor& type, int choice) {
  std::vector<const pb::FieldDescriptor*> fields;
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::OneofDescriptor* const oneof = type.field(i)->real_containing_oneof();
    if (oneof != nullptr && oneof->field(choice % oneof->field_count()) != type.field(i)) continue;
    fields.push_back(type.field(i));
  }
  return fields;
}

pb::Message& Below(pb::Message& message, const pb::FieldDescriptor& field) {
  const pb::Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) return *reflection.MutableMessage(&message, &field);
  if (reflection.FieldSize(message, &field) == 0) reflection.AddMessage(&message, &field);
  return *reflection.MutableRepeatedMessage(&message, &field, 0);
}

/// Calls `visit` for each text that has a value, in the message and all below it.
void ForEachText(const pb::Message& message,
                 const std::function<void(const pb::Message&, const pb::FieldDescriptor&)>& visit) {
  const pb::Reflection& reflection = *message.GetReflection();
  std::vector<const pb::FieldDescriptor*> present;
  reflection.ListFields(message, &present);
  for (const pb::FieldDescriptor* field : present) {
    if (IsText(*field)) visit(message, *field);
    if (!IsMessage(*field)) continue;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      ForEachText(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                       : reflection.GetMessage(message, field),
                  visit);
    }
  }
}

/// The texts of a Struct that are long enough to be nothing else.
void ForEachSecret(const pb::Struct& object, const std::function<void(const std::string&)>& visit) {
  for (const auto& [name, value] : object.fields()) {
    // Not the id of the project, which a wallet's session names.
    const bool secret = value.string_value().size() >= 32 &&
                        value.string_value().find("11111111") == std::string::npos;
    if (secret) visit(value.string_value());
  }
}

std::string WithCheckDigit(const std::string& digits) {
  for (char last = '0'; last <= '9'; ++last) {
    if (PassesLuhn(digits + last)) return digits + last;
  }
  throw std::logic_error("no check digit fits");
}

}  // namespace

std::set<std::string> MarkedFields() {
  std::set<std::string> names;
  const std::function<void(const pb::Descriptor&, int)> collect = [&](const pb::Descriptor& type,
                                                                      int depth) {
    for (int i = 0; i < type.field_count() && depth < kDeepest; ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      if (IsMarked(field)) names.insert(field.full_name());
      if (IsMessage(field)) collect(*field.message_type(), depth + 1);
    }
  };
  for (const pb::MethodDescriptor* method : PublishedMethods()) collect(*method->input_type(), 0);
  return names;
}

std::string Marks::Serial(std::size_t digits) {
  // Steps of a prime: neighbours differ in more than one digit.
  const std::string number = std::to_string(70'301'947 + 7'919LL * ++serial_);
  std::string out = number;
  while (out.size() < digits) out += number;
  return out.substr(0, digits);
}

std::string Marks::CardNumberInText(const std::string& where) {
  std::string number = WithCheckDigit("4000931" + Serial(8));
  all_.Add(where, number);
  return number;
}

std::string Marks::CardNumber(const std::string& where) {
  std::string number = CardNumberInText(where);
  cards_.Add(where, number);
  return number;
}

std::string Marks::SecurityCode(const std::string& where) {
  const char* const code = kCodes[static_cast<std::size_t>(codes_++) % kCodes.size()];
  all_.AddSecurityCode(where, code);
  cards_.AddSecurityCode(where, code);
  return code;
}

std::string Marks::Cryptogram(const std::string& where) {
  std::string text = "AJkBBkhQcc" + Serial(16) + "A=";
  all_.Add(where, text);
  cards_.Add(where, text);
  return text;
}

void Marks::Take(const pb::FieldDescriptor& field, const std::string& name,
                 const std::string& value) {
  const bool card = SensitivityOf(field) == options::SENSITIVITY_CARD_DATA;
  if (value.size() == 4) {
    all_.AddSecurityCode(name, value);
    if (card) cards_.AddSecurityCode(name, value);
  } else if (value.size() >= 8) {
    all_.Add(name, value);
    if (card) cards_.Add(name, value);
  }
}

std::string Marks::Make(const pb::FieldDescriptor& field, const std::string& where, Shape shape) {
  const std::string name = where + " " + field.full_name();
  const options::Format format = field.options().GetExtension(options::rules).format();
  if (shape == Shape::kTooLong) {
    const std::string piece = Cryptogram(name);
    std::string text;
    while (text.size() < kOverAnyLimit) text += piece;
    return text;
  }
  if (shape == Shape::kNotUtf8) return Cryptogram(name) + "\xc3\x28";
  const bool valid = shape == Shape::kValid;
  std::string value;
  switch (format) {
    case options::FORMAT_CARD_NUMBER:
      value = WithCheckDigit("4000931" + Serial(8));
      if (!valid) value.back() = value.back() == '9' ? '0' : static_cast<char>(value.back() + 1);
      break;
    case options::FORMAT_CARD_SECURITY_CODE:
      if (valid) return SecurityCode(name);
      value = "94" + Serial(10);
      break;
    case options::FORMAT_UUID:
      value = "5eaf" + Serial(4) + "-" + Serial(8).substr(4) + "-4" + Serial(8).substr(5) +
              "-8aaa-" + Serial(12);
      if (!valid) value.back() = 'z';
      break;
    case options::FORMAT_URI:
      value = (valid ? "https://hooks.example/" : "hooks.example:") + Serial(16);
      break;
    default:
      value = Cryptogram(name);
      break;
  }
  Take(field, name, value);
  return value;
}

void Marks::Fill(pb::Message& message, const std::string& where, Shape shape, int choice) {
  const pb::Reflection& reflection = *message.GetReflection();
  for (const pb::FieldDescriptor* field : FieldsWith(*message.GetDescriptor(), choice)) {
    if (IsText(*field) && IsMarked(*field)) {
      reflection.SetString(&message, field, Make(*field, where, shape));
      filled_.insert(field->full_name());
    } else if (IsMessage(*field) && CanHoldMarks(*field->message_type())) {
      Fill(Below(message, *field), where, shape, choice);
    }
  }
}

void Marks::FillTexts(pb::Message& message, const std::string& where) {
  const pb::Reflection& reflection = *message.GetReflection();
  for (const pb::FieldDescriptor* field : FieldsWith(*message.GetDescriptor(), 0)) {
    const std::string name = where + " " + field->full_name();
    if (IsText(*field)) {
      reflection.SetString(&message, field,
                           ++serial_ % 2 == 0 ? CardNumber(name) : Cryptogram(name));
    } else if (field->type() == pb::FieldDescriptor::TYPE_STRING) {
      reflection.AddString(&message, field, CardNumber(name));
    } else if (IsMessage(*field) && field->message_type() == pb::Struct::descriptor()) {
      auto& object = static_cast<pb::Struct&>(Below(message, *field));
      (*object.mutable_fields())[CardNumber(name)].set_string_value(Cryptogram(name));
    } else if (IsMessage(*field) && field->message_type()->file()->package().starts_with("tollb")) {
      FillTexts(Below(message, *field), where);
    }
  }
}

void Marks::Learn(const pb::Message& message, const std::string& where) {
  ForEachText(message, [&](const pb::Message& within, const pb::FieldDescriptor& field) {
    if (!IsMarked(field)) return;
    Take(field, where + " " + field.full_name(), within.GetReflection()->GetString(within, &field));
  });
  std::vector<const pb::FieldDescriptor*> present;
  message.GetReflection()->ListFields(message, &present);
  for (const pb::FieldDescriptor* field : present) {
    if (!IsMarked(*field) || field->message_type() != pb::Struct::descriptor()) continue;
    ForEachSecret(
        static_cast<const pb::Struct&>(message.GetReflection()->GetMessage(message, field)),
        [&](const std::string& value) { Take(*field, where + " " + field->full_name(), value); });
  }
}

std::vector<std::string> Marks::ValuesIn(const pb::Message& message) {
  std::vector<std::string> values;
  ForEachText(message, [&](const pb::Message& within, const pb::FieldDescriptor& field) {
    if (IsMarked(field)) values.push_back(within.GetReflection()->GetString(within, &field));
  });
  return values;
}

}  // namespace tollbridge::test
