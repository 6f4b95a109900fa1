#include "tests/unit/event_contract/asyncapi.h"

#include <google/protobuf/descriptor.pb.h>

#include <boost/json/array.hpp>
#include <set>
#include <stdexcept>

#include "adapters/kafka/settings.h"
#include "services/domain/deterministic.h"
#include "services/domain/event_id.h"
#include "services/domain/event_payload.h"
#include "services/domain/statuses.h"
#include "services/domain/wire_names.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::contract {
namespace {

using boost::json::array;
using boost::json::object;
using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

constexpr std::string_view kOurs = "tollbridge.";

/// The comment of a thing, on one line.
template <typename Element>
std::string CommentOf(const Element& element) {
  google::protobuf::SourceLocation location;
  std::string text;
  if (!element.GetSourceLocation(&location)) return text;
  for (const char c : location.leading_comments) {
    const bool space = c == ' ' || c == '\n';
    if (!space) text.push_back(c);
    if (space && !text.empty() && text.back() != ' ') text.push_back(' ');
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

object Reference(const std::string& path) { return {{"$ref", "#/" + path}}; }

/// Without the package's first part, which is the same for all.
std::string SchemaName(const Descriptor& type) { return type.name(); }

/// Schemas of messages as protobuf's own mapping to JSON has them, each once.
class Schemas {
 public:
  explicit Schemas(const DescriptorPool& commented) : commented_(commented) {}

  void Add(const Descriptor& compiled) {
    const std::string name = SchemaName(compiled);
    const auto [known, is_new] = names_.insert(name);
    if (!is_new) return;
    const Descriptor& type = *commented_.FindMessageTypeByName(compiled.full_name());
    object properties;
    object& schema = schemas_[name].emplace_object();
    schema["type"] = "object";
    schema["description"] = CommentOf(type);
    schema["x-protobuf-message"] = type.full_name();
    for (int i = 0; i < compiled.field_count(); ++i) {
      const FieldDescriptor& field = *compiled.field(i);
      const auto& policy = field.options().GetExtension(options::v1::field);
      if (policy.sensitivity() == options::v1::SENSITIVITY_CARD_DATA ||
          policy.sensitivity() == options::v1::SENSITIVITY_CREDENTIAL) {
        continue;  // Never published.
      }
      object property = PropertyOf(field);
      std::string text = CommentOf(*type.FindFieldByNumber(field.number()));
      if (policy.sensitivity() == options::v1::SENSITIVITY_CUSTOMER_DATA) {
        text += " Only with events.customer_data: full.";
      }
      property["description"] = std::move(text);
      properties[field.json_name()] = std::move(property);
    }
    schemas_[name].as_object()["properties"] = std::move(properties);
  }

  object Take() && { return std::move(schemas_); }
  object& all() { return schemas_; }

 private:
  object PropertyOf(const FieldDescriptor& field) {
    if (field.is_map()) {
      return {{"type", "object"},
              {"additionalProperties", TypeOf(*field.message_type()->map_value())}};
    }
    object type = TypeOf(field);
    if (!field.is_repeated()) return type;
    return {{"type", "array"}, {"items", std::move(type)}};
  }

  object TypeOf(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return {{"type", "boolean"}};
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_UINT32:
        return {{"type", "integer"}};
      case FieldDescriptor::CPPTYPE_INT64:
        return {{"type", "string"}, {"pattern", "^-?[0-9]+$"}};
      case FieldDescriptor::CPPTYPE_UINT64:
        return {{"type", "string"}, {"pattern", "^[0-9]+$"}};
      case FieldDescriptor::CPPTYPE_STRING:
        return {{"type", "string"}};
      case FieldDescriptor::CPPTYPE_ENUM:
        return {{"type", "string"}, {"enum", ValuesOf(*field.enum_type())}};
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return MessageOf(*field.message_type());
      default:
        throw std::logic_error("no schema for " + field.full_name());
    }
  }

  static array ValuesOf(const EnumDescriptor& type) {
    array values;
    for (int i = 0; i < type.value_count(); ++i) {
      if (type.value(i)->number() != 0) values.emplace_back(type.value(i)->name());
    }
    return values;
  }

  object MessageOf(const Descriptor& type) {
    if (type.full_name() == "google.protobuf.Timestamp") {
      return {{"type", "string"}, {"format", "date-time"}};
    }
    if (type.full_name() == "google.protobuf.Duration") {
      return {{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]+)?s$"}};
    }
    if (!type.full_name().starts_with(kOurs)) return {{"type", "object"}};
    Add(type);
    return {{"allOf", array({Reference("components/schemas/" + SchemaName(type))})}};
  }

  const DescriptorPool& commented_;
  std::set<std::string> names_;
  object schemas_;
};

object HeadersSchema(const HeaderTexts& headers) {
  object properties;
  array required;
  for (const auto& [name, text] : headers) {
    properties[name] = object({{"type", "string"}, {"description", text}});
    const bool may_be_absent =
        name.ends_with("traceparent") || name == "tracestate" || name == "ce_publishedbefore";
    if (!may_be_absent) required.emplace_back(name);
  }
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

object Channel(const std::string& address, const std::string& key, const std::string& description,
               object messages) {
  return {
      {"address", address},
      {"description", description},
      {"messages", std::move(messages)},
      {"bindings", object({{"kafka", object({{"topic", address}, {"bindingVersion", "0.5.0"}})}})},
      {"x-key", key}};
}

object KeyBinding(const std::string& description) {
  return {{"kafka", object({{"key", object({{"type", "string"}, {"description", description}})},
                            {"bindingVersion", "0.5.0"}})}};
}

/// Messages of each kind and what, and references to them for the channel.
void AddEventMessages(const DescriptorPool& commented, object& messages, object& references) {
  const EnumDescriptor& kinds = *commented.FindEnumTypeByName("tollbridge.events.v1.EventKind");
  const EnumDescriptor& whats = *commented.FindEnumTypeByName("tollbridge.events.v1.EventWhat");
  for (int k = 1; k < kinds.value_count(); ++k) {
    for (int w = 1; w < whats.value_count(); ++w) {
      const auto kind = static_cast<events::v1::EventKind>(kinds.value(k)->number());
      const auto what = static_cast<events::v1::EventWhat>(whats.value(w)->number());
      const std::string type = domain::EventType(kind, what);
      const std::string name =
          std::string(domain::WireName(kind)) + "." + std::string(domain::WireName(what));
      const char* const outcome = domain::IsOutcome(what) ? "true" : "false";
      messages[name] = object(
          {{"name", type},
           {"title", name},
           {"summary", CommentOf(*kinds.value(k)) + " " + CommentOf(*whats.value(w))},
           {"contentType", "application/protobuf"},
           {"headers",
            object(
                {{"allOf",
                  array({Reference("components/schemas/EventHeaders"),
                         object({{"type", "object"},
                                 {"properties",
                                  object({{"ce_type", object({{"const", type}})},
                                          {"ce_isoutcome", object({{"const", outcome}})}})}})})}})},
           {"payload", Reference("components/schemas/PaymentEvent")},
           {"bindings", KeyBinding("root_order_id")}});
      references[name] = Reference("components/messages/" + name);
    }
  }
}

/// Of the heartbeats among the events: without a key.
object HeartbeatMessage(const DescriptorPool& commented) {
  const Descriptor& type = *commented.FindMessageTypeByName("tollbridge.events.v1.Heartbeat");
  return {
      {"name", domain::kHeartbeatType},
      {"title", "heartbeat"},
      {"summary", CommentOf(type)},
      {"contentType", "application/protobuf"},
      {"headers",
       object({{"allOf",
                array({Reference("components/schemas/HeartbeatHeaders"),
                       object({{"type", "object"},
                               {"properties",
                                object({{"ce_type",
                                         object({{"const", domain::kHeartbeatType}})}})}})})}})},
      {"payload", Reference("components/schemas/Heartbeat")}};
}

object OperationMessage() {
  return {{"name", "tollbridge.operations.v1.OperationRecord"},
          {"title", "operation record"},
          {"contentType", "application/protobuf"},
          {"headers",
           object({{"type", "object"},
                   {"properties",
                    object({{"content-type", object({{"const", "application/protobuf"}})}})}})},
          {"payload", Reference("components/schemas/OperationRecord")},
          {"bindings", KeyBinding("operation_id, or the id of the privileged action")}};
}

object SendOperation(const std::string& channel, const std::string& summary) {
  return {{"action", "send"}, {"channel", Reference("channels/" + channel)}, {"summary", summary}};
}

void AddFile(const FileDescriptor& file, std::set<std::string>& added,
             google::protobuf::FileDescriptorSet& set) {
  if (!added.insert(file.name()).second) return;
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), added, set);
  google::protobuf::FileDescriptorProto& proto = *set.add_file();
  file.CopyTo(&proto);
  file.CopyJsonNameTo(&proto);
}

}  // namespace

const HeaderTexts& EventHeaders() {
  static const HeaderTexts kHeaders = {
      {"content-type",
       "application/protobuf, application/json or application/vnd.confluent.protobuf: how the "
       "value "
       "is written"},
      {"ce_specversion", "1.0"},
      {"ce_id", "The field id"},
      {"ce_type", "The field type"},
      {"ce_source", "/tollbridge/ and the project"},
      {"ce_subject", "The field order_id"},
      {"ce_time", "The field occurred_at, RFC 3339"},
      {"ce_dataschema", "The name of the value's message"},
      {"ce_sequence", "The field sequence, as 20 digits"},
      {"ce_partitionkey", "The record's key"},
      {"ce_stream", "The field stream"},
      {"ce_root", "The field root_order_id"},
      {"ce_isoutcome", "true or false: the field is_outcome"},
      {"traceparent", "W3C trace context of the event"},
      {"tracestate", "W3C trace state beside it, where there is one"},
      {"origin_traceparent", "W3C trace context of the call that created the order"},
      {"test", "true or false: the field test"}};
  return kHeaders;
}

const HeaderTexts& HeartbeatHeaders() {
  static const HeaderTexts kHeaders = {
      {"content-type",
       "application/protobuf, application/json or application/vnd.confluent.protobuf: how the "
       "value is written"},
      {"ce_specversion", "1.0"},
      {"ce_id", "A UUID of its own"},
      {"ce_type", "tollbridge.heartbeat.v1"},
      {"ce_source", "/tollbridge"},
      {"ce_time", "The field made_at, RFC 3339"},
      {"ce_dataschema", "The name of the value's message"},
      {"ce_publishedbefore", "The field published_before, RFC 3339"}};
  return kHeaders;
}

object AsyncApi(const DescriptorPool& commented) {
  Schemas schemas(commented);
  schemas.Add(*events::v1::PaymentEvent::descriptor());
  schemas.Add(*operations::v1::OperationRecord::descriptor());
  schemas.Add(*events::v1::Heartbeat::descriptor());
  schemas.all()["EventHeaders"] = HeadersSchema(EventHeaders());
  schemas.all()["HeartbeatHeaders"] = HeadersSchema(HeartbeatHeaders());
  object messages;
  object of_events;
  AddEventMessages(commented, messages, of_events);
  messages["heartbeat"] = HeartbeatMessage(commented);
  of_events["heartbeat"] = Reference("components/messages/heartbeat");
  messages["operation"] = OperationMessage();

  const kafka::Settings topics;
  object channels;
  channels["events"] = Channel(
      topics.events_topic, "root_order_id",
      "Domain events: docs/guides/consumers.md is the contract. kafka.test_events_topic, and "
      "events_topic and test_events_topic of a project, name others in its place.",
      std::move(of_events));
  channels["operations"] =
      Channel(topics.operations_topic, "operation_id",
              "What became of mutations, and privileged actions, for audit.",
              object({{"operation", Reference("components/messages/operation")}}));
  return {
      {"asyncapi", "3.0.0"},
      {"info",
       object({{"title", "Tollbridge"},
               {"version", "v1"},
               {"description",
                "Made from the .proto files by ./dev contract; not edited by hand. The values are "
                "described as JSON has them; with protobuf they are the messages of "
                "docs/contract/tollbridge.binpb that x-protobuf-message names."}})},
      {"defaultContentType", "application/protobuf"},
      {"channels", std::move(channels)},
      {"operations",
       object({{"publishEvents", SendOperation("events", "Tells what happened to orders.")},
               {"publishOperations",
                SendOperation("operations", "Tells what became of mutations.")}})},
      {"components",
       object({{"messages", std::move(messages)}, {"schemas", std::move(schemas).Take()}})}};
}

std::string DescriptorSet() {
  google::protobuf::FileDescriptorSet set;
  std::set<std::string> added;
  for (const Descriptor* type :
       {events::v1::PaymentEvent::descriptor(), operations::v1::OperationRecord::descriptor()}) {
    AddFile(*type->file(), added, set);
  }
  return domain::SerializeDeterministically(set);
}

}  // namespace tollbridge::contract
