#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_PROTO_BYTES_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_PROTO_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tollbridge::payment_service {

/// Fields of a map's entries.
inline constexpr int kMapKey = 1;
inline constexpr int kMapValue = 2;

// A message in protobuf's own wire format, written from front to back without being built: what a
// caller gets, or what its type's parser makes a message of quicker than one can set field by
// field. For the codec only.
class ProtoBytes {
 public:
  /// Of about so many bytes.
  explicit ProtoBytes(std::size_t expected) : bytes_(expected, '\0') {}

  void Text(int field, std::string_view text);
  /// An integer, a flag or an enum's value.
  void Number(int field, std::int64_t number);
  void Double(int field, double number);

  /// Begins a message: what is written until End is within it. The value is for End.
  std::size_t Begin(int field);
  void End(std::size_t begun);

  std::size_t size() const { return size_; }
  /// Takes back what was written since there were `size` bytes.
  void ShortenTo(std::size_t size) { size_ = size; }

  std::string Take() && {
    bytes_.resize(size_);
    return std::move(bytes_);
  }

 private:
  /// Where to write up to `most` bytes more.
  std::uint8_t* Room(std::size_t most);
  void WrittenTo(const std::uint8_t* end);

  std::string bytes_;  // Longer than what was written.
  std::size_t size_ = 0;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_PROTO_BYTES_H_
