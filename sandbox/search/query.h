#ifndef TOLLBRIDGE_SANDBOX_SEARCH_QUERY_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_QUERY_H_

#include <optional>
#include <string>
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
  /// When what can match was created, where the query says so: `created:[a TO b]`, also with
  /// further conditions.
  std::optional<Bounds<Time>> created() const;
  /// The merchant_order_id of what can match, where the query says so: `merchant_order_id:a`, also
  /// with further conditions.
  std::optional<std::string> only_reference() const;

 private:
  explicit Query(QueryNode root) : root_(std::move(root)) {}

  QueryNode root_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_QUERY_H_
