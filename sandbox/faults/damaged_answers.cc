#include "sandbox/faults/damaged_answers.h"

#include <absl/status/statusor.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/core/status_macros.h"

namespace tollbridge::sandbox {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::size_t kGarbledEvery = 7;
constexpr std::size_t kPiecesPerSecond = 10;

std::string_view UsualType(int status) {
  switch (status) {
    case 400:
    case 422:
      return "ValidationError";
    case 401:
      return "AuthenticationError";
    case 403:
      return "PermissionDenied";
    case 404:
      return "NotFound";
    case 429:
      return "RateLimitExceeded";
    default:
      return "ServerError";
  }
}

/// `passed` counts the bytes that went before.
void Garble(std::string* text, std::size_t* passed) {
  for (char& byte : *text) {
    if ((*passed)++ % kGarbledEvery == 0) byte = static_cast<char>(byte | '\x80');
  }
}

/// A streamed body that is damaged piece by piece.
class GarbledBody {
 public:
  explicit GarbledBody(http::BodyProducer inner) : inner_(std::move(inner)) {}

  Async<std::string> Next() {
    absl::StatusOr<std::string> piece = co_await inner_();
    if (piece.ok()) Garble(&*piece, &passed_);
    co_return piece;
  }

 private:
  http::BodyProducer inner_;
  std::size_t passed_ = 0;
};

/// A body that trickles.
class SlowBody {
 public:
  SlowBody(const asio::any_io_executor& executor, std::string body, http::BodyProducer inner,
           std::size_t bytes_per_second)
      : timer_(executor),
        left_(std::move(body)),
        inner_(std::move(inner)),
        piece_bytes_(std::max<std::size_t>(1, bytes_per_second / kPiecesPerSecond)),
        bytes_per_second_(bytes_per_second) {}

  Async<std::string> Next() {
    if (position_ == left_.size() && inner_) {
      TB_CO_ASSIGN_OR_RETURN(left_, co_await inner_());
      position_ = 0;
    }
    std::string piece = left_.substr(position_, piece_bytes_);
    if (piece.empty()) co_return piece;
    position_ += piece.size();
    timer_.expires_after(std::chrono::microseconds(1'000'000 * piece.size() / bytes_per_second_));
    boost::system::error_code ignored;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    co_return piece;
  }

 private:
  asio::steady_timer timer_;
  std::string left_;
  std::size_t position_ = 0;
  http::BodyProducer inner_;
  std::size_t piece_bytes_;
  std::size_t bytes_per_second_;
};

}  // namespace

http::Response NoAnswer() {
  http::Response response;
  response.reset_after_bytes = 0;
  return response;
}

http::Response ErrorAnswer(int status, std::string_view type) {
  json::object error;
  error["status"] = status;
  error["type"] = type.empty() ? UsualType(status) : type;
  error["value"] = "a fault of the sandbox's fault plan";
  json::object body;
  body["error"] = std::move(error);
  http::Response response;
  response.status = status;
  response.headers.Set("Content-Type", "application/json");
  response.body = json::serialize(body);
  return response;
}

http::Response StatusAnswer(const Fault& fault) {
  if (!fault.body && (fault.status >= 400 || !fault.type.empty())) {
    return ErrorAnswer(fault.status, fault.type);
  }
  http::Response response;
  response.status = fault.status;
  if (fault.body) {
    response.headers.Set("Content-Type", "application/json");
    response.body = *fault.body;
  }
  return response;
}

http::Response TooManyRequestsAnswer(const Fault& fault) {
  http::Response response = ErrorAnswer(429, "");
  if (fault.retry_after_seconds) {
    response.headers.Set("Retry-After", std::to_string(*fault.retry_after_seconds));
  }
  return response;
}

http::Response ProxyPage(int status) {
  const std::string title = std::to_string(status) + " " + std::string(http::ReasonPhrase(status));
  http::Response response;
  response.status = status;
  response.headers.Set("Content-Type", "text/html; charset=utf-8");
  response.body = "<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>" + title +
                  "</title></head>\n<body><h1>" + title + "</h1><hr>proxy</body>\n</html>\n";
  return response;
}

http::Response Garbled(http::Response response) {
  if (response.body_producer) {
    auto body = std::make_shared<GarbledBody>(std::move(response.body_producer));
    response.body_producer = [body] { return body->Next(); };
    return response;
  }
  std::size_t passed = 0;
  Garble(&response.body, &passed);
  return response;
}

asio::awaitable<http::Response> CutShort(http::Response response, std::size_t bytes) {
  if (response.body_producer) {
    response.body.clear();
    while (response.body.size() <= bytes) {
      absl::StatusOr<std::string> piece = co_await response.body_producer();
      if (!piece.ok()) co_return NoAnswer();
      if (piece->empty()) break;
      response.body += *piece;
    }
    response.body_producer = nullptr;
  }
  if (response.body.size() > bytes) response.body.resize(bytes);
  co_return response;
}

http::Response Slowed(http::Response response, std::size_t bytes_per_second,
                      const asio::any_io_executor& executor) {
  auto body = std::make_shared<SlowBody>(executor, std::move(response.body),
                                         std::move(response.body_producer), bytes_per_second);
  response.body.clear();
  response.body_producer = [body] { return body->Next(); };
  return response;
}

}  // namespace tollbridge::sandbox
