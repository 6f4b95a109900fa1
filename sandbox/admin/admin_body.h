#ifndef TOLLBRIDGE_SANDBOX_ADMIN_ADMIN_BODY_H_
#define TOLLBRIDGE_SANDBOX_ADMIN_ADMIN_BODY_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/body_reader.h"

namespace tollbridge::sandbox {

/// The JSON object that an admin call carries, with its reader: read all, then ask Done()
/// once. An empty body counts as {}.
class AdminBody {
 public:
  /// `known`: the fields that the call takes.
  AdminBody(std::string_view text, std::initializer_list<std::string_view> known);
  AdminBody(const AdminBody&) = delete;
  AdminBody& operator=(const AdminBody&) = delete;

  bool ok() const { return reader_.ok(); }
  Result<void> Done() const { return reader_.Done(); }

  std::optional<std::string> Text(std::string_view name) { return reader_.String(name); }
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t from, std::int64_t to) {
    return reader_.Integer(name, from, to);
  }
  /// As above; an error when the field is absent, and then "" and `from`.
  std::string RequiredText(std::string_view name);
  std::int64_t RequiredInteger(std::string_view name, std::int64_t from, std::int64_t to);

  /// Makes "<name> <rule>" the error, unless there is one already.
  void Refuse(std::string_view name, std::string_view rule) { reader_.Refuse(name, rule); }

 private:
  Result<boost::json::object> parsed_;
  FieldReader reader_;
};

/// The object alone, for a body that is read elsewhere.
Result<boost::json::object> ParseAdminBody(std::string_view text);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_ADMIN_ADMIN_BODY_H_
