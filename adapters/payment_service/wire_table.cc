#include "adapters/payment_service/wire_table.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "base/core/status_macros.h"

namespace tollbridge::payment_service {
namespace {

namespace pb = google::protobuf;
namespace options = tollbridge::options::v1;

using Tables = std::unordered_map<const pb::Descriptor*, std::unique_ptr<WireTable>>;
using Enums = std::unordered_map<const pb::EnumDescriptor*, std::unique_ptr<WireEnum>>;

absl::Status Mistake(const std::string& element, std::string_view what) {
  return absl::InternalError(absl::StrCat(element, ": ", std::string(what)));
}

// Builds the tables that are missing apart from the shared ones, so that nobody sees a half-built
// table and a mistake leaves nothing behind.
class Builder {
 public:
  Builder(const Tables& known_tables, const Enums& known_enums)
      : known_tables_(known_tables), known_enums_(known_enums) {}

  absl::StatusOr<const WireTable*> Table(const pb::Descriptor* type) {
    if (const auto it = known_tables_.find(type); it != known_tables_.end()) {
      return it->second.get();
    }
    auto [it, is_new] = tables.try_emplace(type, nullptr);
    if (!is_new) {
      return it->second.get();  // A type that contains itself: its address is all that is needed.
    }
    it->second = std::make_unique<WireTable>();
    WireTable* const table = it->second.get();
    TB_RETURN_IF_ERROR(Fill(type, table));
    return table;
  }

  Tables tables;
  Enums enums;

 private:
  absl::Status Fill(const pb::Descriptor* type, WireTable* table) {
    if (type->file()->pool() != pb::DescriptorPool::generated_pool()) {
      return Mistake(type->full_name(), "is not a compiled-in type");
    }
    if (!type->options().GetExtension(options::wire)) {
      return Mistake(type->full_name(), "is not declared as wire");
    }
    table->type = type;
    table->bare_array = type->options().GetExtension(options::wire_array);
    for (int i = 0; i < type->field_count(); ++i) {
      const pb::FieldDescriptor* const field = type->field(i);
      const options::FieldPolicy& policy = field->options().GetExtension(options::field);
      if (policy.local() || !policy.raw_text_of().empty()) {
        continue;
      }
      WireField entry;
      entry.name = policy.wire_name().empty() ? field->name() : policy.wire_name();
      entry.field = field;
      entry.number = field->number();
      entry.sensitivity = policy.sensitivity();
      TB_RETURN_IF_ERROR(Describe(field, &entry));
      table->fields.push_back(std::move(entry));
    }
    for (const WireField& entry : table->fields) {
      if (!table->by_name.emplace(entry.name, &entry).second) {
        return Mistake(entry.field->full_name(), "has the wire name of another field");
      }
    }
    if (table->bare_array &&
        (table->fields.size() != 1 || table->fields.front().count != WireCount::kMany)) {
      return Mistake(type->full_name(), "is a wire_array without exactly one repeated field");
    }
    return absl::OkStatus();
  }

  absl::Status Describe(const pb::FieldDescriptor* field, WireField* entry) {
    const pb::FieldDescriptor* value = field;
    if (field->is_map()) {
      if (field->message_type()->map_key()->cpp_type() != pb::FieldDescriptor::CPPTYPE_STRING) {
        return Mistake(field->full_name(), "has map keys that are not strings");
      }
      entry->count = WireCount::kByKey;
      value = field->message_type()->map_value();
    } else if (field->is_repeated()) {
      entry->count = WireCount::kMany;
    } else if (!field->has_presence()) {
      return Mistake(field->full_name(), "is not optional, so that 0 and absent are the same");
    }
    switch (value->cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_STRING:
        if (value->type() != pb::FieldDescriptor::TYPE_STRING) break;
        entry->kind = WireKind::kText;
        return absl::OkStatus();
      case pb::FieldDescriptor::CPPTYPE_INT64:
        entry->kind = WireKind::kInteger;
        return absl::OkStatus();
      case pb::FieldDescriptor::CPPTYPE_BOOL:
        entry->kind = WireKind::kFlag;
        return absl::OkStatus();
      case pb::FieldDescriptor::CPPTYPE_ENUM:
        return DescribeEnum(value, entry);
      case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        return DescribeMessage(value->message_type(), entry);
      default:
        break;
    }
    return Mistake(field->full_name(), "has a type that the codec does not carry");
  }

  absl::Status DescribeMessage(const pb::Descriptor* type, WireField* entry) {
    if (type == pb::Timestamp::descriptor()) {
      entry->kind = WireKind::kTimestamp;
      return absl::OkStatus();
    }
    if (type == pb::Struct::descriptor()) {
      entry->kind = WireKind::kStruct;
      return absl::OkStatus();
    }
    entry->kind = WireKind::kMessage;
    TB_ASSIGN_OR_RETURN(entry->message, Table(type));
    return absl::OkStatus();
  }

  absl::Status DescribeEnum(const pb::FieldDescriptor* field, WireField* entry) {
    entry->kind = WireKind::kEnum;
    if (entry->count != WireCount::kOne) {
      return Mistake(field->full_name(), "repeats an enum, which leaves unknown values no place");
    }
    const pb::Descriptor* const type = field->containing_type();
    for (int i = 0; i < type->field_count(); ++i) {
      const pb::FieldDescriptor* const beside = type->field(i);
      if (beside->options().GetExtension(options::field).raw_text_of() == field->name() &&
          beside->type() == pb::FieldDescriptor::TYPE_STRING && beside->has_presence() &&
          !beside->is_repeated()) {
        entry->raw_text = beside;
      }
    }
    if (entry->raw_text == nullptr) {
      return Mistake(field->full_name(), "is an enum without an optional string beside it");
    }
    TB_ASSIGN_OR_RETURN(entry->texts, Texts(field->enum_type()));
    return absl::OkStatus();
  }

  absl::StatusOr<const WireEnum*> Texts(const pb::EnumDescriptor* type) {
    if (const auto it = known_enums_.find(type); it != known_enums_.end()) {
      return it->second.get();
    }
    if (const auto it = enums.find(type); it != enums.end()) {
      return it->second.get();
    }
    auto texts = std::make_unique<WireEnum>();
    for (int i = 0; i < type->value_count(); ++i) {
      const pb::EnumValueDescriptor* const value = type->value(i);
      const auto& value_options = value->options();
      if (value_options.HasExtension(options::wire_value) == (value->number() == 0)) {
        return Mistake(value->full_name(), "needs a wire_value, or is zero and has one");
      }
      if (value->number() == 0) continue;
      const std::string_view text = value_options.GetExtension(options::wire_value);
      if (!texts->number_of.emplace(text, value->number()).second) {
        return Mistake(value->full_name(), "has the wire_value of another value");
      }
      texts->text_of.emplace(value->number(), text);
    }
    return (enums[type] = std::move(texts)).get();
  }

  const Tables& known_tables_;
  const Enums& known_enums_;
};

// Lives as long as the process: tables are handed out without counting who holds them.
struct Registry {
  std::shared_mutex mutex;
  Tables tables;
  Enums enums;
};

Registry& TheRegistry() {
  static Registry& registry = *new Registry;
  return registry;
}

}  // namespace

absl::StatusOr<const WireTable*> WireTableOf(const pb::Descriptor* type) {
  Registry& registry = TheRegistry();
  {
    const std::shared_lock lock(registry.mutex);
    if (const auto it = registry.tables.find(type); it != registry.tables.end()) {
      return it->second.get();
    }
  }
  const std::unique_lock lock(registry.mutex);
  Builder builder(registry.tables, registry.enums);
  TB_ASSIGN_OR_RETURN(const WireTable* const table, builder.Table(type));
  registry.tables.merge(builder.tables);
  registry.enums.merge(builder.enums);
  return table;
}

}  // namespace tollbridge::payment_service
