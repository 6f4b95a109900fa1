#ifndef TOLLBRIDGE_SANDBOX_SEARCH_QUERY_TREE_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_QUERY_TREE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/uuid.h"
#include "sandbox/core/clock.h"
#include "sandbox/search/query_fields.h"

namespace tollbridge::sandbox {

/// From here to there; an end that is not set is open. One value is a range with both ends on it.
template <typename T>
struct Bounds {
  std::optional<T> from;
  std::optional<T> to;
  bool with_from = true;  ///< `from` itself is within
  bool with_to = true;

  template <typename U>
  bool Contain(const U& value) const {
    if (from && (value < *from || (!with_from && value == *from))) return false;
    return !to || value < *to || (with_to && value == *to);
  }
};

/// What a text begins with.
struct Prefix {
  std::string text;
};

/// What a term asks of its field. Words of a fixed set are texts, checked when they were read.
using Condition =
    std::variant<Bounds<std::int64_t>, Bounds<Time>, Bounds<Uuid>, Bounds<std::string>, Prefix>;

/// A query, taken apart.
struct QueryNode {
  enum class Kind {
    kEverything,  ///< `*`
    kTerm,        ///< field and condition
    kNot,         ///< of its one child
    kAnd,         ///< of its children, two or more
    kOr,
  };

  Kind kind = Kind::kEverything;
  QueryField field = QueryField::kId;
  Condition condition;
  std::vector<QueryNode> children;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_QUERY_TREE_H_
