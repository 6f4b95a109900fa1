#include "gateway/commands/call_methods.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "gateway/commands/terminal_text.h"
#include "gateway/commands/typed_name.h"
#include "gateway/config/published_services.h"
#include "services/domain/field_rule_texts.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::gateway {
namespace {

namespace pb = google::protobuf;

/// In the order in which the services are published.
std::vector<const pb::MethodDescriptor*> AllMethods() {
  std::vector<const pb::MethodDescriptor*> methods;
  for (const std::string_view name : kPublishedServices) {
    const pb::ServiceDescriptor* service =
        pb::DescriptorPool::generated_pool()->FindServiceByName(std::string(name));
    for (int i = 0; service != nullptr && i < service->method_count(); ++i) {
      methods.push_back(service->method(i));
    }
  }
  return methods;
}

std::string ShortName(const pb::MethodDescriptor& method) {
  return absl::StrCat(method.service()->name(), ".", method.name());
}

std::vector<std::string> ShortNames() {
  std::vector<std::string> names;
  for (const pb::MethodDescriptor* method : AllMethods()) names.push_back(ShortName(*method));
  return names;
}

/// `Service.Method` of whatever spelling.
std::string WithoutPackage(std::string name) {
  std::ranges::replace(name, '/', '.');
  const std::size_t method = name.rfind('.');
  if (method == std::string::npos || method == 0) return name;
  const std::size_t service = name.rfind('.', method - 1);
  return service == std::string::npos ? name : name.substr(service + 1);
}

std::string TypeOf(const pb::FieldDescriptor& field) {
  const std::string of = field.message_type() != nullptr ? field.message_type()->name()
                         : field.enum_type() != nullptr  ? field.enum_type()->name()
                                                         : field.type_name();
  if (field.is_map()) {
    const pb::Descriptor* entry = field.message_type();
    return absl::StrCat("map of ", entry->field(0)->type_name(), " to ", TypeOf(*entry->field(1)));
  }
  return field.is_repeated() ? "list of " + of : of;
}

/// What is demanded of the field, and which others it excludes.
std::string RulesOf(const pb::FieldDescriptor& field) {
  namespace text = domain::rule_text;
  const options::v1::FieldRules& rules = field.options().GetExtension(options::v1::rules);
  std::vector<std::string> parts;
  if (rules.required()) parts.emplace_back(text::kRequired);
  if (const auto format = text::OfFormat(rules.format()); !format.empty()) {
    parts.emplace_back(format);
  }
  if (rules.has_min()) parts.push_back(text::AtLeast(rules.min()));
  if (rules.has_max()) parts.push_back(text::AtMost(rules.max()));
  if (rules.allowed_size() > 0) parts.push_back(text::OneOf(rules));
  if (const pb::OneofDescriptor* choice = field.real_containing_oneof(); choice != nullptr) {
    parts.push_back(absl::StrCat("one of ", choice->name()));
  }
  return absl::StrJoin(parts, "; ");
}

/// The tables of a message and of all that it holds, each once.
class Description {
 public:
  void Add(const pb::Descriptor& message) {
    if (message.file()->package() == "google.protobuf") return;
    if (!seen_.insert(message.full_name()).second) return;
    std::vector<Row> rows;
    for (int i = 0; i < message.field_count(); ++i) {
      const pb::FieldDescriptor& field = *message.field(i);
      rows.push_back({"  " + field.name(), TypeOf(field), RulesOf(field)});
    }
    absl::StrAppend(&text_, "\n", message.name(), "\n",
                    rows.empty() ? "  no field\n" : Table(rows));
    for (int i = 0; i < message.field_count(); ++i) AddTypeOf(*message.field(i));
  }

  std::string Take() && { return std::move(text_); }

 private:
  void AddTypeOf(const pb::FieldDescriptor& field) {
    if (field.is_map()) return AddTypeOf(*field.message_type()->field(1));
    if (field.message_type() != nullptr) return Add(*field.message_type());
    if (field.enum_type() == nullptr || !seen_.insert(field.enum_type()->full_name()).second)
      return;
    absl::StrAppend(&text_, "\n", field.enum_type()->name(), "\n");
    // The first stands for none.
    for (int i = 1; i < field.enum_type()->value_count(); ++i) {
      absl::StrAppend(&text_, "  ", field.enum_type()->value(i)->name(), "\n");
    }
  }

  std::set<std::string> seen_;
  std::string text_;
};

}  // namespace

absl::StatusOr<const pb::MethodDescriptor*> FindMethod(const std::string& name) {
  std::string full_name = name;
  std::ranges::replace(full_name, '/', '.');
  for (const pb::MethodDescriptor* method : AllMethods()) {
    if (method->full_name() == full_name || ShortName(*method) == full_name) return method;
  }
  if (!LooksLikeAName(name)) {
    return absl::NotFoundError(
        "the method comes first, as Payments.GetOrder, and then the request; what stands in its "
        "place is no name, and is not shown here. 'tollbridge call --list' lists the methods");
  }
  const std::string meant = DidYouMean(WithoutPackage(name), ShortNames());
  return absl::NotFoundError(absl::StrCat(
      "there is no method", Quoted(name),
      meant.empty() ? "; 'tollbridge call --list' lists those that there are" : meant));
}

std::string MethodList() { return absl::StrJoin(ShortNames(), "\n") + "\n"; }

std::string MethodDescription(const pb::MethodDescriptor& method) {
  Description description;
  description.Add(*method.input_type());
  description.Add(*method.output_type());
  return absl::StrCat(method.service()->full_name(), "/", method.name(), "\ntakes ",
                      method.input_type()->name(), ", answers ",
                      method.server_streaming() ? "a stream of " : "", method.output_type()->name(),
                      "\n", std::move(description).Take());
}

}  // namespace tollbridge::gateway
