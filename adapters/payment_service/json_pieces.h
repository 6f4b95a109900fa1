#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_JSON_PIECES_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_JSON_PIECES_H_

#include <optional>
#include <string_view>
#include <vector>

namespace tollbridge::payment_service {

// Taking JSON apart by its quotes, brackets and commas alone, so that one value that no parser
// takes does not hide the others. What is between them may be anything. In one pass, whatever the
// nesting. All views point into the text.

/// A member of an object, as it stands: the name without its quotes, escapes not resolved.
struct JsonMember {
  std::string_view name;
  std::string_view value;

  /// Whether it has this name, of ASCII, its own escapes resolved: a parser takes it for that.
  bool Is(std::string_view wanted) const;
};

/// The members of an object in their order. nullopt for what is no object or does not come to its
/// end.
std::optional<std::vector<JsonMember>> MembersOf(std::string_view text);

/// The elements of an array in their order. nullopt for what is no array or does not come to its
/// end.
std::optional<std::vector<std::string_view>> ElementsOf(std::string_view text);

/// The value of the last member of this name; nullopt where there is none, or no object.
std::optional<std::string_view> MemberOf(std::string_view text, std::string_view name);

/// What stands between the quotes of a text without escapes; nullopt for any other value.
std::optional<std::string_view> PlainText(std::string_view value);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_JSON_PIECES_H_
