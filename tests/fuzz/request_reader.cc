#include "tests/fuzz/request_reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/struct.pb.h>

#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::fuzz {
namespace {

namespace pb = google::protobuf;
namespace options = tollbridge::options::v1;
using Texts = std::span<const std::string_view>;

constexpr int kMaxDepth = 6;
constexpr int kMaxElements = 3;

// Of each format some that have it, the first of them beyond doubt, and some that nearly do.
constexpr std::string_view kUuids[] = {
    "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10", "6B1F2D3E-8A5C-4D1B-8E64-3A7A7D2A4B21",
    "00000000-0000-0000-0000-000000000000", "5a0e1c2d7f4b4c0a9d532f6f6c1f3a10",
    "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a1/"};
constexpr std::string_view kCurrencies[] = {"EUR", "USD", "JPY", "QQQ", "eur", "EURO"};
constexpr std::string_view kDurations[] = {"PT1H", "P20D", "P1Y2M3DT4H5M6.5S", "P1W", "P", "PT"};
constexpr std::string_view kUris[] = {"https://shop.test/back?a=b#c", "http://[::1]:8080/",
                                      "https://user:secret@shop.test/%0d%0a", "javascript:alert(1)",
                                      "https://shop.test:99999/"};
constexpr std::string_view kCountries[] = {"US", "CA", "AU", "NL", "us", "USA"};
constexpr std::string_view kStates[] = {"NY", "ON", "ZZ", "XX", "ny"};
constexpr std::string_view kKeys[] = {"key-1", "a b~", "\x7f", "k\nk", ""};
constexpr std::string_view kExpiries[] = {"122031", "012020", "132031", "1231"};
// Test numbers that pass Luhn, the shortest and the longest among them.
constexpr std::string_view kCards[] = {"4111111111111111",    "5555555555554444",
                                       "378282246310005",     "000000000000",
                                       "6304000000000000000", "4111111111111112"};
constexpr std::string_view kCodes[] = {"123", "1234", "12", "12345"};
constexpr std::string_view kHosts[] = {"shop.test", "a", "-a.test", "shop.test:1", "a..b"};
constexpr std::string_view kTexts[] = {"credit-card",
                                       "credit-card-oct",
                                       "wallet-b-pay",
                                       "one-click",
                                       "first",
                                       "manual",
                                       "billing",
                                       "card-account",
                                       "2.2.0",
                                       "challenge",
                                       "shop",
                                       "id asc",
                                       "created desc",
                                       "-1",
                                       "*",
                                       "status:completed AND (amount:[0 TO 5])",
                                       "\"",
                                       "\\",
                                       "\r\nX: y",
                                       "a/../b?c#d",
                                       "%2e%2e%2f",
                                       "\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xb3",
                                       "[tb:0123456789abcdef]",
                                       "tollbridge_operation",
                                       "4111111111111111",
                                       "en",
                                       "+15550100",
                                       "192.0.2.1",
                                       "ada@example.test",
                                       "AAABBEg0VhI="};

Texts TextsOf(options::Format format) {
  switch (format) {
    case options::FORMAT_UUID:
      return kUuids;
    case options::FORMAT_CURRENCY:
      return kCurrencies;
    case options::FORMAT_ISO8601_DURATION:
      return kDurations;
    case options::FORMAT_URI:
      return kUris;
    case options::FORMAT_COUNTRY:
      return kCountries;
    case options::FORMAT_STATE:
      return kStates;
    case options::FORMAT_IDEMPOTENCY_KEY:
      return kKeys;
    case options::FORMAT_CARD_EXPIRY:
      return kExpiries;
    case options::FORMAT_CARD_NUMBER:
      return kCards;
    case options::FORMAT_CARD_SECURITY_CODE:
      return kCodes;
    case options::FORMAT_HOST_NAME:
      return kHosts;
    default:
      return kTexts;
  }
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  void Message(pb::Message* message, int depth) {
    if (message->GetDescriptor() == pb::Struct::descriptor()) {
      return Struct(pb::DynamicCastToGenerated<pb::Struct>(message), depth);
    }
    const pb::Descriptor& type = *message->GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      if (field.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE && depth >= kMaxDepth) continue;
      // Of a oneof the last that is set would count: one of its fields is chosen instead.
      if (const pb::OneofDescriptor* oneof = field.real_containing_oneof(); oneof != nullptr) {
        if (oneof->field(0) == &field) OneOf(message, *oneof, depth);
        continue;
      }
      Field(message, field, depth);
    }
  }

 private:
  // 0 when the bytes have ended.
  unsigned Byte() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  unsigned Below(std::size_t bound) { return Byte() % static_cast<unsigned>(bound); }

  void OneOf(pb::Message* message, const pb::OneofDescriptor& oneof, int depth) {
    const pb::FieldDescriptor& field =
        *oneof.field(static_cast<int>(Below(static_cast<std::size_t>(oneof.field_count()))));
    One(message, field, depth);
  }

  void Field(pb::Message* message, const pb::FieldDescriptor& field, int depth) {
    const bool required = field.options().GetExtension(options::rules).required();
    const unsigned choice = Below(8);
    // A field of eight is absent that must be there, and every second that need not.
    const bool present = required ? choice != 7 : choice % 2 == 1;
    if (!present) return;
    const unsigned count = field.is_repeated() ? 1 + choice % kMaxElements : 1;
    for (unsigned i = 0; i < count; ++i) One(message, field, depth);
  }

  void One(pb::Message* message, const pb::FieldDescriptor& field, int depth) {
    const pb::Reflection& to = *message->GetReflection();
    const bool add = field.is_repeated();
    switch (field.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_STRING:
        add ? to.AddString(message, &field, Text(field))
            : to.SetString(message, &field, Text(field));
        break;
      case pb::FieldDescriptor::CPPTYPE_INT32:
        to.SetInt32(message, &field, static_cast<std::int32_t>(Number()));
        break;
      case pb::FieldDescriptor::CPPTYPE_INT64:
        add ? to.AddInt64(message, &field, Number()) : to.SetInt64(message, &field, Number());
        break;
      case pb::FieldDescriptor::CPPTYPE_BOOL:
        to.SetBool(message, &field, Byte() % 2 == 1);
        break;
      case pb::FieldDescriptor::CPPTYPE_ENUM:
        to.SetEnumValue(message, &field, static_cast<int>(Below(12)));
        break;
      case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        Message(add ? to.AddMessage(message, &field) : to.MutableMessage(message, &field),
                depth + 1);
        break;
      default:
        break;
    }
  }

  std::string Text(const pb::FieldDescriptor& field) {
    const options::FieldRules& rules = field.options().GetExtension(options::rules);
    const unsigned choice = Byte();
    if (!rules.allowed().empty() && choice < 192) {
      return rules.allowed(static_cast<int>(choice) % rules.allowed_size());
    }
    if (choice < 128) {
      // The forms that will do stand first.
      const Texts texts = TextsOf(rules.format());
      return std::string(texts[choice % texts.size()]);
    }
    if (choice < 192) return std::string(kTexts[choice % std::size(kTexts)]);
    if (choice < 200) return std::string(std::size_t{1} << (choice - 187), 'x');
    return Any();
  }

  // So many bytes of the input as it says, made ASCII: what is no UTF-8 would not be parsed.
  std::string Any() {
    std::string text(Below(40), '\0');
    for (char& c : text) c = static_cast<char>(Byte() & 0x7f);
    return text;
  }

  std::int64_t Number() {
    constexpr std::int64_t kLimits[] = {1250,
                                        0,
                                        1,
                                        -1,
                                        100,
                                        500,
                                        std::int64_t{1} << 53,
                                        (std::int64_t{1} << 53) + 1,
                                        std::numeric_limits<std::int64_t>::max(),
                                        std::numeric_limits<std::int64_t>::min()};
    const unsigned choice = Byte();
    if (choice < 192) return kLimits[choice % std::size(kLimits)];
    return (static_cast<std::int64_t>(Byte()) << 8) + static_cast<std::int64_t>(Byte());
  }

  void Struct(pb::Struct* object, int depth) {
    for (unsigned i = Below(kMaxElements + 1); i > 0; --i) {
      const std::string key =
          Byte() % 2 == 0 ? Any() : std::string(kTexts[Below(std::size(kTexts))]);
      Value(&(*object->mutable_fields())[key], depth + 1);
    }
  }

  void Value(pb::Value* value, int depth) {
    switch (Below(depth < kMaxDepth ? 8 : 5)) {
      case 0:
        value->set_string_value(Any());
        break;
      case 1:
        value->set_number_value(static_cast<double>(Number()));
        break;
      case 2:
        value->set_bool_value(true);
        break;
      case 3:
        value->set_null_value(pb::NULL_VALUE);
        break;
      case 4:
        value->set_number_value(Byte() % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.1);
        break;
      case 5:
        Struct(value->mutable_struct_value(), depth);
        break;
      case 6:
        for (unsigned i = Below(kMaxElements + 1); i > 0; --i) {
          Value(value->mutable_list_value()->add_values(), depth + 1);
        }
        break;
      default:
        break;  // a value of no kind
    }
  }

  std::string_view bytes_;
};

}  // namespace

void ReadRequest(std::string_view bytes, pb::Message* request) {
  request->Clear();
  Reader(bytes).Message(request, 0);
}

}  // namespace tollbridge::fuzz
