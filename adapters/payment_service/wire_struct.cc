#include "adapters/payment_service/wire_struct.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include <absl/strings/str_cat.h>
#include <google/protobuf/struct.pb.h>

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/wire_text.h"
#include "base/core/status_macros.h"

namespace tollbridge::payment_service {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

absl::Status AppendValue(const Value& value, int depth, const WirePath& at, std::string* out);

absl::Status AppendList(const ListValue& list, int depth, const WirePath& at, std::string* out) {
  if (depth >= kMaxJsonDepth) {
    return absl::InvalidArgumentError(absl::StrCat(at.Text(), ": nested too deep"));
  }
  *out += '[';
  for (int i = 0; i < list.values_size(); ++i) {
    if (i != 0) *out += ',';
    const WirePath element(at, static_cast<std::size_t>(i));
    TB_RETURN_IF_ERROR(AppendValue(list.values(i), depth + 1, element, out));
  }
  *out += ']';
  return absl::OkStatus();
}

absl::Status AppendValue(const Value& value, int depth, const WirePath& at, std::string* out) {
  switch (value.kind_case()) {
    case Value::kNumberValue:
      if (!AppendJsonNumber(value.number_value(), out)) {
        return absl::InvalidArgumentError(absl::StrCat(at.Text(), ": not a finite number"));
      }
      return absl::OkStatus();
    case Value::kStringValue:
      AppendJsonString(value.string_value(), out);
      return absl::OkStatus();
    case Value::kBoolValue:
      *out += value.bool_value() ? "true" : "false";
      return absl::OkStatus();
    case Value::kStructValue:
      return AppendStruct(value.struct_value(), depth, at, out);
    case Value::kListValue:
      return AppendList(value.list_value(), depth, at, out);
    case Value::kNullValue:
    case Value::KIND_NOT_SET:
      break;
  }
  *out += "null";
  return absl::OkStatus();
}

void ReadNumber(std::int64_t number, ProtoBytes* out) {
  if (number >= -kMaxExactInteger && number <= kMaxExactInteger) {
    out->Double(Value::kNumberValueFieldNumber, static_cast<double>(number));
  } else {
    out->Text(Value::kStringValueFieldNumber, absl::StrCat(number));
  }
}

void ReadValue(const JsonNode& json, ProtoBytes* out) {
  switch (json.kind) {
    case JsonNode::Kind::kNull:
      break;
    case JsonNode::Kind::kFlag:
      out->Number(Value::kBoolValueFieldNumber, json.flag ? 1 : 0);
      return;
    case JsonNode::Kind::kInteger:
      ReadNumber(json.integer, out);
      return;
    case JsonNode::Kind::kUnsigned:
      out->Text(Value::kStringValueFieldNumber, absl::StrCat(json.whole));
      return;
    case JsonNode::Kind::kDouble:
      if (!std::isfinite(json.number)) break;
      out->Double(Value::kNumberValueFieldNumber, json.number);
      return;
    case JsonNode::Kind::kText:
      out->Text(Value::kStringValueFieldNumber, json.Text());
      return;
    case JsonNode::Kind::kArray: {
      const std::size_t list = out->Begin(Value::kListValueFieldNumber);
      for (const JsonNode& element : JsonElements(json)) {
        const std::size_t value = out->Begin(ListValue::kValuesFieldNumber);
        ReadValue(element, out);
        out->End(value);
      }
      out->End(list);
      return;
    }
    case JsonNode::Kind::kObject: {
      const std::size_t object = out->Begin(Value::kStructValueFieldNumber);
      ReadStruct(json, std::nullopt, out);
      out->End(object);
      return;
    }
  }
  out->Number(Value::kNullValueFieldNumber, google::protobuf::NULL_VALUE);
}

}  // namespace

absl::Status AppendStruct(const Struct& object, int depth, const WirePath& at, std::string* out) {
  if (depth >= kMaxJsonDepth) {
    return absl::InvalidArgumentError(absl::StrCat(at.Text(), ": nested too deep"));
  }
  std::map<std::string_view, const Value*> sorted;
  for (const auto& [name, value] : object.fields()) sorted.emplace(name, &value);
  *out += '{';
  bool first = true;
  for (const auto& [name, value] : sorted) {
    if (!first) *out += ',';
    first = false;
    AppendJsonString(name, out);
    *out += ':';
    const WirePath field(at, name);
    TB_RETURN_IF_ERROR(AppendValue(*value, depth + 1, field, out));
  }
  *out += '}';
  return absl::OkStatus();
}

std::size_t ReadStruct(const JsonNode& object, std::optional<std::string_view> without,
                       ProtoBytes* out) {
  std::size_t left_out = 0;
  for (const auto& [name, value] : LastOfEachName(object)) {
    const std::size_t before = out->size();
    const std::size_t entry = out->Begin(Struct::kFieldsFieldNumber);
    out->Text(kMapKey, name);
    const std::size_t begun = out->Begin(kMapValue);
    ReadValue(*value, out);
    out->End(begun);
    out->End(entry);
    if (name != without) continue;
    left_out = out->size() - before;
    out->ShortenTo(before);
  }
  return left_out;
}

}  // namespace tollbridge::payment_service
