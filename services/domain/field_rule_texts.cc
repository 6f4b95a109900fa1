#include "services/domain/field_rule_texts.h"

#include <google/protobuf/descriptor.h>

namespace tollbridge::domain::rule_text {

namespace options = tollbridge::options::v1;

std::string_view OfFormat(options::Format format) {
  switch (format) {
    case options::FORMAT_CURRENCY:
      return "must be an ISO 4217 code: three upper-case letters";
    case options::FORMAT_UUID:
      return "must be a UUID: 8-4-4-4-12 hexadecimal digits";
    case options::FORMAT_ISO8601_DURATION:
      return "must be an ISO 8601 duration, for example PT1H or P20D";
    case options::FORMAT_URI:
      return "must be an absolute http or https URI with a host";
    case options::FORMAT_COUNTRY:
      return "must be an ISO 3166-1 alpha-2 code: two upper-case letters";
    case options::FORMAT_STATE:
      return "must be a state or province: two upper-case letters";
    case options::FORMAT_IDEMPOTENCY_KEY:
      return "must be 1 to 128 printable ASCII characters";
    case options::FORMAT_CARD_EXPIRY:
      return "must be MMYYYY with a month of 01 to 12";
    case options::FORMAT_CARD_NUMBER:
      return "must be a card number: 12 to 19 digits, the last a Luhn check digit";
    case options::FORMAT_CARD_SECURITY_CODE:
      return "must have three or four digits";
    case options::FORMAT_HOST_NAME:
      return "must be a host name, without scheme, port and path";
    default:
      return {};
  }
}

std::string AtLeast(std::int64_t least) { return "must be at least " + std::to_string(least); }

std::string AtMost(std::int64_t most) { return "must be at most " + std::to_string(most); }

std::string OneOf(const options::FieldRules& rules) {
  std::string words = "must be one of:";
  for (const std::string& value : rules.allowed()) words += " " + value;
  return words;
}

std::string MostItems(std::size_t most) {
  return "must have at most " + std::to_string(most) + (most == 1 ? " element" : " elements");
}

std::string LongestString(std::size_t most) {
  return "must not be longer than " + std::to_string(most) + " bytes";
}

std::string LongestKey(std::size_t most) {
  return "must have a key of at most " + std::to_string(most) + " bytes";
}

std::string LargestMessage(std::size_t most) {
  return "must not be larger than " + std::to_string(most) + " bytes";
}

std::string Deepest(int most) {
  return "must not be nested deeper than " + std::to_string(most) + " levels";
}

std::string ValueOf(const google::protobuf::EnumDescriptor& type) {
  return "must be a value of " + type.full_name();
}

std::string NoFieldOf(std::string_view type) {
  return "is not a field of " + std::string(type) + " as this gateway knows it";
}

}  // namespace tollbridge::domain::rule_text

namespace tollbridge::domain {

std::size_t MostItemsOf(const options::v1::FieldRules& rules, const FieldLimits& limits) {
  return rules.max_items() != 0 ? rules.max_items() : limits.max_items;
}

std::size_t LongestStringOf(const options::v1::FieldRules& rules, const FieldLimits& limits) {
  return rules.max_bytes() != 0 ? rules.max_bytes() : limits.max_string_bytes;
}

std::size_t LargestMessageOf(const options::v1::FieldRules& rules, bool is_struct,
                             const FieldLimits& limits) {
  return rules.max_bytes() == 0 && is_struct ? limits.max_struct_bytes : rules.max_bytes();
}

}  // namespace tollbridge::domain
