#include "services/domain/encoded.h"

#include <google/protobuf/io/coded_stream.h>

#include <array>
#include <cstdint>

namespace tollbridge::domain {

void AppendEncoded(int field, std::string_view value, std::string* bytes) {
  using google::protobuf::io::CodedOutputStream;
  constexpr std::uint32_t kLengthFirst = 2;
  std::array<std::uint8_t, kMostEncodedHead> head{};
  const std::uint32_t tag = static_cast<std::uint32_t>(field) << 3 | kLengthFirst;
  std::uint8_t* end = CodedOutputStream::WriteTagToArray(tag, head.data());
  end = CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(value.size()), end);
  bytes->append(head.data(), end).append(value);
}

}  // namespace tollbridge::domain
