#ifndef TOLLBRIDGE_SANDBOX_SEARCH_QUERY_PARSER_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_QUERY_PARSER_H_

#include <cstddef>
#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/result.h"
#include "sandbox/search/query_tree.h"

namespace tollbridge::sandbox {

/// Bounds of our own, so that no query costs much.
inline constexpr std::size_t kMaxQueryBytes = 4 * 1024;
inline constexpr int kMaxQueryDepth = 16;  ///< of parentheses and NOT
inline constexpr int kMaxQueryTerms = 64;

/// Takes a query apart (docs/interface.md#search-orders; what that leaves open is as in the query
/// languages of search engines):
///
///     *                            all orders
///     field:value                  value: no white space, none of ()[]{}"\ in it
///     field:"quoted value"         with \" and \\ for " and \ in it
///     field:value*                 text that begins so; `field:*`: the field is there
///     field:[from TO to]           both ends within; {} both without; may be mixed; * is open
///     NOT a, a AND b, a OR b, (a)  NOT binds closest, then AND, then OR
///
/// A date stands for all of its day in UTC: `created:2026-11-21` is any time on it, `[d TO d]` too,
/// `{d TO` begins after its end, and `TO d}` ends before its start. A date-time is that
/// millisecond.
///
/// Errors: ValidationError that names the rule and the place by its byte, counted from 1, and never
/// repeats a value.
Result<QueryNode> ParseQuery(std::string_view text);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_QUERY_PARSER_H_
