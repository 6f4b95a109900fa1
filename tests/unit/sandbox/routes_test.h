#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_ROUTES_TEST_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_ROUTES_TEST_H_

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/encoding.h"
#include "base/http/message.h"
#include "base/http/url.h"
#include "sandbox/core/world.h"
#include "sandbox/wire/error_response.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"
#include "tests/unit/sandbox/known_values.h"

namespace tollbridge::sandbox {

inline constexpr std::string_view kStart = "2026-11-21T08:00:00.000Z";

/// Some routes over a world whose clock stands, without sockets, permissions and faults (those are
/// the App's). The routes come from the function that the room publishes.
class RoutesTest : public testing::Test {
 protected:
  using MakeRoutes = std::vector<Route> (*)(World*, const Addresses*);

  explicit RoutesTest(MakeRoutes make, Settings settings = {})
      : world_(std::move(settings), 7, ParseTime(kStart)),
        addresses_{.base_url = "http://sandbox.test",
                   .vault_url = "http://sandbox.test/vault",
                   .wallet_token_url = "http://sandbox.test/wallet-b"},
        router_(make(&world_, &addresses_)) {}

  /// `key` empty: no project. 404 and 405 as the App answers them.
  http::Response Ask(std::string_view method, std::string_view target,
                     std::string_view key = kDemoKey, std::string_view body = "") {
    http::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    return Send(request, key);
  }

  http::Response Send(const http::Request& request, std::string_view key = kDemoKey) {
    const auto target = http::ParseTarget(request.target);
    EXPECT_TRUE(target.ok()) << request.target;
    const Match match = router_.Find(request.method, target->segments);
    if (match.route == nullptr) {
      if (match.allowed.empty()) return ToResponse(NotFound());
      return ToResponse({405, "MethodNotAllowed", "the method is not allowed here"});
    }
    Call call{.request = &request, .target = &*target, .parameters = match.parameters};
    if (!key.empty()) {
      call.project = Authenticate(world_.simulation.settings.projects,
                                  "Basic " + Base64Encode(std::string(key) + ":"));
      EXPECT_NE(call.project, nullptr);
    }
    return match.route->handle(call);
  }

  /// Moves the clock, and makes happen what is due on the way.
  void Advance(Millis by) {
    const Time until = world_.simulation.clock.Now() + by;
    while (world_.simulation.timeline.StepTowards(until)) {
    }
  }

  const Project& demo() const { return world_.simulation.settings.projects.front(); }

  static boost::json::object Object(const http::Response& response) {
    boost::system::error_code problem;
    const boost::json::value value = boost::json::parse(response.body, problem);
    EXPECT_TRUE(!problem && value.is_object()) << response.body;
    return value.is_object() ? value.as_object() : boost::json::object{};
  }

  /// Fails unless the answer has this status and the error object of docs/interface.md#errors.
  static void ExpectError(const http::Response& response, int status, std::string_view type,
                          std::string_view part_of_value = "") {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(response.headers.Find("Content-Type"), "application/json");
    const boost::json::object body = Object(response);
    ASSERT_TRUE(body.contains("error")) << response.body;
    const boost::json::object& error = body.at("error").as_object();
    EXPECT_EQ(error.at("status").as_int64(), status);
    EXPECT_EQ(std::string_view(error.at("type").as_string()), type) << response.body;
    EXPECT_NE(error.at("value").as_string().find(part_of_value), boost::json::string::npos)
        << response.body;
  }

  World world_;
  Addresses addresses_;
  Router router_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_ROUTES_TEST_H_
