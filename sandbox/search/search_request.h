#ifndef TOLLBRIDGE_SANDBOX_SEARCH_SEARCH_REQUEST_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_SEARCH_REQUEST_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/result.h"
#include "sandbox/core/settings.h"
#include "sandbox/search/query.h"
#include "sandbox/search/search_sort.h"

namespace tollbridge::sandbox {

/// In what form the answer is wanted (query parameter `format`).
enum class SearchFormat { kJson, kCsv };

/// A body of POST /v1/search/orders/, checked.
struct SearchRequest {
  Query query;
  std::size_t start = 0;
  std::size_t size = static_cast<std::size_t>(kDefaultPageSize);
  Sort sort;
  /// Only orders whose sort value comes strictly after this one. Orders that tie with the last of
  /// the page before are therefore skipped, as by the real service: who sorts by what is not unique
  /// must expect that.
  std::optional<SortCursor> after;
};

/// Reads the body: an object with
///
///     query         default `*`; the language is in query_parser.h
///     size          1 to 1,000, default 100
///     sort          'field asc' or 'field desc'; default `id asc`; fields: id, created, modified,
///                   completed, amount, merchant_order_id, status
///     start         how many to leave out; start + size is at most 10,000
///     search_after  '-1', then the search_after of the answer before. Needs `sort`, excludes
///                   `start`
///
/// A field that is null counts as absent. With kCsv the whole result is returned: `size` is checked
/// and has no effect, `start` and `search_after` are refused.
///
/// Errors: 400 ValidationError for what is no JSON, 422 ValidationError for all else.
Result<SearchRequest> ParseSearchRequest(std::string_view body, SearchFormat format);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_SEARCH_REQUEST_H_
