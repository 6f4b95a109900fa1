#include "services/search/page_token.h"

#include <charconv>
#include <initializer_list>
#include <utility>

#include "base/core/encoding.h"
#include "base/core/sha256.h"

namespace tollbridge::search {
namespace {

// Of the token's form. Another form gets another number, and old tokens are refused.
constexpr std::string_view kVersion = "1";
constexpr std::size_t kChecksumBytes = 16;

std::string Checksum(const SearchKey& key, std::string_view place) {
  Sha256 sum;
  const std::string size = std::to_string(key.page_size);
  // Each with its length, so that no two searches are the same bytes.
  for (const std::string_view part : std::initializer_list<std::string_view>{
           kVersion, key.project, key.query, key.sort, size, place}) {
    sum.Update(std::to_string(part.size()) + ":");
    sum.Update(part);
  }
  return sum.Finish().substr(0, kChecksumBytes);
}

/// `seen hits cursor`, with spaces between.
std::string Write(const PagePlace& place) {
  return std::to_string(place.seen) + " " + std::to_string(place.hits_at_first) + " " +
         place.cursor;
}

bool TakeNumber(std::string_view& text, std::int64_t& number) {
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || stop == text.data() + text.size() || *stop != ' ') return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return true;
}

std::optional<PagePlace> Read(std::string_view text) {
  PagePlace place;
  if (!TakeNumber(text, place.seen) || !TakeNumber(text, place.hits_at_first)) return std::nullopt;
  if (place.seen < 0 || place.hits_at_first < -1) return std::nullopt;
  place.cursor = std::string(text);
  return place;
}

}  // namespace

std::string MakePageToken(const SearchKey& key, const PagePlace& place) {
  const std::string text = Write(place);
  return Base64UrlEncode(std::string(kVersion) + Checksum(key, text) + text);
}

std::optional<PagePlace> ReadPageToken(const SearchKey& key, std::string_view token) {
  const std::optional<std::string> raw = Base64UrlDecode(token);
  constexpr std::size_t kHead = kVersion.size() + kChecksumBytes;
  if (!raw || raw->size() < kHead || !raw->starts_with(kVersion)) return std::nullopt;
  const std::string_view text = std::string_view(*raw).substr(kHead);
  if (raw->substr(kVersion.size(), kChecksumBytes) != Checksum(key, text)) return std::nullopt;
  return Read(text);
}

}  // namespace tollbridge::search
