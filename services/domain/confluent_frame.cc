#include "services/domain/confluent_frame.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <cstddef>
#include <ranges>
#include <vector>

namespace tollbridge::domain {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

constexpr std::size_t kIdEnds = 5;
constexpr int kByteBits = 8;

/// Which message of its file it is, from the outermost inwards.
std::vector<std::int32_t> IndexesOf(const Descriptor& message) {
  std::vector<std::int32_t> indexes;
  for (const Descriptor* at = &message; at != nullptr; at = at->containing_type()) {
    indexes.insert(indexes.begin(), at->index());
  }
  return indexes;
}

}  // namespace

std::string ConfluentFrame(std::int64_t schema_id, const Descriptor& message) {
  std::string frame(1, '\0');
  for (int shift = 3 * kByteBits; shift >= 0; shift -= kByteBits) {
    frame.push_back(static_cast<char>((schema_id >> shift) & 0xff));
  }
  const std::vector<std::int32_t> indexes = IndexesOf(message);
  if (indexes == std::vector<std::int32_t>{0}) {
    frame.push_back('\0');
    return frame;
  }
  StringOutputStream stream(&frame);
  CodedOutputStream out(&stream);
  out.WriteVarint32(WireFormatLite::ZigZagEncode32(static_cast<std::int32_t>(indexes.size())));
  for (const std::int32_t index : indexes) out.WriteVarint32(WireFormatLite::ZigZagEncode32(index));
  out.Trim();
  return frame;
}

std::optional<std::string_view> BehindConfluentFrame(std::string_view value) {
  if (value.size() <= kIdEnds || value.front() != '\0') return std::nullopt;
  value.remove_prefix(kIdEnds);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what the library takes.
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(value.data()),
                      static_cast<int>(value.size()));
  std::uint32_t encoded = 0;
  if (!in.ReadVarint32(&encoded)) return std::nullopt;
  const std::int32_t indexes = WireFormatLite::ZigZagDecode32(encoded);
  for (std::int32_t i = 0; i < indexes; ++i) {
    if (!in.ReadVarint32(&encoded)) return std::nullopt;
  }
  return value.substr(static_cast<std::size_t>(in.CurrentPosition()));
}

}  // namespace tollbridge::domain
