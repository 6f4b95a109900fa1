#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_SUPPORT_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_SUPPORT_H_

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/encoding.h"
#include "base/http/message.h"
#include "base/http/server.h"
#include "sandbox/app.h"
#include "tests/unit/sandbox/known_values.h"

namespace tollbridge::sandbox {

inline constexpr std::string_view kLimitedKey = "sandbox-limited-key";
inline constexpr std::string_view kPlainOrder = R"({"currency": "EUR", "amount": 1250})";
inline constexpr std::string_view kCardOrder =
    R"({"currency": "EUR", "amount": 1250, "merchant_order_id": "A-1",
        "transactions": [{"payment_method": "credit-card"}]})";

/// The whole stand-in without a socket, on a clock that stands.
class SandboxTest : public testing::Test {
 protected:
  explicit SandboxTest(AppOptions options = StandingClock())
      : app_(context_.get_executor(), std::move(options)) {
    app_.SetAddresses({.base_url = "http://sandbox.test",
                       .vault_url = "http://sandbox.test/vault",
                       .wallet_token_url = "http://sandbox.test/wallet-b"});
  }

  static AppOptions StandingClock() {
    AppOptions options;
    options.start = ParseTime("2026-11-21T08:00:00Z");
    return options;
  }

  /// Runs the App until it has answered.
  http::Response Send(const http::Request& request, std::string_view prefix = "") {
    std::optional<http::Response> answer;
    std::exception_ptr problem;
    const http::ConnectionInfo connection{.peer = peer_};
    boost::asio::co_spawn(context_, app_.Handle(request, connection, prefix),
                          [&](std::exception_ptr thrown, http::Response response) {
                            problem = thrown;
                            answer = std::move(response);
                          });
    context_.restart();
    while (!answer && context_.run_one() > 0) {
    }
    if (problem) std::rethrow_exception(problem);
    if (!answer) ADD_FAILURE() << "no answer to " << request.target;
    return answer.value_or(http::Response{.status = 0});
  }

  /// `key` empty: without authentication.
  http::Response Ask(std::string_view method, std::string_view target, std::string_view key,
                     std::string_view body = "") {
    http::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    if (!key.empty()) {
      request.headers.Set("Authorization", "Basic " + Base64Encode(std::string(key) + ":"));
    }
    return Send(request);
  }

  http::Response Create(std::string_view body = kPlainOrder, std::string_view key = kDemoKey) {
    return Ask("POST", "/v1/orders/", key, body);
  }
  /// Creates an order and gives what was answered.
  boost::json::object Created(std::string_view body = kPlainOrder) {
    const http::Response response = Create(body);
    EXPECT_EQ(response.status, 201) << response.body;
    return Object(response);
  }
  static std::string OrderPath(const boost::json::object& order) {
    return "/v1/orders/" + std::string(order.at("id").as_string()) + "/";
  }
  boost::json::object Get(const boost::json::object& order) {
    const http::Response response = Ask("GET", OrderPath(order), kDemoKey);
    EXPECT_EQ(response.status, 200) << response.body;
    return Object(response);
  }

  /// An admin call.
  http::Response Operate(std::string_view call, std::string_view body) {
    return Ask("POST", "/_sandbox/" + std::string(call), "", body);
  }
  /// The operator's button.
  http::Response Pay(const boost::json::object& order, std::string_view outcome) {
    return Operate("orders/" + std::string(order.at("id").as_string()) + "/pay",
                   R"({"outcome": ")" + std::string(outcome) + "\"}");
  }
  boost::json::array Ledger() {
    return boost::json::parse(Ask("GET", "/_sandbox/ledger", "").body).as_array();
  }

  static boost::json::object Object(const http::Response& response) {
    boost::system::error_code problem;
    const boost::json::value value = boost::json::parse(response.body, problem);
    EXPECT_TRUE(!problem && value.is_object()) << response.body;
    return value.is_object() ? value.as_object() : boost::json::object{};
  }

  /// Fails unless the answer has this status and the error object of docs/interface.md#errors.
  static void ExpectError(const http::Response& response, int status, std::string_view type) {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(response.headers.Find("Content-Type"), "application/json");
    const boost::json::object body = Object(response);
    ASSERT_TRUE(body.contains("error")) << response.body;
    const boost::json::object& error = body.at("error").as_object();
    EXPECT_EQ(error.at("status"), status);
    EXPECT_EQ(error.at("type").as_string(), type) << response.body;
    EXPECT_FALSE(error.at("value").as_string().empty());
  }

  boost::asio::io_context context_{1};
  App app_;
  std::string peer_ = "127.0.0.1:50000";
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_SUPPORT_H_
