#include "sandbox/search/search_sort.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "sandbox/core/clock.h"
#include "sandbox/core/status.h"

namespace tollbridge::sandbox {
namespace {

constexpr auto kNames = std::to_array<std::pair<std::string_view, SortField>>({
    {"id", SortField::kId},
    {"created", SortField::kCreated},
    {"modified", SortField::kModified},
    {"completed", SortField::kCompleted},
    {"amount", SortField::kAmount},
    {"merchant_order_id", SortField::kMerchantOrderId},
    {"status", SortField::kStatus},
});

SortKey TextKey(std::string_view text) {
  if (text.empty()) return std::monostate{};
  return text;
}

std::int64_t MillisOf(Time time) { return time.time_since_epoch().count(); }

bool IsTime(SortField field) {
  return field == SortField::kCreated || field == SortField::kModified ||
         field == SortField::kCompleted;
}

}  // namespace

std::optional<Sort> ParseSort(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view direction = text.substr(space + 1);
  if (direction != "asc" && direction != "desc") return std::nullopt;
  for (const auto& [name, field] : kNames) {
    if (name == text.substr(0, space)) return Sort{field, direction == "desc"};
  }
  return std::nullopt;
}

SortKey KeyOf(SortField field, const Order& order) {
  switch (field) {
    case SortField::kId:
      return order.id;
    case SortField::kCreated:
      return MillisOf(order.created);
    case SortField::kModified:
      return MillisOf(order.modified);
    case SortField::kCompleted:
      if (!order.completed) return std::monostate{};
      return MillisOf(*order.completed);
    case SortField::kAmount:
      return order.amount;
    case SortField::kMerchantOrderId:
      if (!order.merchant_order_id) return std::monostate{};
      return TextKey(*order.merchant_order_id);
    case SortField::kStatus:
      return TextKey(Text(order.status));
  }
  return std::monostate{};
}

bool ComesBefore(const SortKey& a, const SortKey& b, bool descending) {
  const bool a_missing = std::holds_alternative<std::monostate>(a);
  const bool b_missing = std::holds_alternative<std::monostate>(b);
  if (a_missing || b_missing) return !a_missing && b_missing;
  return descending ? b < a : a < b;
}

std::string CursorText(SortField field, const SortKey& key) {
  if (const Uuid* id = std::get_if<Uuid>(&key)) return id->ToString();
  if (const std::string_view* text = std::get_if<std::string_view>(&key)) return std::string(*text);
  const std::int64_t* number = std::get_if<std::int64_t>(&key);
  if (number == nullptr) return "";
  return IsTime(field) ? FormatTime(Time(Millis(*number))) : std::to_string(*number);
}

std::optional<SortCursor> ParseCursor(SortField field, std::string_view text) {
  if (text.empty()) return SortCursor();
  if (IsTime(field)) {
    const std::optional<Time> time = ParseTime(text);
    if (!time) return std::nullopt;
    return MillisOf(*time);
  }
  if (field == SortField::kId) {
    const std::optional<Uuid> id = Uuid::Parse(text);
    if (!id) return std::nullopt;
    return *id;
  }
  if (field == SortField::kAmount) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc{} || stop != end) return std::nullopt;
    return number;
  }
  if (field == SortField::kStatus && !ParseOrderStatus(text)) return std::nullopt;
  return std::string(text);
}

SortKey KeyOf(const SortCursor& cursor) {
  return std::visit([](const auto& value) { return SortKey(value); }, cursor);
}

}  // namespace tollbridge::sandbox
