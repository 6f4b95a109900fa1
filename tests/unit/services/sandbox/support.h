#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_SANDBOX_SUPPORT_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_SANDBOX_SUPPORT_H_

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "adapters/http/message.h"
#include "adapters/http/server.h"
#include "services/base/encoding.h"
#include "services/sandbox/app.h"

namespace tollbridge::sandbox {

inline constexpr std::string_view kDemoKey = "sandbox-demo-key";
inline constexpr std::string_view kShopKey = "sandbox-shop-key";
inline constexpr std::string_view kLimitedKey = "sandbox-limited-key";

/// The whole stand-in without a socket. Webhooks are queued on the io_context, which never runs.
class SandboxTest : public testing::Test {
 protected:
  SandboxTest() { app_.SetBaseUrl("http://sandbox.test"); }

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
    return app_.Handle(request, {.peer = peer_});
  }

  http::Response Create(std::string_view body = R"({"currency": "EUR", "amount": 1250})",
                        std::string_view key = kDemoKey) {
    return Ask("POST", "/v1/orders/", key, body);
  }

  /// Creates an order and gives what was answered.
  boost::json::object Created(std::string_view body = R"({"currency": "EUR", "amount": 1250})") {
    const http::Response response = Create(body);
    EXPECT_EQ(response.status, 201) << response.body;
    return boost::json::parse(response.body).as_object();
  }

  boost::json::object Get(const boost::json::value& id) {
    const http::Response response =
        Ask("GET", "/v1/orders/" + std::string(id.as_string()) + "/", kDemoKey);
    EXPECT_EQ(response.status, 200) << response.body;
    return boost::json::parse(response.body).as_object();
  }

  /// The admin's button.
  http::Response Pay(const boost::json::value& id, std::string_view outcome) {
    return Ask("POST", "/_sandbox/orders/" + std::string(id.as_string()) + "/pay", "",
               R"({"outcome": ")" + std::string(outcome) + "\"}");
  }

  boost::json::array Ledger() {
    return boost::json::parse(Ask("GET", "/_sandbox/ledger", "").body).as_array();
  }

  /// Fails unless the answer has this status and the error object of the interface document.
  static void ExpectError(const http::Response& response, int status, std::string_view type) {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(response.headers.Find("Content-Type"), "application/json");
    boost::system::error_code problem;
    const boost::json::value body = boost::json::parse(response.body, problem);
    ASSERT_TRUE(!problem && body.is_object() && body.as_object().contains("error"))
        << response.body;
    const boost::json::object& error = body.at("error").as_object();
    EXPECT_EQ(error.at("status"), status);
    EXPECT_EQ(std::string_view(error.at("type").as_string()), type);
    EXPECT_FALSE(error.at("value").as_string().empty());
  }

  boost::asio::io_context context_{1};
  std::string peer_ = "127.0.0.1:4711";
  App app_{context_.get_executor(), 1, DefaultProjects(), WebhookPolicy{}};
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_SANDBOX_SUPPORT_H_
