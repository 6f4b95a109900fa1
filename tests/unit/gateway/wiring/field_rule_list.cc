#include "tests/unit/gateway/wiring/field_rule_list.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/struct.pb.h>

#include "services/domain/field_rule_texts.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::gateway {
namespace {

namespace pb = google::protobuf;
using options::v1::FieldRules;

// One pass over one request type, in step with FieldRulesChecker's over a request.
class Listing {
 public:
  explicit Listing(const domain::FieldLimits& limits) : limits_(limits) {}

  std::vector<ListedField> Take() { return std::move(listed_); }

  void Message(const pb::Descriptor& type, const std::string& path) {
    if (std::find(above_.begin(), above_.end(), &type) != above_.end()) return;
    above_.push_back(&type);
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      const std::string name = path.empty() ? field.name() : path + "." + field.name();
      field.is_repeated() ? List(field, name) : Single(field, name);
    }
    above_.pop_back();
  }

 private:
  void List(const pb::FieldDescriptor& field, const std::string& path) {
    const FieldRules& rules = field.options().GetExtension(options::v1::rules);
    std::vector<std::string> words;
    if (rules.required()) words.emplace_back(domain::rule_text::kNotEmpty);
    words.push_back(domain::rule_text::MostItems(domain::MostItemsOf(rules, limits_)));
    if (!field.is_map()) {
      listed_.push_back({path, std::move(words)});
      return Value(field, rules, path + "[]", {});
    }
    words.push_back(domain::rule_text::LongestKey(limits_.max_string_bytes));
    listed_.push_back({path, std::move(words)});
    const pb::FieldDescriptor& value = *field.message_type()->map_value();
    const bool checked = value.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE ||
                         value.cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING;
    if (checked) Value(value, rules, path + ".*", {});
  }

  void Single(const pb::FieldDescriptor& field, const std::string& path) {
    const FieldRules& rules = field.options().GetExtension(options::v1::rules);
    std::vector<std::string> words;
    if (rules.required() && field.has_presence()) words.emplace_back(domain::rule_text::kRequired);
    Value(field, rules, path, std::move(words));
  }

  // A field that has one value, or one element of a list or map.
  void Value(const pb::FieldDescriptor& field, const FieldRules& rules, const std::string& path,
             std::vector<std::string> words) {
    if (field.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) {
      return Nested(*field.message_type(), rules, path, std::move(words));
    }
    for (std::string& rule : Scalar(field, rules)) words.push_back(std::move(rule));
    listed_.push_back({path, std::move(words)});
  }

  void Nested(const pb::Descriptor& type, const FieldRules& rules, const std::string& path,
              std::vector<std::string> words) {
    const bool is_struct = &type == pb::Struct::descriptor();
    if (const std::size_t most = domain::LargestMessageOf(rules, is_struct, limits_); most != 0) {
      words.push_back(domain::rule_text::LargestMessage(most));
    }
    // The fields of a message without rules of its own speak for it.
    if (!words.empty()) listed_.push_back({path, std::move(words)});
    if (!is_struct) return Message(type, path);
    listed_.push_back(
        {path + ".*",
         {domain::rule_text::LongestKey(limits_.max_string_bytes),
          std::string(domain::rule_text::kHasValue), std::string(domain::rule_text::kFinite),
          std::string(domain::rule_text::kExact)}});
    if (rules.free_text()) {
      listed_.back().rules.emplace_back(domain::rule_text::kNoCardNumber);
    }
  }

  std::vector<std::string> Scalar(const pb::FieldDescriptor& field, const FieldRules& rules) const {
    switch (field.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_STRING:
        return String(rules);
      case pb::FieldDescriptor::CPPTYPE_INT32:
      case pb::FieldDescriptor::CPPTYPE_INT64:
      case pb::FieldDescriptor::CPPTYPE_UINT32:
      case pb::FieldDescriptor::CPPTYPE_UINT64: {
        std::vector<std::string> words;
        if (rules.has_min()) words.push_back(domain::rule_text::AtLeast(rules.min()));
        if (rules.has_max()) words.push_back(domain::rule_text::AtMost(rules.max()));
        return words;
      }
      case pb::FieldDescriptor::CPPTYPE_ENUM:
        return {domain::rule_text::ValueOf(*field.enum_type())};
      default:
        return {};
    }
  }

  std::vector<std::string> String(const FieldRules& rules) const {
    std::vector<std::string> words;
    if (rules.required()) words.emplace_back(domain::rule_text::kNotEmpty);
    words.push_back(domain::rule_text::LongestString(domain::LongestStringOf(rules, limits_)));
    if (const std::string_view format = domain::rule_text::OfFormat(rules.format());
        !format.empty()) {
      words.emplace_back(format);
    }
    if (!rules.allowed().empty()) words.push_back(domain::rule_text::OneOf(rules));
    if (rules.free_text()) words.emplace_back(domain::rule_text::kNoCardNumber);
    return words;
  }

  const domain::FieldLimits& limits_;
  std::vector<const pb::Descriptor*> above_;
  std::vector<ListedField> listed_;
};

}  // namespace

std::vector<ListedField> ListFieldRules(const pb::Descriptor& request,
                                        const domain::FieldLimits& limits) {
  Listing listing(limits);
  listing.Message(request, "");
  return listing.Take();
}

}  // namespace tollbridge::gateway
