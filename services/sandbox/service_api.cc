#include "services/sandbox/service_api.h"

#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "services/sandbox/order_json.h"
#include "services/sandbox/order_request.h"

namespace tollbridge::sandbox {
namespace {

http::Response NoSuchResource() {
  return ToResponse({404, "NotFound", "the resource does not exist"});
}

http::Response WrongMethod(std::string_view allowed) {
  http::Response response = ToResponse({405, "MethodNotAllowed", "the method is not allowed here"});
  response.headers.Set("Allow", allowed);
  return response;
}

}  // namespace

http::Response ServiceApi::Handle(const http::Request& request, const http::Target& target) {
  // A slash at the end makes an empty last segment: paths count with and without it.
  std::vector<std::string> path = target.segments;
  if (!path.empty() && path.back().empty()) path.pop_back();

  const Project* project =
      Authenticate(*projects_, request.headers.Find("Authorization").value_or(""));
  if (project == nullptr) {
    http::Response response =
        ToResponse({401, "AuthenticationError", "authentication failed or missing"});
    response.headers.Set("WWW-Authenticate", "Basic realm=\"sandbox\"");
    return response;
  }
  const bool changes = request.method != "GET" && request.method != "HEAD";
  if (changes && project->read_only) {
    return ToResponse({403, "PermissionDenied", "this API key may only read"});
  }
  if (path.size() == 2 && path[1] == "orders") {
    if (request.method != "POST") return WrongMethod("POST");
    return CreateOrder(*project, request);
  }
  if (path.size() == 3 && path[1] == "orders") {
    if (changes) return WrongMethod("GET, HEAD");
    return GetOrder(*project, path[2]);
  }
  return NoSuchResource();
}

http::Response ServiceApi::CreateOrder(const Project& project, const http::Request& request) {
  std::variant<Order, ApiError> read = ReadOrderRequest(request.body);
  if (const ApiError* error = std::get_if<ApiError>(&read)) return ToResponse(*error);
  const Order& order = orders_->Create(project, std::get<Order>(std::move(read)));
  return JsonResponse(201, boost::json::serialize(ToJson(order, *base_url_)));
}

http::Response ServiceApi::GetOrder(const Project& project, const std::string& id) {
  const std::optional<Uuid> uuid = Uuid::Parse(id);
  const Order* order = uuid ? orders_->FindOf(project, *uuid) : nullptr;
  if (order == nullptr) return NoSuchResource();
  return JsonResponse(200, boost::json::serialize(ToJson(*order, *base_url_)));
}

}  // namespace tollbridge::sandbox
