#include "tests/unit/coverage/published.h"

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/options/v1/options.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/search/v1/search.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::coverage {
namespace {

constexpr std::string_view kOurs = "tollbridge.";

/// Naming a message of each links its file in.
std::vector<const google::protobuf::ServiceDescriptor*> Services() {
  std::vector<const google::protobuf::ServiceDescriptor*> services;
  for (const Descriptor* type :
       {payments::v1::GetOrderRequest::descriptor(), vault::v1::StoreCardRequest::descriptor(),
        payouts::v1::GetPayoutRequest::descriptor(),
        search::v1::SearchOrdersRequest::descriptor()}) {
    services.push_back(type->file()->service(0));
  }
  // Only for its fields.
  if (events::v1::PaymentEvent::descriptor() == nullptr) throw std::logic_error("no events");
  return services;
}

/// The message below the field, of a map that of its values; nullptr for a scalar.
const Descriptor* Below(const FieldDescriptor& field) {
  return field.is_map() ? field.message_type()->map_value()->message_type() : field.message_type();
}

std::string WireName(const FieldDescriptor& field) {
  const auto& policy = field.options().GetExtension(options::v1::field);
  return policy.wire_name().empty() ? field.name() : policy.wire_name();
}

const FieldDescriptor* FindByWireName(const Descriptor& type, const std::string& name) {
  for (int i = 0; i < type.field_count(); ++i) {
    if (WireName(*type.field(i)) == name) return type.field(i);
  }
  return nullptr;
}

void AddFields(const Descriptor& type, std::set<const FieldDescriptor*>& fields) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (!fields.insert(field).second) continue;
    const Descriptor* below = Below(*field);
    if (below != nullptr && below->full_name().starts_with(kOurs)) AddFields(*below, fields);
  }
}

}  // namespace

std::vector<const MethodDescriptor*> PublishedMethods() {
  std::vector<const MethodDescriptor*> methods;
  for (const auto* service : Services()) {
    for (int i = 0; i < service->method_count(); ++i) methods.push_back(service->method(i));
  }
  return methods;
}

std::set<const FieldDescriptor*> PublishedFields() {
  std::set<const FieldDescriptor*> fields;
  for (const MethodDescriptor* method : PublishedMethods()) {
    AddFields(*method->input_type(), fields);
    AddFields(*method->output_type(), fields);
  }
  return fields;
}

const MethodDescriptor* FindMethod(const std::string& rpc) {
  for (const MethodDescriptor* method : PublishedMethods()) {
    if (NameOf(*method) == rpc) return method;
  }
  return nullptr;
}

std::string NameOf(const MethodDescriptor& method) {
  return method.service()->name() + "/" + method.name();
}

Path FindPath(const Descriptor& type, const std::string& path, const std::string& name) {
  Path found;
  const Descriptor* at = &type;
  std::stringstream steps(path);
  for (std::string step; std::getline(steps, step, '.');) {
    if (at == nullptr) return {};
    const FieldDescriptor* field =
        step == "{}" ? FindByWireName(*at, name) : at->FindFieldByName(step);
    if (field == nullptr) return {};
    found.fields.push_back(field);
    found.text += (found.text.empty() ? "" : ".") + field->name();
    at = Below(*field);
  }
  return found;
}

Path FindMessageField(const std::string& full_name, const std::string& name) {
  const std::size_t dot = full_name.rfind('.');
  if (dot == std::string::npos) return {};
  const std::string message = full_name.substr(0, dot);
  const Descriptor* type =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(std::string(kOurs) +
                                                                                message);
  if (type == nullptr) return {};
  Path found = FindPath(*type, full_name.substr(dot + 1), name);
  if (!found.text.empty()) found.text = message + "." + found.text;
  return found;
}

std::vector<std::string> RpcsThatAnswer(const std::string& message) {
  std::vector<std::string> rpcs;
  for (const MethodDescriptor* method : PublishedMethods()) {
    const Descriptor& response = *method->output_type();
    for (int i = 0; i < response.field_count(); ++i) {
      const Descriptor* below = Below(*response.field(i));
      if (below == nullptr || below->full_name() != message) continue;
      rpcs.push_back(NameOf(*method) + " `" + response.field(i)->name() + "`");
    }
  }
  return rpcs;
}

}  // namespace tollbridge::coverage
