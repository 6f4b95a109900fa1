#include "services/domain/field_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/unknown_field_set.h>

#include "base/core/card_numbers.h"
#include "base/core/uuid.h"
#include "services/domain/field_rule_texts.h"
#include "services/domain/formats.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::domain {
namespace {

namespace pb = google::protobuf;
namespace options = tollbridge::options::v1;

bool Fulfils(options::Format format, std::string_view text) {
  switch (format) {
    case options::FORMAT_CURRENCY:
      return IsCurrencyCode(text);
    case options::FORMAT_UUID:
      return Uuid::Parse(text).has_value();
    case options::FORMAT_ISO8601_DURATION:
      return IsIso8601Duration(text);
    case options::FORMAT_URI:
      return IsHttpUri(text);
    case options::FORMAT_COUNTRY:
    case options::FORMAT_STATE:
      return IsTwoLetterCode(text);
    case options::FORMAT_IDEMPOTENCY_KEY:
      return IsIdempotencyKey(text);
    case options::FORMAT_CARD_EXPIRY:
      return IsCardExpiry(text);
    case options::FORMAT_CARD_NUMBER:
      return IsCardNumber(text);
    case options::FORMAT_CARD_SECURITY_CODE:
      return IsCardSecurityCode(text);
    case options::FORMAT_HOST_NAME:
      return IsHostName(text);
    default:
      return true;
  }
}

// A key is something the caller sent, so it is named only where it can be taken for a name.
std::string KeySegment(std::string_view key) {
  constexpr std::size_t kLongestName = 64;
  constexpr auto kMostDigits = 8;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool name = !key.empty() && key.size() <= kLongestName && letter(key.front()) &&
                    std::all_of(key.begin(), key.end(),
                                [&](char c) { return letter(c) || digit(c) || c == '-'; }) &&
                    std::count_if(key.begin(), key.end(), digit) <= kMostDigits;
  return name ? "." + std::string(key) : "[*]";
}

struct FieldCheck;

struct TypeChecks {
  std::vector<FieldCheck> fields;
};

struct FieldCheck {
  const pb::FieldDescriptor* field = nullptr;
  options::FieldRules rules;
  // Of the message type of the field, or of a map's values; null for scalars.
  const TypeChecks* type = nullptr;
  bool is_struct = false;
};

bool IsStruct(const pb::Descriptor* type) { return type == pb::Struct::descriptor(); }

}  // namespace

class FieldRulesChecker::Tables {
 public:
  explicit Tables(const std::vector<const pb::Descriptor*>& requests) {
    for (const pb::Descriptor* request : requests) Add(request);
  }

  const TypeChecks& Of(const pb::Descriptor* type) const { return *types_.at(type); }

 private:
  const TypeChecks* Add(const pb::Descriptor* type) {
    const auto [it, added] = types_.try_emplace(type);
    if (!added) return it->second.get();
    it->second = std::make_unique<TypeChecks>();
    TypeChecks& checks = *it->second;
    for (int i = 0; i < type->field_count(); ++i) {
      const pb::FieldDescriptor* field = type->field(i);
      FieldCheck check{.field = field, .rules = field->options().GetExtension(options::rules)};
      const pb::FieldDescriptor* value =
          field->is_map() ? field->message_type()->map_value() : field;
      if (value->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) {
        check.is_struct = IsStruct(value->message_type());
        if (!check.is_struct) check.type = Add(value->message_type());
      }
      checks.fields.push_back(std::move(check));
    }
    return &checks;
  }

  // A type may contain itself: it is entered before its fields are looked at.
  std::unordered_map<const pb::Descriptor*, std::unique_ptr<TypeChecks>> types_;
};

// One walk over one request. `path_` is where it stands.
class FieldRulesChecker::Walk {
 public:
  explicit Walk(const FieldLimits& limits) : limits_(limits) {}

  std::vector<FieldViolation> Take() { return std::move(found_); }

  void Message(const pb::Message& message, const TypeChecks& checks, int depth) {
    if (depth > limits_.max_depth) return TooDeep();
    Unknown(message);
    for (const FieldCheck& check : checks.fields) {
      if (full()) return;
      const Segment segment(path_, Dotted(check.field->name()));
      check.field->is_repeated() ? List(message, check, depth) : Single(message, check, depth);
    }
  }

 private:
  // A step down the path, undone at the end of the scope.
  class Segment {
   public:
    Segment(std::string& path, std::string_view text) : path_(path), length_(path.size()) {
      // A root field has no dot before it.
      if (path_.empty() && text.starts_with('.')) text.remove_prefix(1);
      path_ += text;
    }
    ~Segment() { path_.resize(length_); }
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

   private:
    std::string& path_;
    std::size_t length_;
  };

  static std::string Dotted(const std::string& name) { return "." + name; }
  static std::string Indexed(int index) { return "[" + std::to_string(index) + "]"; }

  bool full() const { return found_.size() >= limits_.max_violations; }

  void Violation(std::string_view rule) {
    if (!full()) found_.push_back({path_, std::string(rule)});
  }

  void TooDeep() { Violation(rule_text::Deepest(limits_.max_depth)); }

  void Unknown(const pb::Message& message) {
    const pb::UnknownFieldSet& unknown = message.GetReflection()->GetUnknownFields(message);
    for (int i = 0; i < unknown.field_count() && !full(); ++i) {
      const Segment segment(path_, Dotted("#" + std::to_string(unknown.field(i).number())));
      Violation(rule_text::NoFieldOf(message.GetDescriptor()->full_name()));
    }
  }

  void Single(const pb::Message& message, const FieldCheck& check, int depth) {
    const pb::FieldDescriptor* field = check.field;
    const pb::Reflection* reflection = message.GetReflection();
    if (field->has_presence() && !reflection->HasField(message, field)) {
      if (check.rules.required()) Violation(rule_text::kRequired);
      return;
    }
    if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) {
      return Nested(reflection->GetMessage(message, field), check, depth);
    }
    Scalar(message, check, -1);
  }

  void List(const pb::Message& message, const FieldCheck& check, int depth) {
    const pb::FieldDescriptor* field = check.field;
    const pb::Reflection* reflection = message.GetReflection();
    const int size = reflection->FieldSize(message, field);
    if (size == 0 && check.rules.required()) return Violation(rule_text::kNotEmpty);
    const std::size_t most = MostItemsOf(check.rules, limits_);
    if (static_cast<std::size_t>(size) > most) {
      // Looking at each element of a list that is refused would be work for whoever sent it.
      return Violation(rule_text::MostItems(most));
    }
    for (int i = 0; i < size && !full(); ++i) {
      if (field->is_map()) {
        MapEntry(reflection->GetRepeatedMessage(message, field, i), check, depth);
        continue;
      }
      const Segment segment(path_, Indexed(i));
      if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) {
        Nested(reflection->GetRepeatedMessage(message, field, i), check, depth);
      } else {
        Scalar(message, check, i);
      }
    }
  }

  void MapEntry(const pb::Message& entry, const FieldCheck& check, int depth) {
    const pb::Reflection* reflection = entry.GetReflection();
    const pb::FieldDescriptor* key = check.field->message_type()->map_key();
    const pb::FieldDescriptor* value = check.field->message_type()->map_value();
    std::string name;
    if (key->cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING) {
      name = reflection->GetString(entry, key);
    }
    const Segment segment(path_, KeySegment(name));
    if (name.size() > limits_.max_string_bytes) KeyTooLong();
    if (value->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) {
      return Nested(reflection->GetMessage(entry, value), check, depth);
    }
    if (value->cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING) {
      String(reflection->GetString(entry, value), check);
    }
  }

  void Nested(const pb::Message& message, const FieldCheck& check, int depth) {
    const std::size_t most = LargestMessageOf(check.rules, check.is_struct, limits_);
    if (most != 0 && message.ByteSizeLong() > most) {
      return Violation(rule_text::LargestMessage(most));
    }
    if (check.is_struct) {
      return Struct(static_cast<const pb::Struct&>(message), check, depth + 1);
    }
    Message(message, *check.type, depth + 1);
  }

  void Struct(const pb::Struct& message, const FieldCheck& check, int depth) {
    if (depth > limits_.max_depth) return TooDeep();
    Unknown(message);
    // In the order of the names: a map has none of its own, and equal requests get equal answers.
    std::vector<const pb::Map<std::string, pb::Value>::value_type*> entries;
    for (const auto& entry : message.fields()) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
    for (const auto* entry : entries) {
      if (full()) return;
      const Segment segment(path_, KeySegment(entry->first));
      if (entry->first.size() > limits_.max_string_bytes) KeyTooLong();
      FreeText(entry->first, check);
      Value(entry->second, check, depth);
    }
  }

  void Value(const pb::Value& value, const FieldCheck& check, int depth) {
    Unknown(value);
    switch (value.kind_case()) {
      case pb::Value::kStructValue:
        return Struct(value.struct_value(), check, depth + 1);
      case pb::Value::kListValue: {
        if (depth + 1 > limits_.max_depth) return TooDeep();
        Unknown(value.list_value());
        for (int i = 0; i < value.list_value().values_size() && !full(); ++i) {
          const Segment segment(path_, Indexed(i));
          Value(value.list_value().values(i), check, depth + 1);
        }
        return;
      }
      case pb::Value::kNumberValue:
        if (!std::isfinite(value.number_value())) return Violation(rule_text::kFinite);
        if (std::abs(value.number_value()) >= kFirstInexactInteger) {
          return Violation(rule_text::kExact);
        }
        return FreeNumber(value.number_value(), check);
      case pb::Value::kStringValue:
        return FreeText(value.string_value(), check);
      case pb::Value::KIND_NOT_SET:
        return Violation(rule_text::kHasValue);
      default:
        return;
    }
  }

  void FreeText(std::string_view text, const FieldCheck& check) {
    if (check.rules.free_text() && !limits_.take_card_numbers && HoldsCardNumber(text)) {
      Violation(rule_text::kNoCardNumber);
    }
  }

  /// `number` is below 2^53.
  void FreeNumber(double number, const FieldCheck& check) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.0f", std::trunc(std::abs(number)));
    FreeText(digits.data(), check);
  }

  void KeyTooLong() { Violation(rule_text::LongestKey(limits_.max_string_bytes)); }

  // `index` < 0: the field itself, else that element of it.
  void Scalar(const pb::Message& message, const FieldCheck& check, int index) {
    const pb::FieldDescriptor* field = check.field;
    const pb::Reflection* r = message.GetReflection();
    const bool one = index < 0;
    switch (field->cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_STRING: {
        std::string scratch;
        return String(one ? r->GetStringReference(message, field, &scratch)
                          : r->GetRepeatedStringReference(message, field, index, &scratch),
                      check);
      }
      case pb::FieldDescriptor::CPPTYPE_INT32:
        return Integer(
            one ? r->GetInt32(message, field) : r->GetRepeatedInt32(message, field, index), check);
      case pb::FieldDescriptor::CPPTYPE_INT64:
        return Integer(
            one ? r->GetInt64(message, field) : r->GetRepeatedInt64(message, field, index), check);
      case pb::FieldDescriptor::CPPTYPE_UINT32:
        return Integer(
            one ? r->GetUInt32(message, field) : r->GetRepeatedUInt32(message, field, index),
            check);
      case pb::FieldDescriptor::CPPTYPE_UINT64:
        return Integer(
            one ? r->GetUInt64(message, field) : r->GetRepeatedUInt64(message, field, index),
            check);
      case pb::FieldDescriptor::CPPTYPE_ENUM: {
        const int number =
            one ? r->GetEnumValue(message, field) : r->GetRepeatedEnumValue(message, field, index);
        if (field->enum_type()->FindValueByNumber(number) == nullptr) {
          Violation(rule_text::ValueOf(*field->enum_type()));
        }
        return;
      }
      default:
        return;
    }
  }

  template <typename Number>
  void Integer(Number number, const FieldCheck& check) {
    if (check.rules.has_min() && std::cmp_less(number, check.rules.min())) {
      Violation(rule_text::AtLeast(check.rules.min()));
    }
    if (check.rules.has_max() && std::cmp_greater(number, check.rules.max())) {
      Violation(rule_text::AtMost(check.rules.max()));
    }
  }

  void String(const std::string& text, const FieldCheck& check) {
    const options::FieldRules& rules = check.rules;
    if (rules.required() && text.empty()) return Violation(rule_text::kNotEmpty);
    const std::size_t most = LongestStringOf(rules, limits_);
    if (text.size() > most) {
      return Violation(rule_text::LongestString(most));
    }
    if (!Fulfils(rules.format(), text)) Violation(rule_text::OfFormat(rules.format()));
    if (!rules.allowed().empty() &&
        std::find(rules.allowed().begin(), rules.allowed().end(), text) == rules.allowed().end()) {
      Violation(rule_text::OneOf(rules));
    }
    FreeText(text, check);
  }

  const FieldLimits& limits_;
  std::string path_;
  std::vector<FieldViolation> found_;
};

FieldRulesChecker::FieldRulesChecker(const std::vector<const pb::Descriptor*>& requests,
                                     FieldLimits limits)
    : tables_(std::make_unique<const Tables>(requests)), limits_(limits) {}

FieldRulesChecker::~FieldRulesChecker() = default;

std::vector<FieldViolation> FieldRulesChecker::Check(const pb::Message& request) const {
  Walk walk(limits_);
  walk.Message(request, tables_->Of(request.GetDescriptor()), 1);
  return walk.Take();
}

}  // namespace tollbridge::domain
