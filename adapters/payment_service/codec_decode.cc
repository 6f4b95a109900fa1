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
#include <google/protobuf/timestamp.pb.h>
#include <boost/container/small_vector.hpp>
#include <boost/json/error.hpp>
#include <boost/system/error_code.hpp>

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/json_document.h"
#include "adapters/payment_service/proto_bytes.h"
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

// A message has about so many bytes for each of its JSON.
constexpr std::size_t kBytesOfJson = 2;

// ---- Single values, as generously as docs/interface.md#open-points says. nullopt: impossible for
// the type.

std::optional<std::string> TextOfNumber(const JsonNode& value) {
  switch (value.kind) {
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
  const std::optional<std::string> text =
      value.is_text() ? absl::AsciiStrToLower({value.text, value.size}) : TextOfNumber(value);
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

// Writes the message as protobuf's wire format: its parser makes a message of that in a fraction
// of the time that setting field after field by reflection takes, and callers can have it as it is.
class Decoder {
 public:
  Decoder(const ReadForm& form, DecodeReport* report, ProtoBytes* out)
      : form_(form), report_(report), out_(*out) {}

  // False, and nothing written, when the value has not the shape of the message.
  static bool HasShape(const JsonNode& value, const WireTable& table) {
    return table.bare_array ? value.is_array() : value.is_object();
  }

  // The value has the shape of the message.
  void Message(const JsonNode& value, const WireTable& table, const WirePath& at) {
    if (table.bare_array) {
      List(value, table.fields.front(), at);
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
      Field(*values[i], field, WirePath(at, field.name));
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

  void Field(const JsonNode& value, const WireField& field, const WirePath& at) {
    // What is left out is read all the same: that it cannot be read is worth knowing.
    const std::size_t before = out_.size();
    switch (field.count) {
      case WireCount::kMany:
        List(value, field, at);
        break;
      case WireCount::kByKey:
        Map(value, field, at);
        break;
      case WireCount::kOne:
        if (field.kind == WireKind::kEnum) {
          Enum(value, field, at);
        } else {
          Value(value, field, field.number, at);
        }
        break;
    }
    if (!form_.left_out || field.sensitivity != *form_.left_out) return;
    LeftOut(out_.size() - before);
    out_.ShortenTo(before);
  }

  void List(const JsonNode& value, const WireField& field, const WirePath& at) {
    if (!value.is_array()) {
      Unreadable(at);
      return;
    }
    std::size_t index = 0;
    for (const JsonNode& element : JsonElements(value)) {
      const WirePath here(at, index++);
      if (!element.is_null()) {
        Value(element, field, field.number, here);
      } else if (field.kind == WireKind::kMessage) {
        // Of a list of orders or transactions nothing is passed over in silence.
        Unreadable(here);
      }
    }
  }

  void Map(const JsonNode& value, const WireField& field, const WirePath& at) {
    if (!value.is_object()) {
      Unreadable(at);
      return;
    }
    const WirePath any(at, kAnyKey);
    for (const auto& [name, member] : LastOfEachName(value)) {
      if (member->is_null()) continue;
      const std::size_t before = out_.size();
      const std::size_t entry = out_.Begin(field.number);
      out_.Text(kMapKey, name);
      if (Value(*member, field, kMapValue, any)) {
        out_.End(entry);
      } else {
        out_.ShortenTo(before);
      }
    }
  }

  void Enum(const JsonNode& value, const WireField& field, const WirePath& at) {
    const std::optional<std::string_view> text = TextOf(value);
    if (!text) {
      Unreadable(at);
      return;
    }
    const auto known = field.texts->number_of.find(*text);
    if (known != field.texts->number_of.end()) {
      out_.Number(field.number, known->second);
      return;
    }
    out_.Number(field.number, 0);
    out_.Text(field.raw_text->number(), *text);
    Note(DecodeReport::Kind::kUnknownEnumValue, at);
  }

  // Whether there was a value to be had, which is then written as field `number`; otherwise it is
  // counted and nothing is written.
  bool Value(const JsonNode& value, const WireField& field, int number, const WirePath& at) {
    const bool readable = TryValue(value, field, number, at);
    if (!readable) Unreadable(at);
    return readable;
  }

  bool TryValue(const JsonNode& value, const WireField& field, int number, const WirePath& at) {
    switch (field.kind) {
      case WireKind::kText: {
        const std::optional<std::string_view> text = TextOf(value);
        if (text) Text(*text, field, number);
        return text.has_value();
      }
      case WireKind::kInteger: {
        const auto integer = IntegerOf(value);
        if (integer) out_.Number(number, *integer);
        return integer.has_value();
      }
      case WireKind::kFlag: {
        const auto flag = FlagOf(value);
        if (flag) out_.Number(number, *flag ? 1 : 0);
        return flag.has_value();
      }
      case WireKind::kTimestamp:
        return value.is_text() && Timestamp(value.Text(), number);
      case WireKind::kStruct:
        if (value.is_object()) Struct(value, field, number);
        return value.is_object();
      case WireKind::kMessage: {
        if (!HasShape(value, *field.message)) return false;
        const std::size_t begun = out_.Begin(number);
        Message(value, *field.message, at);
        out_.End(begun);
        return true;
      }
      case WireKind::kEnum:
        break;  // Read with its message; not repeatable.
    }
    return false;
  }

  void Text(std::string_view text, const WireField& field, int number) {
    for (const ReadForm::Text& form : form_.texts) {
      if (form.field != field.field) continue;
      const std::string written = form.write(text);
      if (written.size() < text.size()) LeftOut(text.size() - written.size());
      out_.Text(number, written);
      return;
    }
    out_.Text(number, text);
  }

  bool Timestamp(std::string_view text, int number) {
    pb::Timestamp time;
    if (!ParseWireTime(text, &time)) return false;
    const std::size_t begun = out_.Begin(number);
    if (time.seconds() != 0) out_.Number(pb::Timestamp::kSecondsFieldNumber, time.seconds());
    if (time.nanos() != 0) out_.Number(pb::Timestamp::kNanosFieldNumber, time.nanos());
    out_.End(begun);
    return true;
  }

  void Struct(const JsonNode& value, const WireField& field, int number) {
    std::optional<std::string_view> without;
    for (const ReadForm::Member& member : form_.members) {
      if (member.field == field.field) without = member.name;
    }
    const std::size_t before = out_.size();
    const std::size_t begun = out_.Begin(number);
    const std::size_t left_out = ReadStruct(value, without, &out_);
    LeftOut(left_out);
    // Nothing but that was in it.
    const bool nothing_left = left_out != 0 && out_.size() == begun;
    out_.End(begun);
    if (nothing_left) out_.ShortenTo(before);
  }

  void LeftOut(std::size_t bytes) {
    if (report_ != nullptr) report_->left_out += bytes;
  }

  // A text of the value, which is in the value or kept here until the next is asked for.
  std::optional<std::string_view> TextOf(const JsonNode& value) {
    if (value.is_text()) return value.Text();
    std::optional<std::string> text = TextOfNumber(value);
    if (!text) return std::nullopt;
    kept_ = *std::move(text);
    return kept_;
  }

  const ReadForm& form_;
  DecodeReport* report_;
  ProtoBytes& out_;
  std::string kept_;
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

absl::Status ReadBytes(std::string_view text, const pb::Descriptor* type, const ReadForm& form,
                       std::string* out, DecodeReport* report, int max_depth) {
  out->clear();
  TB_ASSIGN_OR_RETURN(const WireTable* const table, WireTableOf(type));
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
  ProtoBytes bytes(text.size() / kBytesOfJson);
  Decoder(form, report, &bytes).Message(body, *table, WirePath());
  *out = std::move(bytes).Take();
  return absl::OkStatus();
}

absl::Status FromWire(std::string_view text, pb::Message* out, DecodeReport* report,
                      int max_depth) {
  out->Clear();
  std::string bytes;
  TB_RETURN_IF_ERROR(ReadBytes(text, out->GetDescriptor(), ReadForm(), &bytes, report, max_depth));
  if (out->ParseFromString(bytes)) return absl::OkStatus();
  out->Clear();
  return absl::InternalError("the codec has written what its type's parser does not take");
}

}  // namespace tollbridge::payment_service
