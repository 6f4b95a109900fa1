#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/wire_path.h"
#include "adapters/payment_service/wire_struct.h"
#include "adapters/payment_service/wire_table.h"
#include "adapters/payment_service/wire_text.h"
#include "adapters/payment_service/wire_time.h"
#include "base/core/status_macros.h"

namespace tollbridge::payment_service {
namespace {

namespace pb = google::protobuf;

// Where a value is taken from: a field of a message, or an element of a repeated one. One class
// for both, so that each kind of value is written in one place.
class Source {
 public:
  Source(const pb::Message& message, const pb::FieldDescriptor* field, int index = -1)
      : message_(message), reflection_(*message.GetReflection()), field_(field), index_(index) {}

  const std::string& Text(std::string* scratch) const {
    return index_ < 0 ? reflection_.GetStringReference(message_, field_, scratch)
                      : reflection_.GetRepeatedStringReference(message_, field_, index_, scratch);
  }
  pb::int64 Integer() const {
    return index_ < 0 ? reflection_.GetInt64(message_, field_)
                      : reflection_.GetRepeatedInt64(message_, field_, index_);
  }
  bool Flag() const {
    return index_ < 0 ? reflection_.GetBool(message_, field_)
                      : reflection_.GetRepeatedBool(message_, field_, index_);
  }
  const pb::Message& Message() const {
    return index_ < 0 ? reflection_.GetMessage(message_, field_)
                      : reflection_.GetRepeatedMessage(message_, field_, index_);
  }

 private:
  const pb::Message& message_;
  const pb::Reflection& reflection_;
  const pb::FieldDescriptor* field_;
  int index_;
};

class Encoder {
 public:
  explicit Encoder(std::string* out) : out_(*out) {}

  // `depth`: how many objects and arrays are open around the message.
  absl::Status Message(const pb::Message& message, const WireTable& table, int depth,
                       const WirePath& at) {
    if (depth >= kMaxJsonDepth) return Refuse(at, "nested too deep");
    if (table.bare_array) return List(message, table.fields.front(), depth, at);
    out_ += '{';
    bool first = true;
    for (const WireField& field : table.fields) {
      if (!IsWritten(message, field)) continue;
      if (!first) out_ += ',';
      first = false;
      AppendJsonString(field.name, &out_);
      out_ += ':';
      const WirePath here(at, field.name);
      TB_RETURN_IF_ERROR(Field(message, field, depth + 1, here));
    }
    out_ += '}';
    return absl::OkStatus();
  }

 private:
  static absl::Status Refuse(const WirePath& at, std::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(at.Text(), ": ", std::string(what)));
  }

  // The text of an enum field: of the value where we know it, else as it once came.
  static std::string_view EnumText(const pb::Message& message, const WireField& field,
                                   std::string* scratch) {
    const pb::Reflection& reflection = *message.GetReflection();
    const auto known = field.texts->text_of.find(reflection.GetEnumValue(message, field.field));
    if (known != field.texts->text_of.end()) return known->second;
    return reflection.GetStringReference(message, field.raw_text, scratch);
  }

  static bool IsWritten(const pb::Message& message, const WireField& field) {
    const pb::Reflection& reflection = *message.GetReflection();
    if (field.count != WireCount::kOne) return reflection.FieldSize(message, field.field) > 0;
    if (field.kind != WireKind::kEnum) return reflection.HasField(message, field.field);
    return reflection.HasField(message, field.raw_text) ||
           field.texts->text_of.contains(reflection.GetEnumValue(message, field.field));
  }

  absl::Status Field(const pb::Message& message, const WireField& field, int depth,
                     const WirePath& at) {
    switch (field.count) {
      case WireCount::kMany:
        return List(message, field, depth, at);
      case WireCount::kByKey:
        return Map(message, field, depth, at);
      case WireCount::kOne:
        break;
    }
    if (field.kind == WireKind::kEnum) {
      std::string scratch;
      AppendJsonString(EnumText(message, field, &scratch), &out_);
      return absl::OkStatus();
    }
    return Value(Source(message, field.field), field, depth, at);
  }

  absl::Status List(const pb::Message& message, const WireField& field, int depth,
                    const WirePath& at) {
    if (depth >= kMaxJsonDepth) return Refuse(at, "nested too deep");
    const int size = message.GetReflection()->FieldSize(message, field.field);
    out_ += '[';
    for (int i = 0; i < size; ++i) {
      if (i != 0) out_ += ',';
      const WirePath element(at, static_cast<std::size_t>(i));
      TB_RETURN_IF_ERROR(Value(Source(message, field.field, i), field, depth + 1, element));
    }
    out_ += ']';
    return absl::OkStatus();
  }

  absl::Status Map(const pb::Message& message, const WireField& field, int depth,
                   const WirePath& at) {
    if (depth >= kMaxJsonDepth) return Refuse(at, "nested too deep");
    const pb::Reflection& reflection = *message.GetReflection();
    const pb::FieldDescriptor* const key = field.field->message_type()->map_key();
    const pb::FieldDescriptor* const value = field.field->message_type()->map_value();
    std::vector<std::pair<std::string, const pb::Message*>> entries;
    for (int i = 0; i < reflection.FieldSize(message, field.field); ++i) {
      const pb::Message& entry = reflection.GetRepeatedMessage(message, field.field, i);
      entries.emplace_back(entry.GetReflection()->GetString(entry, key), &entry);
    }
    std::ranges::sort(entries);
    const WirePath any(at, kAnyKey);
    out_ += '{';
    bool first = true;
    for (const auto& [name, entry] : entries) {
      if (!first) out_ += ',';
      first = false;
      AppendJsonString(name, &out_);
      out_ += ':';
      TB_RETURN_IF_ERROR(Value(Source(*entry, value), field, depth + 1, any));
    }
    out_ += '}';
    return absl::OkStatus();
  }

  absl::Status Value(const Source& source, const WireField& field, int depth, const WirePath& at) {
    switch (field.kind) {
      case WireKind::kText: {
        std::string scratch;
        AppendJsonString(source.Text(&scratch), &out_);
        break;
      }
      case WireKind::kInteger:
        absl::StrAppend(&out_, source.Integer());
        break;
      case WireKind::kFlag:
        out_ += source.Flag() ? "true" : "false";
        break;
      case WireKind::kTimestamp: {
        const auto* const time = pb::DynamicCastToGenerated<pb::Timestamp>(&source.Message());
        const auto text = FormatWireTime(*time);
        if (!text) return Refuse(at, "not a time of the years 1 to 9999");
        AppendJsonString(*text, &out_);
        break;
      }
      case WireKind::kStruct: {
        const auto* const object = pb::DynamicCastToGenerated<pb::Struct>(&source.Message());
        return AppendStruct(*object, depth, at, &out_);
      }
      case WireKind::kMessage:
        return Message(source.Message(), *field.message, depth, at);
      case WireKind::kEnum:
        return absl::InternalError("an enum is written with its message");  // Not repeatable.
    }
    return absl::OkStatus();
  }

  std::string& out_;
};

}  // namespace

absl::StatusOr<std::string> ToWire(const pb::Message& message) {
  TB_ASSIGN_OR_RETURN(const WireTable* const table, WireTableOf(message.GetDescriptor()));
  std::string out;
  Encoder encoder(&out);
  TB_RETURN_IF_ERROR(encoder.Message(message, *table, 0, WirePath()));
  return out;
}

}  // namespace tollbridge::payment_service
