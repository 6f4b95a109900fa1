#ifndef TOLLBRIDGE_SERVICES_SANDBOX_ADMIN_ADMIN_BODY_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_ADMIN_ADMIN_BODY_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "services/sandbox/core/model.h"

namespace tollbridge::sandbox {

/// The JSON object that an admin call carries, read strictly: a field that is not known is an
/// error. The first error stays, and from then on every field reads as absent: read all, then look
/// at error() once. Errors name the field and its rule and never repeat a value.
class AdminBody {
 public:
  /// `known`: the fields that the call takes. An empty body counts as {}.
  AdminBody(std::string_view text, std::initializer_list<std::string_view> known);
  /// Any fields: for a body that is checked elsewhere.
  explicit AdminBody(std::string_view text);

  /// 400 for what is no JSON or nested past 32, 422 for the rest.
  const std::optional<ApiError>& error() const { return error_; }
  const boost::json::object& object() const { return object_; }

  std::optional<std::string> Text(std::string_view name);
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t from, std::int64_t to);
  /// As above; an error when the field is absent, and then "" and `from`.
  std::string RequiredText(std::string_view name);
  std::int64_t RequiredInteger(std::string_view name, std::int64_t from, std::int64_t to);

  /// Makes "<name> <rule>" the error, unless there is one already.
  void Refuse(std::string_view name, std::string_view rule);

 private:
  const boost::json::value* Find(std::string_view name) const;

  boost::json::object object_;
  std::optional<ApiError> error_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_ADMIN_ADMIN_BODY_H_
