#ifndef TOLLBRIDGE_SERVICES_DOMAIN_MARK_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_MARK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/uuid.h"

namespace tollbridge::common::v1 {
class Order;
}

namespace tollbridge::domain {

/// The field of `extra` that carries the mark on create order. Callers may not set it; it is
/// stripped on reads.
inline constexpr std::string_view kMarkField = "tollbridge_operation";

/// Names an operation and one attempt of it at the payment service
/// (docs/design/operations.md#identity).
struct Mark {
  Uuid operation;
  /// First eight characters of the epoch id in which it was sent.
  std::string epoch;
  std::uint32_t attempt = 0;

  bool operator==(const Mark&) const = default;
};

/// `<operation id>.<epoch short id>.<attempt>`.
std::string ToText(const Mark& mark);
/// nullopt for text that is no mark.
std::optional<Mark> ParseMark(std::string_view text);
/// The mark in the order's `extra`; nullopt when it has none that can be read.
std::optional<Mark> MarkOf(const common::v1::Order& order);
/// Takes the mark's field out of the order's `extra`, and with it an `extra` that holds nothing
/// else: then it is there for the mark alone.
void StripMark(common::v1::Order& order);

/// What the description of a refund or partial capture or void begins with, so that it is found
/// again: `[tb:<first 16 hex digits of the operation id>]`.
std::string DescriptionMark(const Uuid& operation);
/// Whether a description carries the operation's mark.
bool CarriesMark(std::string_view description, const Uuid& operation);
/// Whether a description carries the mark of any operation. Callers may not send one.
bool CarriesAnyMark(std::string_view description);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_MARK_H_
