#ifndef TOLLBRIDGE_SANDBOX_SEARCH_QUERY_VALUES_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_QUERY_VALUES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "sandbox/search/query_fields.h"
#include "sandbox/search/query_tree.h"

namespace tollbridge::sandbox {

/// A value as it stands in a query.
struct WrittenValue {
  std::string text;  ///< without quotes and escapes
  bool quoted = false;
  std::size_t at = 0;  ///< where it begins
};

/// A range as it stands in a query; an end that is not set was `*`.
struct WrittenRange {
  std::optional<WrittenValue> from;
  std::optional<WrittenValue> to;
  bool with_from = true;
  bool with_to = true;
  std::size_t at = 0;
};

/// What is wrong with a value: the rule, after the field's name, and where.
struct ValueProblem {
  std::string rule;
  std::size_t at = 0;
};

/// What `field:value` asks for.
std::variant<Condition, ValueProblem> ReadValue(const QueryFieldInfo& field,
                                                const WrittenValue& value);
/// What `field:[from TO to]` asks for.
std::variant<Condition, ValueProblem> ReadRange(const QueryFieldInfo& field,
                                                const WrittenRange& range);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_QUERY_VALUES_H_
