#ifndef TOLLBRIDGE_BASE_CORE_UUID_H_
#define TOLLBRIDGE_BASE_CORE_UUID_H_

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tollbridge {

/// A UUID (RFC 9562) as its 16 bytes.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  /// Reads the canonical form, upper or lower case: 8-4-4-4-12 hexadecimal digits. Anything else is
  /// nullopt.
  static std::optional<Uuid> Parse(std::string_view text);
  /// The 16 bytes of a binary id; nullopt when there are not 16.
  static std::optional<Uuid> FromBytes(std::string_view raw);
  /// Version 5: the same name in the same namespace gives the same id, everywhere and always.
  static Uuid V5(const Uuid& name_space, std::string_view name);
  /// Version 4 from 16 random bytes.
  static Uuid V4(std::array<std::uint8_t, 16> random);

  /// Canonical lower-case form, 36 characters.
  std::string ToString() const;
  /// Appends the same.
  void AppendTo(std::string* out) const;
  /// The 16 bytes as a string, for keys in stores.
  std::string ToBytes() const;

  auto operator<=>(const Uuid&) const = default;
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_UUID_H_
