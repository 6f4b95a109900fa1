#include "adapters/payment_service/refusal_body.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/payment_service/confidential.h"
#include "base/core/card_numbers.h"
#include "base/core/text.h"

namespace tollbridge::payment_service {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxErrorBody = 64 * 1024;
constexpr std::size_t kMaxValueBytes = 512;
constexpr std::string_view kLeftOut = "(left out: repeats confidential data)";
constexpr std::int64_t kMaxRetryAfterSeconds = 3600;

/// The `error` member of a JSON object; nullopt when the body is something else.
std::optional<boost::json::object> ErrorObject(std::string_view body) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code error;
  const boost::json::value root = boost::json::parse(body, error, {}, options);
  if (error || !root.is_object()) return std::nullopt;
  const boost::json::value* inner = root.as_object().if_contains("error");
  if (inner == nullptr || !inner->is_object()) return std::nullopt;
  return inner->as_object();
}

/// Masked before it is cut: half a card number would no longer be known as one.
std::string Text(const boost::json::object& object, std::string_view name,
                 std::span<const std::string> confidential) {
  const boost::json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return "";
  const std::string_view sent = value->as_string();
  if (Repeats(sent, confidential)) return std::string(kLeftOut);
  return std::string(Truncated(MaskCardNumbers(sent), kMaxValueBytes));
}

}  // namespace

domain::Refusal ReadRefusal(const http::Response& response,
                            std::span<const std::string> confidential) {
  domain::Refusal refusal;
  refusal.http_status = response.status;
  if (response.body.size() <= kMaxErrorBody) {
    if (const auto error = ErrorObject(response.body)) {
      refusal.error_object = true;
      refusal.type = Text(*error, "type", confidential);
      refusal.value = Text(*error, "value", confidential);
    }
  }
  if (const std::optional<std::string_view> after = response.headers.Find("Retry-After")) {
    std::int64_t seconds = 0;
    const auto [end, problem] =
        std::from_chars(after->data(), after->data() + after->size(), seconds);
    const bool whole = problem == std::errc() && end == after->data() + after->size();
    if (whole && seconds >= 0 && seconds <= kMaxRetryAfterSeconds) {
      refusal.retry_after = std::chrono::seconds(seconds);
    }
  }
  return refusal;
}

}  // namespace tollbridge::payment_service
