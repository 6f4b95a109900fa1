#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

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
namespace json = boost::json;

// First block of memory for the parsed body: enough for a typical order, so that reading one
// allocates little else than the message.
constexpr std::size_t kFirstBlockBytes = 16 * 1024;

// ---- Single values, as generously as docs/interface.md#open-points says. nullopt: impossible for
// the type.

std::optional<std::string> TextOf(const json::value& value) {
  switch (value.kind()) {
    case json::kind::string:
      return std::string(value.get_string());
    case json::kind::int64:
      return absl::StrCat(value.get_int64());
    case json::kind::uint64:
      return absl::StrCat(value.get_uint64());
    case json::kind::double_: {
      std::string text;
      if (AppendJsonNumber(value.get_double(), &text)) return text;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> IntegerOf(const json::value& value) {
  switch (value.kind()) {
    case json::kind::int64:
      return value.get_int64();
    case json::kind::double_:
      return WholeNumber(value.get_double());
    case json::kind::string:
      return ParseInteger(value.get_string());
    default:  // uint64 is only what does not fit into int64.
      return std::nullopt;
  }
}

std::optional<bool> FlagOf(const json::value& value) {
  if (value.is_bool()) return value.get_bool();
  std::optional<std::string> text = TextOf(value);
  if (text) *text = absl::AsciiStrToLower(*text);
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

// Where a value goes: into a field of a message, or to the end of a repeated one.
class Target {
 public:
  Target(pb::Message* message, const pb::FieldDescriptor* field)
      : message_(message), reflection_(*message->GetReflection()), field_(field) {}

  void Text(std::string text) const {
    field_->is_repeated() ? reflection_.AddString(message_, field_, std::move(text))
                          : reflection_.SetString(message_, field_, std::move(text));
  }
  void Integer(std::int64_t number) const {
    field_->is_repeated() ? reflection_.AddInt64(message_, field_, number)
                          : reflection_.SetInt64(message_, field_, number);
  }
  void Flag(bool flag) const {
    field_->is_repeated() ? reflection_.AddBool(message_, field_, flag)
                          : reflection_.SetBool(message_, field_, flag);
  }
  pb::Message* Message() const {
    return field_->is_repeated() ? reflection_.AddMessage(message_, field_)
                                 : reflection_.MutableMessage(message_, field_);
  }

 private:
  pb::Message* message_;
  const pb::Reflection& reflection_;
  const pb::FieldDescriptor* field_;
};

class Decoder {
 public:
  explicit Decoder(DecodeReport* report) : report_(report) {}

  // False, and nothing written, when the value has not the shape of the message.
  static bool HasShape(const json::value& value, const WireTable& table) {
    return table.bare_array ? value.is_array() : value.is_object();
  }

  // The value has the shape of the message.
  void Message(const json::value& value, const WireTable& table, pb::Message* out,
               const WirePath& at) {
    if (table.bare_array) {
      List(value, table.fields.front(), out, at);
      return;
    }
    const WireField* expected = table.fields.data();
    for (const auto& member : value.get_object()) {
      const std::string_view name = member.key();
      const WirePath here(at, name);
      const WireField* const field = Find(table, name, expected);
      if (field == nullptr) {
        Note(DecodeReport::Kind::kUnknownField, here);
        continue;
      }
      expected = field + 1;
      if (!member.value().is_null()) Field(member.value(), *field, out, here);
    }
  }

 private:
  // `expected`: the field after the last one, since the service mostly keeps to the order of the
  // interface, and with it of the .proto. nullptr when there is none of this name.
  static const WireField* Find(const WireTable& table, std::string_view name,
                               const WireField* expected) {
    const bool in_order =
        expected != table.fields.data() + table.fields.size() && expected->name == name;
    if (in_order) return expected;
    const auto found = table.by_name.find(name);
    return found == table.by_name.end() ? nullptr : found->second;
  }

  void Note(DecodeReport::Kind kind, const WirePath& at) {
    if (report_ == nullptr) return;
    switch (kind) {
      case DecodeReport::Kind::kUnknownField:
        ++report_->unknown_fields;
        break;
      case DecodeReport::Kind::kUnknownEnumValue:
        ++report_->unknown_enum_values;
        break;
      case DecodeReport::Kind::kUnreadableValue:
        ++report_->unreadable_values;
        break;
    }
    if (kind == DecodeReport::Kind::kUnreadableValue &&
        report_->unreadable_paths.size() < DecodeReport::kMaxFindings) {
      report_->unreadable_paths.push_back(at.Text());
    }
    if (report_->findings.size() < DecodeReport::kMaxFindings) {
      report_->findings.push_back({kind, at.Text()});
    }
  }

  void Unreadable(const WirePath& at) { Note(DecodeReport::Kind::kUnreadableValue, at); }

  void Field(const json::value& value, const WireField& field, pb::Message* out,
             const WirePath& at) {
    switch (field.count) {
      case WireCount::kMany:
        List(value, field, out, at);
        break;
      case WireCount::kByKey:
        Map(value, field, out, at);
        break;
      case WireCount::kOne:
        if (field.kind == WireKind::kEnum) {
          Enum(value, field, out, at);
        } else {
          Value(value, field, Target(out, field.field), at);
        }
        break;
    }
  }

  void List(const json::value& value, const WireField& field, pb::Message* out,
            const WirePath& at) {
    if (!value.is_array()) {
      Unreadable(at);
      return;
    }
    const Target target(out, field.field);
    std::size_t index = 0;
    for (const json::value& element : value.get_array()) {
      const WirePath here(at, index++);
      if (!element.is_null()) {
        Value(element, field, target, here);
      } else if (field.kind == WireKind::kMessage) {
        // Of a list of orders or transactions nothing is passed over in silence.
        Unreadable(here);
      }
    }
  }

  void Map(const json::value& value, const WireField& field, pb::Message* out, const WirePath& at) {
    if (!value.is_object()) {
      Unreadable(at);
      return;
    }
    const pb::FieldDescriptor* const key = field.field->message_type()->map_key();
    const pb::FieldDescriptor* const mapped = field.field->message_type()->map_value();
    const pb::Reflection& reflection = *out->GetReflection();
    const WirePath any(at, kAnyKey);
    for (const auto& member : value.get_object()) {
      if (member.value().is_null()) continue;
      pb::Message* const entry = reflection.AddMessage(out, field.field);
      if (Value(member.value(), field, Target(entry, mapped), any)) {
        entry->GetReflection()->SetString(entry, key, std::string(member.key()));
      } else {
        reflection.RemoveLast(out, field.field);
      }
    }
  }

  void Enum(const json::value& value, const WireField& field, pb::Message* out,
            const WirePath& at) {
    auto text = TextOf(value);
    if (!text) {
      Unreadable(at);
      return;
    }
    const pb::Reflection& reflection = *out->GetReflection();
    const auto known = field.texts->number_of.find(*text);
    if (known != field.texts->number_of.end()) {
      reflection.SetEnumValue(out, field.field, known->second);
      return;
    }
    reflection.SetEnumValue(out, field.field, 0);
    reflection.SetString(out, field.raw_text, *std::move(text));
    Note(DecodeReport::Kind::kUnknownEnumValue, at);
  }

  // Whether there was a value to be had; otherwise it is counted and nothing is written.
  bool Value(const json::value& value, const WireField& field, const Target& target,
             const WirePath& at) {
    const bool readable = TryValue(value, field, target, at);
    if (!readable) Unreadable(at);
    return readable;
  }

  bool TryValue(const json::value& value, const WireField& field, const Target& target,
                const WirePath& at) {
    switch (field.kind) {
      case WireKind::kText: {
        auto text = TextOf(value);
        if (!text) return false;
        target.Text(*std::move(text));
        return true;
      }
      case WireKind::kInteger: {
        const auto number = IntegerOf(value);
        if (number) target.Integer(*number);
        return number.has_value();
      }
      case WireKind::kFlag: {
        const auto flag = FlagOf(value);
        if (flag) target.Flag(*flag);
        return flag.has_value();
      }
      case WireKind::kTimestamp: {
        pb::Timestamp time;
        if (!value.is_string() || !ParseWireTime(value.get_string(), &time)) return false;
        *pb::DynamicCastToGenerated<pb::Timestamp>(target.Message()) = time;
        return true;
      }
      case WireKind::kStruct:
        if (!value.is_object()) return false;
        ReadStruct(value.get_object(), pb::DynamicCastToGenerated<pb::Struct>(target.Message()));
        return true;
      case WireKind::kMessage:
        if (!HasShape(value, *field.message)) return false;
        Message(value, *field.message, target.Message(), at);
        return true;
      case WireKind::kEnum:
        break;  // Read with its message; not repeatable.
    }
    return false;
  }

  DecodeReport* report_;
};

/// The 16 bits of a `\uXXXX` that begins there; nullopt when none does.
std::optional<unsigned> EscapedUnit(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  const char* const digits = text.data() + at + 2;
  const auto [end, error] = std::from_chars(digits, digits + 4, unit, 16);
  if (error != std::errc() || end != digits + 4) return std::nullopt;
  return unit;
}

/// Whether a text in it escapes half of a surrogate pair, for which the parser has no error of its
/// own.
bool HasLoneSurrogate(std::string_view text) {
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
    const unsigned unit = EscapedUnit(text, at).value_or(0);
    at += unit == 0 ? 2 : 6;
    if (unit < 0xD800 || unit > 0xDFFF) continue;
    const unsigned second = EscapedUnit(text, at).value_or(0);
    if (unit > 0xDBFF || second < 0xDC00 || second > 0xDFFF) return true;
    at += 6;
  }
  return false;
}

Unreadable WhyUnreadable(const boost::system::error_code& error, std::string_view text) {
  if (error == json::error::too_deep) return Unreadable::kTooDeep;
  return HasLoneSurrogate(text) ? Unreadable::kBadText : Unreadable::kBadJson;
}

absl::Status Fail(DecodeReport* report, Unreadable why, std::string_view message) {
  if (report != nullptr) report->failure = why;
  return absl::DataLossError(absl::string_view(message.data(), message.size()));
}

}  // namespace

absl::Status FromWire(std::string_view text, pb::Message* out, DecodeReport* report,
                      int max_depth) {
  out->Clear();
  TB_ASSIGN_OR_RETURN(const WireTable* const table, WireTableOf(out->GetDescriptor()));
  if (text.size() > kMaxJsonBytes) {
    return Fail(report, Unreadable::kTooLong,
                absl::StrCat("body of ", text.size(), " bytes is too long"));
  }
  std::array<unsigned char, kFirstBlockBytes> first_block;
  json::monotonic_resource memory(first_block.data(), first_block.size());
  json::parse_options options;
  options.max_depth = static_cast<std::size_t>(max_depth);
  options.numbers = json::number_precision::precise;
  boost::system::error_code error;
  const json::value body = json::parse(text, error, &memory, options);
  if (error) {
    return Fail(report, WhyUnreadable(error, text),
                absl::StrCat("not readable as JSON: ", error.message()));
  }
  if (!Decoder::HasShape(body, *table)) {
    return Fail(report, Unreadable::kBadShape,
                table->bare_array ? "not a JSON array" : "not a JSON object");
  }
  Decoder(report).Message(body, *table, out, WirePath());
  return absl::OkStatus();
}

}  // namespace tollbridge::payment_service
