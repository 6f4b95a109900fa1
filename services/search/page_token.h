#ifndef TOLLBRIDGE_SERVICES_SEARCH_PAGE_TOKEN_H_
#define TOLLBRIDGE_SERVICES_SEARCH_PAGE_TOKEN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tollbridge::search {

/// What makes two requests one search: a token of one is of no use in another.
struct SearchKey {
  std::string project;  ///< its name
  std::string query;    ///< compiled
  std::string sort;
  std::int64_t page_size = 0;
};

/// The sort value that comes before the first order (docs/interface.md#search-orders).
inline constexpr std::string_view kBeforeFirst = "-1";

/// Where a page begins.
struct PagePlace {
  /// Orders on the pages before.
  std::int64_t seen = 0;
  /// Orders that matched when the search began; -1 when that is not known.
  std::int64_t hits_at_first = -1;
  /// Sort value of the last order before the page.
  std::string cursor = std::string(kBeforeFirst);
  /// How many orders to ask for at first, fewer than a whole page, after pages that were too large;
  /// 0: a whole page. Not in the token: whoever asks by one may have waited long.
  std::int64_t at_first = 0;
};

/// Longest cursor that fits into a token.
inline constexpr std::size_t kMaxCursorBytes = 1024;

/// The place as an opaque text for callers (base64url). It is bound to its search and guarded
/// against mistakes by a checksum, not by a secret: it holds nothing that its caller may not see,
/// and whoever makes one up reads no more than a search of theirs would show.
std::string MakePageToken(const SearchKey& key, const PagePlace& place);

/// The place of a token; nullopt for what is none of this search.
std::optional<PagePlace> ReadPageToken(const SearchKey& key, std::string_view token);

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_PAGE_TOKEN_H_
