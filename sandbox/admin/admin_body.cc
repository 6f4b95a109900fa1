#include "sandbox/admin/admin_body.h"

#include <span>

#include "sandbox/core/result.h"

namespace tollbridge::sandbox {
namespace {

const boost::json::object& ObjectOr(const Result<boost::json::object>& parsed) {
  static const boost::json::object empty;
  return parsed.ok() ? *parsed : empty;
}

}  // namespace

Result<boost::json::object> ParseAdminBody(std::string_view text) {
  return ParseBody(text.empty() ? "{}" : text);
}

AdminBody::AdminBody(std::string_view text, std::initializer_list<std::string_view> known)
    : parsed_(ParseAdminBody(text)),
      reader_(ObjectOr(parsed_), "", std::span(known.begin(), known.size())) {
  if (!parsed_.ok()) reader_.Fail(parsed_.error());
}

std::string AdminBody::RequiredText(std::string_view name) {
  reader_.Require(name);
  return Text(name).value_or("");
}

std::int64_t AdminBody::RequiredInteger(std::string_view name, std::int64_t from, std::int64_t to) {
  reader_.Require(name);
  return Integer(name, from, to).value_or(from);
}

}  // namespace tollbridge::sandbox
