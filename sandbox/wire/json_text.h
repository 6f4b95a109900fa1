#ifndef TOLLBRIDGE_SANDBOX_WIRE_JSON_TEXT_H_
#define TOLLBRIDGE_SANDBOX_WIRE_JSON_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/uuid.h"
#include "sandbox/core/clock.h"

namespace tollbridge::sandbox {

/// Writes JSON text member by member, without a tree of values in between. Commas are its own; the
/// caller opens and closes.
class JsonText {
 public:
  /// Appends to `out`.
  explicit JsonText(std::string* out) : out_(out) {}

  /// `{` or `[`, as a member under `name` where one is given.
  void Open(char bracket, std::string_view name = {});
  /// `}` or `]`.
  void Close(char bracket);

  void Text(std::string_view name, std::string_view value);
  void Number(std::string_view name, std::int64_t value);
  void Boolean(std::string_view name, bool value);
  void Id(std::string_view name, const Uuid& value);
  void When(std::string_view name, Time value);
  /// A value that is JSON already.
  void Raw(std::string_view name, std::string_view json);
  /// The member is left out where there is no value.
  void MaybeText(std::string_view name, const std::optional<std::string>& value);
  void MaybeId(std::string_view name, const std::optional<Uuid>& value);

  /// Elements of an array.
  void Element(std::string_view value);
  void Element(const Uuid& value);

 private:
  void Name(std::string_view name);
  void Quoted(std::string_view value);

  std::string* out_;
  bool first_ = true;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_WIRE_JSON_TEXT_H_
