// FindBadField: what a parser cannot say of bytes that it refuses.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/wire_format_lite.h>

#include "services/rpc/parse.h"

namespace tollbridge::rpc {
namespace {

namespace pb = google::protobuf;
using pb::internal::WireFormatLite;

// protobuf's own default limit for nested messages.
constexpr int kDeepest = 100;

// Whether the bytes are UTF-8: shortest forms only, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text) {
  std::size_t at = 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  while (at < text.size()) {
    const unsigned char lead = byte(at);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return false;
    for (std::size_t i = 1; i < length; ++i) {
      if ((byte(at + i) & 0xC0) != 0x80) return false;
    }
    const unsigned char second = byte(at + 1);
    const bool too_long = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool surrogate = lead == 0xED && second > 0x9F;
    const bool too_large = lead == 0xF4 && second > 0x8F;
    if (too_long || surrogate || too_large) return false;
    at += length;
  }
  return true;
}

class Walk {
 public:
  // Reads one message to its end. The bad field, or nullopt when all of it is good.
  std::optional<BadField> Message(std::string_view bytes, const pb::Descriptor& type,
                                  const std::string& path, int depth) {
    if (depth > kDeepest) return BadField{path, "is nested too deep"};
    pb::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
    std::map<int, int> seen;
    while (input.CurrentPosition() < static_cast<int>(bytes.size())) {
      const std::uint32_t tag = input.ReadTag();
      const int number = WireFormatLite::GetTagFieldNumber(tag);
      // A tag that cannot be read belongs to no field: the message that holds it is what is bad.
      if (tag == 0 || number == 0) return BadField{path, "is not a protobuf message"};
      const pb::FieldDescriptor* field = type.FindFieldByNumber(number);
      const std::string field_path = FieldPath(path, type, field, number, seen[number]++);
      auto bad = Field(input, bytes, tag, field, field_path, depth);
      if (bad.has_value()) return bad;
    }
    return std::nullopt;
  }

 private:
  static std::string FieldPath(const std::string& parent, const pb::Descriptor& type,
                               const pb::FieldDescriptor* field, int number, int index) {
    // The parts of a map's entry and of a Struct are not fields that the caller knows.
    const bool in_struct = type.file() == pb::Struct::descriptor()->file();
    if (type.options().map_entry() || in_struct) return parent;
    std::string path = parent.empty() ? "" : parent + ".";
    path += field != nullptr ? field->name() : "#" + std::to_string(number);
    const bool list = field != nullptr && field->is_repeated() && !field->is_map();
    if (list && !field->is_packable()) {
      path += "[" + std::to_string(index) + "]";
    }
    return path;
  }

  std::optional<BadField> Field(pb::io::CodedInputStream& input, std::string_view bytes,
                                std::uint32_t tag, const pb::FieldDescriptor* field,
                                const std::string& path, int depth) {
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&input, tag)) return BadField{path, "is cut off or malformed"};
      return std::nullopt;
    }
    std::uint32_t length = 0;
    const bool readable = input.ReadVarint32(&length);
    const auto start = static_cast<std::size_t>(input.CurrentPosition());
    if (!readable || length > bytes.size() - start) {
      return BadField{path, "is longer than the request"};
    }
    input.Skip(static_cast<int>(length));
    const std::string_view value = bytes.substr(start, length);
    if (field == nullptr) return std::nullopt;
    if (field->type() == pb::FieldDescriptor::TYPE_STRING && !IsUtf8(value)) {
      return BadField{path, "must be UTF-8"};
    }
    if (field->type() == pb::FieldDescriptor::TYPE_MESSAGE) {
      return Message(value, *field->message_type(), path, depth + 1);
    }
    if (field->is_packable() && !PackedIsWhole(value, *field)) {
      return BadField{path, "is cut off or malformed"};
    }
    return std::nullopt;
  }

  static bool PackedIsWhole(std::string_view value, const pb::FieldDescriptor& field) {
    const auto wire_type =
        WireFormatLite::WireTypeForFieldType(static_cast<WireFormatLite::FieldType>(field.type()));
    if (wire_type == WireFormatLite::WIRETYPE_FIXED32) return value.size() % 4 == 0;
    if (wire_type == WireFormatLite::WIRETYPE_FIXED64) return value.size() % 8 == 0;
    return value.empty() || (static_cast<unsigned char>(value.back()) & 0x80) == 0;
  }
};

}  // namespace

BadField FindBadField(std::string_view bytes, const pb::Descriptor& type) {
  auto bad = Walk().Message(bytes, type, "", 1);
  if (!bad.has_value()) return {"", "cannot be read"};
  return *bad;
}

}  // namespace tollbridge::rpc
