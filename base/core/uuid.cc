#include "base/core/uuid.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace tollbridge {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

boost::uuids::uuid ToBoost(const Uuid& id) {
  boost::uuids::uuid out{};
  std::copy(id.bytes.begin(), id.bytes.end(), out.begin());
  return out;
}

}  // namespace

std::optional<Uuid> Uuid::Parse(std::string_view text) {
  // Boost's reader also takes braces and missing hyphens; the interface knows one form only.
  if (text.size() != 36) return std::nullopt;
  Uuid out;
  std::size_t nibble = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int digit = HexDigit(text[i]);
    if (digit < 0) return std::nullopt;
    auto& byte = out.bytes[nibble / 2];
    byte = static_cast<std::uint8_t>((byte << 4) | digit);
    ++nibble;
  }
  return out;
}

std::optional<Uuid> Uuid::FromBytes(std::string_view raw) {
  Uuid out;
  if (raw.size() != out.bytes.size()) return std::nullopt;
  std::copy(raw.begin(), raw.end(), reinterpret_cast<char*>(out.bytes.data()));
  return out;
}

Uuid Uuid::V5(const Uuid& name_space, std::string_view name) {
  const boost::uuids::name_generator_sha1 generator(ToBoost(name_space));
  const boost::uuids::uuid id = generator(name.data(), name.size());
  Uuid out;
  std::copy(id.begin(), id.end(), out.bytes.begin());
  return out;
}

Uuid Uuid::V4(std::array<std::uint8_t, 16> random) {
  random[6] = static_cast<std::uint8_t>((random[6] & 0x0F) | 0x40);
  random[8] = static_cast<std::uint8_t>((random[8] & 0x3F) | 0x80);
  return Uuid{random};
}

void Uuid::AppendTo(std::string* out) const {
  constexpr std::size_t kLength = 36;
  std::array<char, kLength> text{};
  boost::uuids::to_chars(ToBoost(*this), text.begin(), text.end());
  out->append(text.data(), text.size());
}

std::string Uuid::ToString() const {
  std::string text;
  AppendTo(&text);
  return text;
}

std::string Uuid::ToBytes() const {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace tollbridge
