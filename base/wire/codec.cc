#include "base/wire/codec.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/core/encoding.h"

namespace tollbridge::wire {
namespace {

constexpr std::size_t kPrefix = 5;
constexpr std::size_t kMostDigits = 8;
constexpr std::chrono::nanoseconds kYear = std::chrono::hours(24) * 365;

std::optional<std::chrono::nanoseconds> Unit(char unit) {
  switch (unit) {
    case 'H':
      return std::chrono::hours(1);
    case 'M':
      return std::chrono::minutes(1);
    case 'S':
      return std::chrono::seconds(1);
    case 'm':
      return std::chrono::milliseconds(1);
    case 'u':
      return std::chrono::microseconds(1);
    case 'n':
      return std::chrono::nanoseconds(1);
    default:
      return std::nullopt;
  }
}

bool IsPlain(char c) { return c >= ' ' && c <= '~' && c != '%'; }

}  // namespace

std::optional<std::chrono::nanoseconds> ParseTimeout(std::string_view text) {
  if (text.size() < 2 || text.size() > kMostDigits + 1) return std::nullopt;
  const std::optional<std::chrono::nanoseconds> unit = Unit(text.back());
  if (!unit.has_value()) return std::nullopt;
  text.remove_suffix(1);
  std::int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  if (number > kYear / *unit) return kYear;
  return number * *unit;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (IsPlain(c)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 0xf]);
  }
  return out;
}

bool IsBinaryName(std::string_view name) { return name.ends_with("-bin"); }

std::string EncodeBinary(std::string_view raw) {
  std::string text = Base64Encode(raw);
  while (text.ends_with('=')) text.pop_back();
  return text;
}

std::optional<std::string> DecodeBinary(std::string_view text) { return Base64Decode(text); }

bool IsGrpcContentType(std::string_view type) {
  constexpr std::string_view kGrpc = "application/grpc";
  constexpr std::string_view kProto = "+proto";
  if (!type.starts_with(kGrpc)) return false;
  type.remove_prefix(kGrpc.size());
  if (type.starts_with(kProto)) type.remove_prefix(kProto.size());
  return type.empty() || type.front() == ';';
}

void AppendMessage(std::string_view message, std::string* out) {
  const auto size = static_cast<std::uint32_t>(message.size());
  out->push_back(0);
  for (int shift = 24; shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>((size >> shift) & 0xff));
  }
  out->append(message);
}

// A length is only what a caller says: memory is taken as the bytes come.
std::optional<BadMessage> MessageReader::Add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (prefix_.size() < kPrefix) {
      const std::string_view taken = bytes.substr(0, kPrefix - prefix_.size());
      prefix_.append(taken);
      bytes.remove_prefix(taken.size());
      if (prefix_.size() < kPrefix) return std::nullopt;
      if (auto bad = ReadPrefix(); bad.has_value()) return bad;
    }
    const std::string_view taken = bytes.substr(0, length_ - message_.size());
    message_.append(taken);
    bytes.remove_prefix(taken.size());
    if (message_.size() < length_) return std::nullopt;
    messages_.push_back(std::move(message_));
    message_.clear();
    prefix_.clear();
  }
  return std::nullopt;
}

std::optional<BadMessage> MessageReader::ReadPrefix() {
  length_ = 0;
  for (std::size_t i = 1; i < kPrefix; ++i) {
    length_ = length_ << 8 | static_cast<unsigned char>(prefix_[i]);
  }
  if (prefix_[0] != 0) {
    // A caller that names a coding was refused before.
    return BadMessage{{absl::StatusCode::kInternal,
                       "a message is marked as compressed, and no grpc-encoding was named"},
                      Refusal::kCompressed};
  }
  if (length_ > max_bytes_) {
    return BadMessage{{absl::StatusCode::kResourceExhausted,
                       absl::StrCat("a message of ", length_, " bytes is longer than the ",
                                    max_bytes_, " that are taken")},
                      Refusal::kRequestBytes};
  }
  return std::nullopt;
}

}  // namespace tollbridge::wire
