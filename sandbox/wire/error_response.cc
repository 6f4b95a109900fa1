#include "sandbox/wire/error_response.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
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

http::Response WithoutErrorType(http::Response response) {
  if (response.status < 400) return response;
  boost::system::error_code problem;
  boost::json::value body = boost::json::parse(response.body, problem);
  if (problem || !body.is_object()) return response;
  boost::json::value* error = body.as_object().if_contains("error");
  if (error == nullptr || !error->is_object()) return response;
  if (error->as_object().erase("type") > 0) response.body = boost::json::serialize(body);
  return response;
}

http::Response ToResponse(int status, std::string_view reason) {
  return ToResponse(
      {status, status >= 500 ? "ServerError" : "ValidationError", std::string(reason)});
}

}  // namespace tollbridge::sandbox
