#include "tests/support/every_field.h"

#include <string>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::test {
namespace {

namespace pb = google::protobuf;

/// One field of one message, a list's or a map's as a new element.
class Setter {
 public:
  Setter(pb::Message& message, const pb::FieldDescriptor& field)
      : message_(message), field_(field), reflection_(*message.GetReflection()) {}

  void Set() {
    switch (field_.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_STRING:
        return SetText(field_.name());
      case pb::FieldDescriptor::CPPTYPE_INT64:
        return reflection_.SetInt64(&message_, &field_, 100 + field_.number());
      case pb::FieldDescriptor::CPPTYPE_BOOL:
        return reflection_.SetBool(&message_, &field_, true);
      case pb::FieldDescriptor::CPPTYPE_ENUM:
        return reflection_.SetEnum(&message_, &field_, field_.enum_type()->value(1));
      case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        return FillEveryField(*Below());
      default:
        // Of other types the wire has none; a test would find the field unset.
        return;
    }
  }

 private:
  void SetText(const std::string& text) {
    if (field_.is_repeated()) return reflection_.AddString(&message_, &field_, text);
    reflection_.SetString(&message_, &field_, text);
  }
  pb::Message* Below() {
    return field_.is_repeated() ? reflection_.AddMessage(&message_, &field_)
                                : reflection_.MutableMessage(&message_, &field_);
  }

  pb::Message& message_;
  const pb::FieldDescriptor& field_;
  const pb::Reflection& reflection_;
};

bool IsLeftAlone(const pb::FieldDescriptor& field) {
  const options::v1::FieldPolicy& policy = field.options().GetExtension(options::v1::field);
  return policy.local() || !policy.raw_text_of().empty();
}

/// Set already. A message is filled further.
bool IsSet(const pb::Message& message, const pb::FieldDescriptor& field) {
  const pb::Reflection& reflection = *message.GetReflection();
  if (field.is_repeated()) return reflection.FieldSize(message, &field) > 0;
  const bool scalar = field.cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE;
  return scalar && reflection.HasField(message, &field);
}

}  // namespace

void FillEveryField(pb::Message& message) {
  if (auto* object = pb::DynamicCastToGenerated<pb::Struct>(&message)) {
    (*object->mutable_fields())["name"].set_string_value("value");
    return;
  }
  if (auto* time = pb::DynamicCastToGenerated<pb::Timestamp>(&message)) {
    time->set_seconds(1'767'225'600);
    return;
  }
  const pb::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::FieldDescriptor& field = *type.field(i);
    if (!IsLeftAlone(field) && !IsSet(message, field)) Setter(message, field).Set();
  }
}

}  // namespace tollbridge::test
