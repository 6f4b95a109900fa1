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
#include <boost/container/small_vector.hpp>
#include <boost/json/error.hpp>
#include <boost/system/error_code.hpp>

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/json_document.h"
#include "adapters/payment_service/wire_path.h"
#include "adapters/payment_service/wire_struct.h"
#include "adapters/payment_service/wire_table.h"
#include "adapters/payment_service/wire_text.h"
#include "adapters/payment_service/wire_time.h"
#include "base/core/status_macros.h"

namespace tollbridge::payment_service {
namespace {

namespace pb = google::protobuf;
using Kind = JsonNode::Kind;

// As many fields as the largest message has, so that none of them costs an allocation.
constexpr std::size_t kUsualFields = 48;

// How many fields in the order of the .proto are tried before the table of names is.
constexpr int kLookAhead = 6;

constexpr std::string_view kError = "error";

// ---- Single values, as generously as docs/interface.md#open-points says. nullopt: impossible for
// the type.

std::optional<std::string> TextOf(const JsonNode& value) {
  switch (value.kind) {
    case Kind::kText:
      return std::string(value.Text());
    case Kind::kInteger:
      return absl::StrCat(value.integer);
    case Kind::kUnsigned:
      return absl::StrCat(value.whole);
    case Kind::kDouble: {
      std::string text;
      if (AppendJsonNumber(value.number, &text)) return text;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> IntegerOf(const JsonNode& value) {
  switch (value.kind) {
    case Kind::kInteger:
      return value.integer;
    case Kind::kDouble:
      return WholeNumber(value.number);
    case Kind::kText:
      return ParseInteger(value.Text());
    default:
      return std::nullopt;
  }
}

std::optional<bool> FlagOf(const JsonNode& value) {
  if (value.kind == Kind::kFlag) return value.flag;
  std::optional<std::string> text = TextOf(value);
  if (text) *text = absl::AsciiStrToLower(*text);
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

// Where a value goes: into a field of a message, or to the end of a repeated one.
class Target {
 public:
  Target(pb::Message* message, const pb::Reflection& reflection, const pb::FieldDescriptor* field)
      : message_(message), reflection_(reflection), field_(field) {}
  Target(pb::Message* message, const WireField& field)
      : Target(message, *field.reflection, field.field) {}

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
  static bool HasShape(const JsonNode& value, const WireTable& table) {
    return table.bare_array ? value.is_array() : value.is_object();
  }

  // The value has the shape of the message.
  void Message(const JsonNode& value, const WireTable& table, pb::Message* out,
               const WirePath& at) {
    if (table.bare_array) {
      List(value, table.fields.front(), out, at);
      return;
    }
    // Of each field the value that counts: the last of its name.
    boost::container::small_vector<const JsonNode*, kUsualFields> values(table.fields.size());
    const WireField* expected = table.fields.data();
    for (const auto [name, member] : JsonMembers(value)) {
      const WireField* const field = Find(table, name, expected);
      if (field == nullptr) {
        Note(DecodeReport::Kind::kUnknownField, WirePath(at, name));
        if (report_ != nullptr && at.IsBody() && name == kError) {
          report_->error_object = member->is_object();
        }
        continue;
      }
      expected = field + 1;
      values[static_cast<std::size_t>(field - table.fields.data())] = member;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const WireField& field = table.fields[i];
      if (values[i] == nullptr || values[i]->is_null()) continue;
      Field(*values[i], field, out, WirePath(at, field.name));
    }
  }

 private:
  // `expected`: the field after the last one, since the service mostly keeps to the order of the
  // interface, and with it of the .proto, and leaves out a few. nullptr when there is none of this
  // name.
  static const WireField* Find(const WireTable& table, std::string_view name,
                               const WireField* expected) {
    const WireField* const end = table.fields.data() + table.fields.size();
    for (int i = 0; i < kLookAhead && expected != end; ++i, ++expected) {
      if (expected->name == name) return expected;
    }
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

  void Field(const JsonNode& value, const WireField& field, pb::Message* out, const WirePath& at) {
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
          Value(value, field, Target(out, field), at);
        }
        break;
    }
  }

  void List(const JsonNode& value, const WireField& field, pb::Message* out, const WirePath& at) {
    if (!value.is_array()) {
      Unreadable(at);
      return;
    }
    const Target target(out, field);
    std::size_t index = 0;
    for (const JsonNode& element : JsonElements(value)) {
      const WirePath here(at, index++);
      if (!element.is_null()) {
        Value(element, field, target, here);
      } else if (field.kind == WireKind::kMessage) {
        // Of a list of orders or transactions nothing is passed over in silence.
        Unreadable(here);
      }
    }
  }

  void Map(const JsonNode& value, const WireField& field, pb::Message* out, const WirePath& at) {
    if (!value.is_object()) {
      Unreadable(at);
      return;
    }
    const pb::FieldDescriptor* const key = field.field->message_type()->map_key();
    const pb::FieldDescriptor* const mapped = field.field->message_type()->map_value();
    const pb::Reflection& reflection = *field.reflection;
    const WirePath any(at, kAnyKey);
    for (const auto& [name, member] : LastOfEachName(value)) {
      if (member->is_null()) continue;
      pb::Message* const entry = reflection.AddMessage(out, field.field);
      if (Value(*member, field, Target(entry, *field.entry_reflection, mapped), any)) {
        field.entry_reflection->SetString(entry, key, std::string(name));
      } else {
        reflection.RemoveLast(out, field.field);
      }
    }
  }

  void Enum(const JsonNode& value, const WireField& field, pb::Message* out, const WirePath& at) {
    auto text = TextOf(value);
    if (!text) {
      Unreadable(at);
      return;
    }
    const pb::Reflection& reflection = *field.reflection;
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
  bool Value(const JsonNode& value, const WireField& field, const Target& target,
             const WirePath& at) {
    const bool readable = TryValue(value, field, target, at);
    if (!readable) Unreadable(at);
    return readable;
  }

  bool TryValue(const JsonNode& value, const WireField& field, const Target& target,
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
        if (!value.is_text() || !ParseWireTime(value.Text(), &time)) return false;
        *static_cast<pb::Timestamp*>(target.Message()) = time;
        return true;
      }
      case WireKind::kStruct:
        if (!value.is_object()) return false;
        ReadStruct(value, static_cast<pb::Struct*>(target.Message()));
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
  if (error == boost::json::error::too_deep) return Unreadable::kTooDeep;
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
  JsonDocument document;
  const boost::system::error_code error = document.Read(text, max_depth);
  if (error) {
    return Fail(report, WhyUnreadable(error, text),
                absl::StrCat("not readable as JSON: ", error.message()));
  }
  const JsonNode& body = document.root();
  if (!Decoder::HasShape(body, *table)) {
    return Fail(report, Unreadable::kBadShape,
                table->bare_array ? "not a JSON array" : "not a JSON object");
  }
  Decoder(report).Message(body, *table, out, WirePath());
  return absl::OkStatus();
}

}  // namespace tollbridge::payment_service
