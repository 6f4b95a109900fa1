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

void ReadNumber(std::int64_t number, Value* out) {
  if (number >= -kMaxExactInteger && number <= kMaxExactInteger) {
    out->set_number_value(static_cast<double>(number));
  } else {
    out->set_string_value(absl::StrCat(number));
  }
}

void ReadValue(const JsonNode& json, Value* out) {
  switch (json.kind) {
    case JsonNode::Kind::kNull:
      out->set_null_value(google::protobuf::NULL_VALUE);
      return;
    case JsonNode::Kind::kFlag:
      out->set_bool_value(json.flag);
      return;
    case JsonNode::Kind::kInteger:
      ReadNumber(json.integer, out);
      return;
    case JsonNode::Kind::kUnsigned:
      out->set_string_value(absl::StrCat(json.whole));
      return;
    case JsonNode::Kind::kDouble:
      if (std::isfinite(json.number)) {
        out->set_number_value(json.number);
      } else {
        out->set_null_value(google::protobuf::NULL_VALUE);
      }
      return;
    case JsonNode::Kind::kText:
      out->set_string_value(std::string(json.Text()));
      return;
    case JsonNode::Kind::kArray:
      for (ListValue& list = *out->mutable_list_value();
           const JsonNode& element : JsonElements(json)) {
        ReadValue(element, list.add_values());
      }
      return;
    case JsonNode::Kind::kObject:
      ReadStruct(json, out->mutable_struct_value());
      return;
  }
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

void ReadStruct(const JsonNode& object, Struct* out) {
  auto& fields = *out->mutable_fields();
  for (const auto& [name, value] : LastOfEachName(object)) {
    ReadValue(*value, &fields[std::string(name)]);
  }
}

}  // namespace tollbridge::payment_service
