#include "sandbox/wire/error_response.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "sandbox/core/result.h"

namespace tollbridge::sandbox {

http::Response JsonResponse(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.Set("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

http::Response ToResponse(const ApiError& error) {
  boost::json::object inner;
  inner["status"] = error.status;
  inner["type"] = error.type;
  inner["value"] = error.value;
  boost::json::object outer;
  outer["error"] = std::move(inner);
  return JsonResponse(error.status, boost::json::serialize(outer));
}

http::Response ToResponse(Result<http::Response> answer) {
  return answer.ok() ? *std::move(answer) : ToResponse(answer.error());
}

http::Response ToResponse(int status, std::string_view reason) {
  return ToResponse(
      {status, status >= 500 ? "ServerError" : "ValidationError", std::string(reason)});
}

}  // namespace tollbridge::sandbox
