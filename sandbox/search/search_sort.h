#ifndef TOLLBRIDGE_SANDBOX_SEARCH_SEARCH_SORT_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_SEARCH_SORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/core/uuid.h"
#include "sandbox/core/model.h"

namespace tollbridge::sandbox {

enum class SortField { kId, kCreated, kModified, kCompleted, kAmount, kMerchantOrderId, kStatus };

/// Order of the results (field `sort` of POST /v1/search/orders/).
struct Sort {
  SortField field = SortField::kId;
  bool descending = false;
};

/// What orders are sorted by: nothing (the order has no such value), an id, a number (amounts;
/// times as milliseconds since 1970) or a text. The text lives with the order.
using SortKey = std::variant<std::monostate, Uuid, std::int64_t, std::string_view>;
/// A SortKey that owns its text.
using SortCursor = std::variant<std::monostate, Uuid, std::int64_t, std::string>;

/// `created asc`, `amount desc`; nullopt for anything else.
std::optional<Sort> ParseSort(std::string_view text);

/// The order's value. An empty text counts as none.
SortKey KeyOf(SortField field, const Order& order);
/// Whether `a` comes before `b`; false for equal ones. Orders without a value come last in both
/// directions.
bool ComesBefore(const SortKey& a, const SortKey& b, bool descending);

/// The sort value as answers show it in `search_after`: id, ISO 8601 time, number or text; empty
/// for an order without one.
std::string CursorText(SortField field, const SortKey& key);
/// Reads it back; nullopt for what is no value of that field.
std::optional<SortCursor> ParseCursor(SortField field, std::string_view text);
/// The key that a cursor stands for; lives with the cursor.
SortKey KeyOf(const SortCursor& cursor);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_SEARCH_SORT_H_
