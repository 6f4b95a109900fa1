#include "adapters/payment_service/requests.h"

#include <utility>

#include "base/http/url.h"

namespace tollbridge::payment_service {

std::string OrderPath(std::string_view order_id, std::string_view rest) {
  return std::string(kOrdersPath) + http::PercentEncode(order_id) + "/" + std::string(rest);
}

void SetJson(std::string body, http::Request* request) {
  request->headers.Set("Content-Type", "application/json");
  request->body = std::move(body);
}

ports::Answer Unsendable(const absl::Status& why) {
  ports::Answer answer;
  answer.fate = ports::Answer::Fate::kNotSent;
  answer.cause = std::string(why.message());
  return answer;
}

}  // namespace tollbridge::payment_service
