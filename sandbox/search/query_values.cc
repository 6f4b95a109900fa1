#include "sandbox/search/query_values.h"

#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "sandbox/core/status.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kDateLength = std::string_view("2026-11-21").size();

/// From its first to its last moment what a written value stands for.
template <typename T>
struct Extent {
  T first;
  T last;
};

std::optional<Extent<std::int64_t>> ReadNumber(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return Extent<std::int64_t>{number, number};
}

std::optional<Extent<Time>> ReadDate(const std::string& text) {
  const std::optional<Time> time = ParseTime(text);
  if (!time) return std::nullopt;
  if (text.size() > kDateLength) return Extent<Time>{*time, *time};
  return Extent<Time>{*time, *time + std::chrono::days(1) - Millis{1}};
}

std::optional<Extent<Uuid>> ReadUuid(const std::string& text) {
  const std::optional<Uuid> id = Uuid::Parse(text);
  if (!id) return std::nullopt;
  return Extent<Uuid>{*id, *id};
}

std::optional<Extent<std::string>> ReadText(const std::string& text) {
  return Extent<std::string>{text, text};
}

template <typename T>
std::variant<Condition, ValueProblem> ToBounds(const WrittenRange& range,
                                               std::optional<Extent<T>> (*read)(const std::string&),
                                               std::string_view rule) {
  Bounds<T> bounds{.with_from = range.with_from, .with_to = range.with_to};
  if (range.from) {
    const std::optional<Extent<T>> from = read(range.from->text);
    if (!from) return ValueProblem{std::string(rule), range.from->at};
    bounds.from = range.with_from ? from->first : from->last;
  }
  if (range.to) {
    const std::optional<Extent<T>> to = read(range.to->text);
    if (!to) return ValueProblem{std::string(rule), range.to->at};
    bounds.to = range.with_to ? to->last : to->first;
  }
  return Condition(std::move(bounds));
}

std::variant<Condition, ValueProblem> Word(const WrittenValue& value, bool known,
                                           std::string_view rule) {
  if (!known) return ValueProblem{std::string(rule), value.at};
  return Condition(Bounds<std::string>{.from = value.text, .to = value.text});
}

}  // namespace

std::variant<Condition, ValueProblem> ReadRange(const QueryFieldInfo& field,
                                                const WrittenRange& range) {
  switch (field.type) {
    case QueryFieldType::kUuid:
      return ToBounds<Uuid>(range, ReadUuid, "must be a uuid");
    case QueryFieldType::kNumber:
      return ToBounds<std::int64_t>(range, ReadNumber,
                                    "must be a whole number in the smallest currency unit");
    case QueryFieldType::kDate:
      return ToBounds<Time>(range, ReadDate, "must be an ISO 8601 date or date-time");
    case QueryFieldType::kText:
      return ToBounds<std::string>(range, ReadText, "");
    case QueryFieldType::kOrderStatus:
    case QueryFieldType::kTransactionStatus:
    case QueryFieldType::kCreditDebit:
      break;
  }
  return ValueProblem{"cannot be searched by range", range.at};
}

std::variant<Condition, ValueProblem> ReadValue(const QueryFieldInfo& field,
                                                const WrittenValue& value) {
  if (!value.quoted && value.text.ends_with('*')) {
    if (field.type != QueryFieldType::kText) {
      return ValueProblem{"cannot be searched by prefix", value.at};
    }
    return Condition(Prefix{value.text.substr(0, value.text.size() - 1)});
  }
  switch (field.type) {
    case QueryFieldType::kOrderStatus:
      return Word(value, ParseOrderStatus(value.text).has_value(), "must be an order status");
    case QueryFieldType::kTransactionStatus:
      return Word(value, ParseTransactionStatus(value.text).has_value(),
                  "must be a transaction status");
    case QueryFieldType::kCreditDebit:
      return Word(value, value.text == "credit" || value.text == "debit",
                  "must be credit or debit");
    case QueryFieldType::kUuid:
    case QueryFieldType::kNumber:
    case QueryFieldType::kDate:
    case QueryFieldType::kText:
      break;
  }
  return ReadRange(field, {.from = value, .to = value, .at = value.at});
}

}  // namespace tollbridge::sandbox
