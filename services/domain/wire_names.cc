#include "services/domain/wire_names.h"

#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::domain {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;

std::string_view WireNameOf(const EnumDescriptor& type, int number) {
  const EnumValueDescriptor* value = type.FindValueByNumber(number);
  if (value == nullptr) return {};
  return value->options().GetExtension(options::v1::wire_value);
}

std::optional<int> FindWireName(const EnumDescriptor& type, std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (int i = 0; i < type.value_count(); ++i) {
    const int number = type.value(i)->number();
    if (WireNameOf(type, number) == name) return number;
  }
  return std::nullopt;
}

}  // namespace tollbridge::domain
