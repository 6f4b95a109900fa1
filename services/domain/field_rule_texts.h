#ifndef TOLLBRIDGE_SERVICES_DOMAIN_FIELD_RULE_TEXTS_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_FIELD_RULE_TEXTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "services/domain/field_rules.h"
#include "tollbridge/options/v1/options.pb.h"

namespace google::protobuf {
class EnumDescriptor;
}  // namespace google::protobuf

// What the rules of fields demand, in words. The violations (field_rules.cc) and docs/validation.md
// say the same, since both take it from here.
namespace tollbridge::domain::rule_text {

inline constexpr std::string_view kRequired = "is required";
inline constexpr std::string_view kNotEmpty = "must not be empty";
// Of the values inside a google.protobuf.Struct.
inline constexpr std::string_view kHasValue = "must have a value";
inline constexpr std::string_view kFinite = "must be a finite number";
inline constexpr std::string_view kExact =
    "must be below 2^53, or be sent as a string: a number here cannot hold it exactly";

// Of free text, and of every key and value of free data.
inline constexpr std::string_view kNoCardNumber = "must not hold what reads as a card number";

/// What a format demands; empty for a format that demands nothing.
std::string_view OfFormat(options::v1::Format format);
std::string AtLeast(std::int64_t least);
std::string AtMost(std::int64_t most);
/// Any of the values in `rules`, of which there are some.
std::string OneOf(const options::v1::FieldRules& rules);
std::string MostItems(std::size_t most);
std::string LongestString(std::size_t most);
std::string LongestKey(std::size_t most);
std::string LargestMessage(std::size_t most);
std::string Deepest(int most);
std::string ValueOf(const google::protobuf::EnumDescriptor& type);
/// `type`: full name of the message.
std::string NoFieldOf(std::string_view type);

}  // namespace tollbridge::domain::rule_text

namespace tollbridge::domain {

// The bound that holds for a field: its own, else the general one.

std::size_t MostItemsOf(const options::v1::FieldRules& rules, const FieldLimits& limits);
/// The bound of a string or bytes field.
std::size_t LongestStringOf(const options::v1::FieldRules& rules, const FieldLimits& limits);
/// The bound of a message field; 0: there is none.
std::size_t LargestMessageOf(const options::v1::FieldRules& rules, bool is_struct,
                             const FieldLimits& limits);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_FIELD_RULE_TEXTS_H_
