#include "adapters/payment_service/proto_bytes.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tollbridge::payment_service {
namespace {

using google::protobuf::io::CodedOutputStream;

/// The last three bits of a tag: how long the value is.
enum class Form : std::uint32_t { kVarint = 0, kEightBytes = 1, kLengthFirst = 2 };

constexpr std::size_t kMostTag = 5;
constexpr std::size_t kMostVarint = 10;
/// A length below this takes one byte.
constexpr std::size_t kShort = 0x80;

std::uint8_t* WriteTag(int field, Form form, std::uint8_t* at) {
  const std::uint32_t tag = static_cast<std::uint32_t>(field) << 3 | static_cast<unsigned>(form);
  return CodedOutputStream::WriteTagToArray(tag, at);
}

}  // namespace

std::uint8_t* ProtoBytes::Room(std::size_t most) {
  if (bytes_.size() - size_ < most) bytes_.resize(std::max(2 * bytes_.size(), size_ + most));
  return reinterpret_cast<std::uint8_t*>(bytes_.data()) + size_;
}

void ProtoBytes::WrittenTo(const std::uint8_t* end) {
  size_ = static_cast<std::size_t>(reinterpret_cast<const char*>(end) - bytes_.data());
}

void ProtoBytes::Text(int field, std::string_view text) {
  std::uint8_t* at = Room(kMostTag + kMostVarint + text.size());
  at = WriteTag(field, Form::kLengthFirst, at);
  at = CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(text.size()), at);
  std::memcpy(at, text.data(), text.size());
  WrittenTo(at + text.size());
}

void ProtoBytes::Number(int field, std::int64_t number) {
  std::uint8_t* at = Room(kMostTag + kMostVarint);
  at = WriteTag(field, Form::kVarint, at);
  WrittenTo(CodedOutputStream::WriteVarint64ToArray(static_cast<std::uint64_t>(number), at));
}

void ProtoBytes::Double(int field, double number) {
  std::uint8_t* at = Room(kMostTag + sizeof(number));
  at = WriteTag(field, Form::kEightBytes, at);
  WrittenTo(
      CodedOutputStream::WriteLittleEndian64ToArray(std::bit_cast<std::uint64_t>(number), at));
}

std::size_t ProtoBytes::Begin(int field) {
  std::uint8_t* at = Room(kMostTag + 1);
  at = WriteTag(field, Form::kLengthFirst, at);
  // Of the length one byte, until it is known.
  WrittenTo(at + 1);
  return size_;
}

void ProtoBytes::End(std::size_t begun) {
  const std::size_t length = size_ - begun;
  if (length < kShort) {
    bytes_[begun - 1] = static_cast<char>(length);
    return;
  }
  const auto length32 = static_cast<std::uint32_t>(length);
  const std::size_t more = CodedOutputStream::VarintSize32(length32) - 1;
  Room(more);
  char* const begin = bytes_.data() + begun;
  std::memmove(begin + more, begin, length);
  CodedOutputStream::WriteVarint32ToArray(length32, reinterpret_cast<std::uint8_t*>(begin) - 1);
  size_ += more;
}

}  // namespace tollbridge::payment_service
