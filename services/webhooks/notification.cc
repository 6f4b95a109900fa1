#include "services/webhooks/notification.h"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>

namespace tollbridge::webhooks {
namespace {

namespace json = boost::json;

/// The documented body is flat; what else comes beside it may be so deep.
constexpr std::size_t kMaxDepth = 8;

std::optional<Uuid> UuidAt(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::nullopt : Uuid::Parse({text->data(), text->size()});
}

}  // namespace

std::optional<Notification> ParseNotification(std::string_view body) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code error;
  unsigned char buffer[4096];
  json::monotonic_resource memory(buffer, sizeof buffer);
  const json::value value = json::parse(body, error, &memory, options);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) return std::nullopt;
  const std::optional<Uuid> order = UuidAt(*object, "order_id");
  const std::optional<Uuid> project = UuidAt(*object, "project_id");
  const json::value* named = object->if_contains("project_id");
  const bool names_none = named == nullptr || named->is_null();
  if (!order || (!project && !names_none)) return std::nullopt;
  return Notification{.order_id = *order, .project_id = project};
}

}  // namespace tollbridge::webhooks
