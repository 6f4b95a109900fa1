#include "tests/support/random_message.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::testing {
namespace {

namespace pb = google::protobuf;
namespace options = tollbridge::options::v1;

class Filler {
 public:
  Filler(std::mt19937_64* random, const RandomMessageOptions& limits)
      : random_(*random), limits_(limits) {}

  void Message(pb::Message* message, int depth) {
    if (auto* const time = pb::DynamicCastToGenerated<pb::Timestamp>(message)) {
      Time(time);
    } else if (auto* const object = pb::DynamicCastToGenerated<pb::Struct>(message)) {
      Struct(object, depth);
    } else {
      Fields(message, depth);
    }
  }

 private:
  int Below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  bool Chance(double probability) { return std::bernoulli_distribution(probability)(random_); }

  // Small numbers, the ends of the range, and anything.
  std::int64_t Integer() {
    constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    switch (Below(8)) {
      case 0:
        return 0;
      case 1:
        return kMin;
      case 2:
        return kMax;
      case 3:
        return (std::int64_t{1} << 53) + 1;
      case 4:
        return std::uniform_int_distribution<std::int64_t>(kMin, kMax)(random_);
      default:
        return Below(1'000'000);
    }
  }

  double Number() {
    switch (Below(6)) {
      case 0:
        return 0;
      case 1:
        return static_cast<double>(Below(2'000'000) - 1'000'000);
      case 2:
        return std::ldexp(1.0, 53);
      case 3:
        return std::numeric_limits<double>::denorm_min();
      case 4:
        return -std::numeric_limits<double>::max();
      default:
        return std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random_), Below(200) - 100);
    }
  }

  void Time(pb::Timestamp* time) {
    constexpr std::int64_t kFirst = -62'135'596'800;  // 0001-01-01T00:00:00Z
    constexpr std::int64_t kLast = 253'402'300'799;   // 9999-12-31T23:59:59Z
    time->set_seconds(std::uniform_int_distribution<std::int64_t>(kFirst, kLast)(random_));
    constexpr std::array<int, 4> kUnits = {1'000'000'000, 1'000'000, 1'000, 1};
    const int unit = kUnits[static_cast<std::size_t>(Below(4))];
    time->set_nanos(Below(1'000'000'000 / unit) * unit);
  }

  void Struct(pb::Struct* object, int depth) {
    for (int i = Below(limits_.max_elements + 1); i > 0; --i) {
      Value(&(*object->mutable_fields())[RandomText(&random_)], depth + 1);
    }
  }

  void Value(pb::Value* value, int depth) {
    switch (Below(depth < limits_.max_depth ? 6 : 4)) {
      case 0:
        value->set_null_value(pb::NULL_VALUE);
        break;
      case 1:
        value->set_number_value(Number());
        break;
      case 2:
        value->set_bool_value(Chance(0.5));
        break;
      case 3:
        value->set_string_value(RandomText(&random_));
        break;
      case 4:
        Struct(value->mutable_struct_value(), depth);
        break;
      default:
        value->mutable_list_value();
        for (int i = Below(limits_.max_elements + 1); i > 0; --i) {
          Value(value->mutable_list_value()->add_values(), depth + 1);
        }
    }
  }

  void Fields(pb::Message* message, int depth) {
    const pb::Descriptor& type = *message->GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      const options::FieldPolicy& policy = field.options().GetExtension(options::field);
      if (policy.local() || !policy.raw_text_of().empty()) continue;
      if (field.is_repeated()) {
        Repeated(message, field, depth);
      } else if (Chance(limits_.presence)) {
        One(message, field, depth);
      }
    }
  }

  void Repeated(pb::Message* message, const pb::FieldDescriptor& field, int depth) {
    if (field.is_map()) {
      Map(message, field, depth);
      return;
    }
    for (int i = Below(limits_.max_elements + 1); i > 0; --i) One(message, field, depth);
  }

  // Keys differ, as they would after reading.
  void Map(pb::Message* message, const pb::FieldDescriptor& field, int depth) {
    const pb::Reflection& reflection = *message->GetReflection();
    const pb::FieldDescriptor& key = *field.message_type()->map_key();
    for (int i = Below(limits_.max_elements + 1); i > 0; --i) {
      pb::Message* const entry = reflection.AddMessage(message, &field);
      const pb::Reflection& parts = *entry->GetReflection();
      if (key.cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING) {
        parts.SetString(entry, &key, std::to_string(i) + RandomText(&random_));
      }
      One(entry, *field.message_type()->map_value(), depth);
    }
  }

  // A value: set, or added to a repeated field.
  void One(pb::Message* message, const pb::FieldDescriptor& field, int depth) {
    const pb::Reflection& to = *message->GetReflection();
    const bool add = field.is_repeated();
    switch (field.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_STRING:
        add ? to.AddString(message, &field, RandomText(&random_))
            : to.SetString(message, &field, RandomText(&random_));
        break;
      case pb::FieldDescriptor::CPPTYPE_INT32:
        add ? to.AddInt32(message, &field, Below(1000)) : to.SetInt32(message, &field, Below(1000));
        break;
      case pb::FieldDescriptor::CPPTYPE_INT64:
        add ? to.AddInt64(message, &field, Integer()) : to.SetInt64(message, &field, Integer());
        break;
      case pb::FieldDescriptor::CPPTYPE_UINT32:
        add ? to.AddUInt32(message, &field, static_cast<std::uint32_t>(Below(1000)))
            : to.SetUInt32(message, &field, static_cast<std::uint32_t>(Below(1000)));
        break;
      case pb::FieldDescriptor::CPPTYPE_UINT64:
        add ? to.AddUInt64(message, &field, random_()) : to.SetUInt64(message, &field, random_());
        break;
      case pb::FieldDescriptor::CPPTYPE_DOUBLE:
        add ? to.AddDouble(message, &field, Number()) : to.SetDouble(message, &field, Number());
        break;
      case pb::FieldDescriptor::CPPTYPE_FLOAT:
        add ? to.AddFloat(message, &field, static_cast<float>(Below(1000)))
            : to.SetFloat(message, &field, static_cast<float>(Below(1000)));
        break;
      case pb::FieldDescriptor::CPPTYPE_BOOL:
        add ? to.AddBool(message, &field, Chance(0.5)) : to.SetBool(message, &field, Chance(0.5));
        break;
      case pb::FieldDescriptor::CPPTYPE_ENUM:
        Enum(message, field);
        break;
      case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        if (depth >= limits_.max_depth) break;
        Message(add ? to.AddMessage(message, &field) : to.MutableMessage(message, &field),
                depth + 1);
        break;
    }
  }

  void Enum(pb::Message* message, const pb::FieldDescriptor& field) {
    const pb::Reflection& to = *message->GetReflection();
    const pb::FieldDescriptor* const raw = RawTextOf(field);
    if (raw != nullptr && Chance(0.2)) {
      to.SetEnumValue(message, &field, 0);
      to.SetString(message, raw, "not-a-known-value " + RandomText(&random_));
      return;
    }
    const int first = raw != nullptr ? 1 : 0;
    const int value =
        field.enum_type()->value(first + Below(field.enum_type()->value_count() - first))->number();
    field.is_repeated() ? to.AddEnumValue(message, &field, value)
                        : to.SetEnumValue(message, &field, value);
  }

  static const pb::FieldDescriptor* RawTextOf(const pb::FieldDescriptor& field) {
    const pb::Descriptor& type = *field.containing_type();
    for (int i = 0; i < type.field_count(); ++i) {
      if (type.field(i)->options().GetExtension(options::field).raw_text_of() == field.name()) {
        return type.field(i);
      }
    }
    return nullptr;
  }

  std::mt19937_64& random_;
  const RandomMessageOptions& limits_;
};

}  // namespace

void FillRandom(pb::Message* message, std::mt19937_64* random,
                const RandomMessageOptions& options) {
  message->Clear();
  Filler(random, options).Message(message, 0);
}

std::string RandomText(std::mt19937_64* random, int max_characters) {
  constexpr std::array<std::string_view, 14> kCharacters = {
      "a", "Z",  "7",    "-",    " ",        "\"",           "\\",
      "/", "\n", "\x01", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x92\xb3"};
  std::string text;
  for (int i = std::uniform_int_distribution<int>(0, max_characters)(*random); i > 0; --i) {
    text +=
        kCharacters[std::uniform_int_distribution<std::size_t>(0, kCharacters.size() - 1)(*random)];
  }
  return text;
}

}  // namespace tollbridge::testing
