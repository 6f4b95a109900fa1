#include "services/domain/mark.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::domain {
namespace {

constexpr std::size_t kUuidText = 36;
constexpr std::size_t kMaxEpoch = 8;
constexpr std::size_t kShortId = 16;
constexpr std::string_view kBegin = "[tb:";

bool IsEpoch(std::string_view text) {
  return !text.empty() && text.size() <= kMaxEpoch && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
  });
}

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string ToText(const Mark& mark) {
  std::string text = mark.operation.ToString();
  text.append(".").append(mark.epoch).append(".").append(std::to_string(mark.attempt));
  return text;
}

std::optional<Mark> ParseMark(std::string_view text) {
  if (text.size() <= kUuidText || text[kUuidText] != '.') return std::nullopt;
  const std::optional<Uuid> operation = Uuid::Parse(text.substr(0, kUuidText));
  const std::string_view rest = text.substr(kUuidText + 1);
  const std::size_t dot = rest.find('.');
  if (!operation.has_value() || dot == std::string_view::npos || !IsEpoch(rest.substr(0, dot))) {
    return std::nullopt;
  }
  const std::string_view number = rest.substr(dot + 1);
  Mark mark{.operation = *operation, .epoch = std::string(rest.substr(0, dot)), .attempt = 0};
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), mark.attempt);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return mark;
}

std::optional<Mark> MarkOf(const common::v1::Order& order) {
  const auto& fields = order.extra().fields();
  const auto found = fields.find(std::string(kMarkField));
  if (found == fields.end()) return std::nullopt;
  return ParseMark(found->second.string_value());
}

void StripMark(common::v1::Order& order) {
  if (!order.has_extra()) return;
  auto& fields = *order.mutable_extra()->mutable_fields();
  const bool had_mark = fields.erase(std::string(kMarkField)) > 0;
  if (had_mark && fields.empty()) order.clear_extra();
}

std::string DescriptionMark(const Uuid& operation) {
  std::string hex = operation.ToString();
  std::erase(hex, '-');
  return std::string(kBegin) + hex.substr(0, kShortId) + "]";
}

bool CarriesMark(std::string_view description, const Uuid& operation) {
  return description.find(DescriptionMark(operation)) != std::string_view::npos;
}

bool CarriesAnyMark(std::string_view description) {
  for (std::size_t at = description.find(kBegin); at != std::string_view::npos;
       at = description.find(kBegin, at + 1)) {
    const std::string_view rest = description.substr(at + kBegin.size());
    if (rest.size() > kShortId && rest[kShortId] == ']' &&
        std::ranges::all_of(rest.substr(0, kShortId), IsHexDigit)) {
      return true;
    }
  }
  return false;
}

}  // namespace tollbridge::domain
