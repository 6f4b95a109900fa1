#ifndef TOLLBRIDGE_SANDBOX_SEARCH_QUERY_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_QUERY_H_

#include <optional>
#include <string_view>
#include <utility>

#include "sandbox/core/model.h"
#include "sandbox/core/result.h"
#include "sandbox/search/query_parser.h"
#include "sandbox/search/query_tree.h"

namespace tollbridge::sandbox {

/// A query of POST /v1/search/orders/. The language: query_parser.h.
class Query {
 public:
  /// Finds all orders.
  Query() = default;
  /// Errors: those of ParseQuery.
  static Result<Query> Parse(std::string_view text);

  /// A term about what the order does not have does not hold, and its NOT does.
  bool Matches(const Order& order) const;

  bool finds_all() const { return root_.kind == QueryNode::Kind::kEverything; }
  /// The one order that can match, where the query says so: `id:<uuid>`, also with further
  /// conditions.
  std::optional<Uuid> only_id() const;

 private:
  explicit Query(QueryNode root) : root_(std::move(root)) {}

  QueryNode root_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_QUERY_H_
