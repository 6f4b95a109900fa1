#include "base/core/uuid.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace tollbridge {
namespace {

/// No digit of a UUID's: more than any of them.
constexpr std::uint8_t kNoDigit = 0x80;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) digits[std::size_t{'0'} + i] = i;
  for (std::uint8_t i = 10; i < 16; ++i) {
    digits[std::size_t{'a'} + i - 10] = i;
    digits[std::size_t{'A'} + i - 10] = i;
  }
  return digits;
}();

/// Where the two digits of each byte stand.
constexpr std::array<std::size_t, 16> kPairs = {0,  2,  4,  6,  9,  11, 14, 16,
                                                19, 21, 24, 26, 28, 30, 32, 34};

boost::uuids::uuid ToBoost(const Uuid& id) {
  boost::uuids::uuid out{};
  std::copy(id.bytes.begin(), id.bytes.end(), out.begin());
  return out;
}

}  // namespace

std::optional<Uuid> Uuid::Parse(std::string_view text) {
  // Boost's reader also takes braces and missing hyphens; the interface knows one form only.
  if (text.size() != 36) return std::nullopt;
  if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return std::nullopt;
  Uuid out;
  std::uint8_t seen = 0;
  for (std::size_t i = 0; i < kPairs.size(); ++i) {
    const std::uint8_t high = kDigits[static_cast<std::uint8_t>(text[kPairs[i]])];
    const std::uint8_t low = kDigits[static_cast<std::uint8_t>(text[kPairs[i] + 1])];
    seen |= high | low;
    out.bytes[i] = static_cast<std::uint8_t>((high << 4) | low);
  }
  if ((seen & kNoDigit) != 0) return std::nullopt;
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
