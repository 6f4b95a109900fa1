#ifndef TOLLBRIDGE_SERVICES_DOMAIN_WIRE_NAMES_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_WIRE_NAMES_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <optional>
#include <string_view>

namespace tollbridge::domain {

/// What the interface calls the value of that number: its wire_value in the .proto. Empty for
/// UNSPECIFIED and for a number that the enum does not have.
std::string_view WireNameOf(const google::protobuf::EnumDescriptor& type, int number);

/// The number of the value that the interface calls so, letter by letter; nullopt for a name that
/// it does not have.
std::optional<int> FindWireName(const google::protobuf::EnumDescriptor& type,
                                std::string_view name);

template <typename Enum>
std::string_view WireName(Enum value) {
  return WireNameOf(*google::protobuf::GetEnumDescriptor<Enum>(), value);
}

template <typename Enum>
std::optional<Enum> FromWireName(std::string_view name) {
  const std::optional<int> number =
      FindWireName(*google::protobuf::GetEnumDescriptor<Enum>(), name);
  if (!number) return std::nullopt;
  return static_cast<Enum>(*number);
}

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_WIRE_NAMES_H_
