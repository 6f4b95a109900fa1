#include "services/sandbox/admin_api.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "services/sandbox/error_response.h"
#include "services/sandbox/order_json.h"

namespace tollbridge::sandbox {

http::Response AdminApi::Handle(const http::Request& request, const http::Target& target) {
  std::vector<std::string> path = target.segments;
  if (!path.empty() && path.back().empty()) path.pop_back();
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (path.size() == 2 && reads) {
    if (path[1] == "ledger") return JsonResponse(200, boost::json::serialize(ledger_->ToJson()));
    if (path[1] == "deliveries") return JsonResponse(200, boost::json::serialize(webhooks_->Log()));
    if (path[1] == "orders") return Orders();
  }
  if (request.method == "POST") {
    if (path.size() == 2 && path[1] == "reset") return Reset();
    if (path.size() == 4 && path[1] == "orders" && path[3] == "pay") return Pay(path[2], request);
  }
  return ToResponse({404, "NotFound", "no such admin call, or not with this method"});
}

http::Response AdminApi::Orders() const {
  boost::json::array out;
  for (const Order* order : orders_->All()) out.push_back(ToJson(*order, *base_url_));
  return JsonResponse(200, boost::json::serialize(out));
}

http::Response AdminApi::Pay(const std::string& id, const http::Request& request) {
  const std::optional<Uuid> uuid = Uuid::Parse(id);
  if (!uuid) return ToResponse({404, "NotFound", "no such order"});
  boost::system::error_code problem;
  const boost::json::value body = boost::json::parse(request.body, problem);
  const boost::json::value* outcome =
      !problem && body.is_object() ? body.as_object().if_contains("outcome") : nullptr;
  const std::string wanted =
      outcome != nullptr && outcome->is_string() ? std::string(outcome->as_string()) : "";
  std::optional<ApiError> error;
  if (wanted == "approve") {
    error = orders_->Approve(*uuid, "", "admin");
  } else if (wanted == "decline") {
    error = orders_->Decline(*uuid, "");
  } else if (wanted == "expire") {
    error = orders_->Expire(*uuid);
  } else {
    error = ApiError{422, "ValidationError", "outcome must be approve, decline or expire"};
  }
  if (error) return ToResponse(*error);
  return JsonResponse(200, boost::json::serialize(ToJson(*orders_->Find(*uuid), *base_url_)));
}

http::Response AdminApi::Reset() {
  orders_->Clear();
  ledger_->Clear();
  webhooks_->ClearLog();
  return JsonResponse(200, "{}");
}

}  // namespace tollbridge::sandbox
