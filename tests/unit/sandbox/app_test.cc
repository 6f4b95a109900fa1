#include "sandbox/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/sandbox/support.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

using testing::HasSubstr;

using AppTest = SandboxTest;

TEST_F(AppTest, WithoutAValidKeyNobodyIsLetIn) {
  const http::Request plain{.method = "POST", .target = "/v1/orders/", .body = "{}"};
  ExpectError(Send(plain), 401, "AuthenticationError");
  EXPECT_TRUE(Send(plain).headers.Contains("WWW-Authenticate"));
  const std::string key(kDemoKey);
  for (const std::string& authorization :
       {std::string("Basic"), std::string("Basic !!!"), "Basic " + Base64Encode("unknown-key:"),
        "Basic " + Base64Encode(key), "Basic " + Base64Encode(key + ":password"), "Bearer " + key,
        "Basic " + Base64Encode(":")}) {
    SCOPED_TRACE(authorization);
    http::Request request = plain;
    request.headers.Set("Authorization", authorization);
    ExpectError(Send(request), 401, "AuthenticationError");
  }
}

TEST_F(AppTest, SchemeOfTheKeyCountsWithoutCase) {
  http::Request request{.method = "GET", .target = "/v1/merchants/self/projects/self/currencies/"};
  request.headers.Set("authorization", "basic " + Base64Encode(std::string(kDemoKey) + ":"));
  EXPECT_EQ(Send(request).status, 200);
}

TEST_F(AppTest, KeyThatMayOnlyReadIsForbiddenToChange) {
  for (const Route& route : app_.routes()) {
    if (route.access != Access::kMerchant) continue;
    std::string path(route.pattern);
    for (std::size_t at = path.find("{}"); at != std::string::npos; at = path.find("{}")) {
      path.replace(at, 2, Uuid().ToString());
    }
    const http::Response response = Ask(route.method, path, kLimitedKey, "{}");
    if (route.changes) {
      ExpectError(response, 403, "PermissionDenied");
    } else {
      EXPECT_NE(response.status, 403) << path;
    }
  }
}

TEST_F(AppTest, AnotherProjectsOrderDoesNotExist) {
  const json::object order = Created();
  ExpectError(Ask("GET", OrderPath(order), kShopKey), 404, "NotFound");
  EXPECT_EQ(Ask("GET", OrderPath(order), kDemoKey).status, 200);
}

TEST_F(AppTest, ReadsOfEachOrderAreCounted) {
  const json::object order = Created();
  const json::object other = Created();
  EXPECT_EQ(Ask("GET", "/_sandbox/reads", "").body, "[]");
  Ask("GET", OrderPath(order), kDemoKey);
  Ask("GET", OrderPath(other), kShopKey);  // It does not exist for them.
  Ask("GET", OrderPath(order), kDemoKey);
  EXPECT_EQ(json::parse(Ask("GET", "/_sandbox/reads", "").body).as_array(),
            (json::array{json::object{{"order_id", order.at("id")}, {"reads", 2}}}));
  ASSERT_EQ(Ask("POST", "/_sandbox/reset", "", "{}").status, 200);
  EXPECT_EQ(Ask("GET", "/_sandbox/reads", "").body, "[]");
}

TEST_F(AppTest, UnknownPathsAndWrongMethodsCarryTheErrorObject) {
  ExpectError(Ask("GET", "/v1/unknown/", kDemoKey), 404, "NotFound");
  ExpectError(Ask("GET", "/", ""), 404, "NotFound");
  ExpectError(Ask("GET", "/elsewhere", ""), 404, "NotFound");
  const http::Response wrong = Ask("DELETE", "/v1/orders/", kDemoKey);
  ExpectError(wrong, 405, "MethodNotAllowed");
  EXPECT_EQ(wrong.headers.Find("Allow"), "POST");
  ExpectError(Ask("GET", "/v1/orders/%zz", kDemoKey), 400, "ValidationError");
}

TEST_F(AppTest, UnknownMerchantPathsAskForTheKeyFirst) {
  ExpectError(Ask("GET", "/v1/unknown/", ""), 401, "AuthenticationError");
  ExpectError(Ask("DELETE", "/vault/v1/cards/", ""), 401, "AuthenticationError");
}

TEST_F(AppTest, PathsCountWithAndWithoutTheirLastSlash) {
  EXPECT_EQ(Ask("POST", "/v1/orders", kDemoKey, kPlainOrder).status, 201);
  const json::object order = Created();
  std::string path = OrderPath(order);
  path.pop_back();
  EXPECT_EQ(Ask("GET", path, kDemoKey).status, 200);
}

TEST_F(AppTest, HeadIsAnsweredAsGet) {
  const json::object order = Created();
  EXPECT_EQ(Ask("HEAD", OrderPath(order), kDemoKey).status, 200);
  ExpectError(Ask("HEAD", "/v1/orders/", kDemoKey), 405, "MethodNotAllowed");
}

TEST_F(AppTest, VaultOnAPortOfItsOwnHasNoPrefix) {
  http::Request request{.method = "POST", .target = "/v1/cards/", .body = "{}"};
  request.headers.Set("Authorization", "Basic " + Base64Encode(std::string(kDemoKey) + ":"));
  ExpectError(Send(request, "/vault"), 422, "ValidationError");
  ExpectError(Send(request), 404, "NotFound");
}

TEST_F(AppTest, AdminCallsAnswerToLoopbackOnly) {
  peer_ = "192.0.2.1:4711";
  ExpectError(Ask("GET", "/_sandbox/ledger", ""), 403, "PermissionDenied");
  ExpectError(Ask("GET", "/_sandbox/", ""), 403, "PermissionDenied");
  for (const char* loopback : {"127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"}) {
    peer_ = loopback;
    const http::Response response = Ask("GET", "/_sandbox/ledger", "");
    EXPECT_EQ(response.status, 200) << loopback << " " << response.body;
  }
}

TEST_F(AppTest, AdminCallsRefuseWhatABrowserSendsForAnotherSite) {
  http::Request request{.method = "POST", .target = "/_sandbox/reset"};
  EXPECT_EQ(Send(request).status, 200);
  request.headers.Set("Host", "127.0.0.1:8080");
  request.headers.Set("Origin", "http://shop.example");
  ExpectError(Send(request), 403, "PermissionDenied");
  request.headers.Set("Origin", "http://127.0.0.1:8080");
  EXPECT_EQ(Send(request).status, 200);
  request.headers.Set("Sec-Fetch-Site", "cross-site");
  ExpectError(Send(request), 403, "PermissionDenied");
}

TEST_F(AppTest, AdminCallsRefuseAForeignNameThatLeadsHere) {
  http::Request request{.method = "GET", .target = "/_sandbox/ledger"};
  for (const char* host : {"localhost:8080", "LOCALHOST", "127.0.0.1:1", "[::1]:8080"}) {
    request.headers.Set("Host", host);
    EXPECT_EQ(Send(request).status, 200) << host;
  }
  for (const char* host : {"rebound.example:8080", "127-0-0-1.example", "127.evil.example",
                           "127.0.0.1.evil.example:8080", ""}) {
    request.headers.Set("Host", host);
    ExpectError(Send(request), 403, "PermissionDenied");
  }
}

class OpenAdminTest : public SandboxTest {
 protected:
  OpenAdminTest() : SandboxTest(Options()) {}
  static AppOptions Options() {
    AppOptions options = StandingClock();
    options.admin_anywhere = true;
    return options;
  }
};

TEST_F(OpenAdminTest, AdminCallsAnswerToAnyoneWhereThatWasAskedFor) {
  peer_ = "192.0.2.1:4711";
  EXPECT_EQ(Ask("GET", "/_sandbox/ledger", "").status, 200);
}

class RateLimitTest : public SandboxTest {
 protected:
  RateLimitTest() : SandboxTest(Options()) {}
  static AppOptions Options() {
    AppOptions options = StandingClock();
    options.settings.requests_per_second = 2;
    return options;
  }
};

TEST_F(RateLimitTest, MoreRequestsThanAllowedInASecondAre429) {
  EXPECT_EQ(Create().status, 201);
  EXPECT_EQ(Create().status, 201);
  const http::Response refused = Create();
  ExpectError(refused, 429, "RateLimitExceeded");
  EXPECT_EQ(refused.headers.Find("Retry-After"), "1");
  EXPECT_EQ(Create(kPlainOrder, kShopKey).status, 201) << "another project has its own window";
  EXPECT_EQ(Operate("clock", R"({"advance": "PT1S"})").status, 200);
  EXPECT_EQ(Create().status, 201);
}

TEST_F(AppTest, LedgerNamesTheCallBehindAnEffect) {
  const json::object order = Created(kCardOrder);
  EXPECT_EQ(Pay(order, "approve").status, 200);
  const json::array ledger = Ledger();
  ASSERT_EQ(ledger.size(), 1U);
  const json::object& row = ledger[0].as_object();
  EXPECT_EQ(row.at("effect"), "charge");
  EXPECT_EQ(row.at("order_id"), order.at("id"));
  EXPECT_EQ(row.at("amount"), 1250);
  EXPECT_EQ(row.at("operation"), "admin_pay");
  EXPECT_EQ(row.at("request"), 2);
}

TEST_F(AppTest, ResetForgetsOrdersEffectsAndDeliveries) {
  const json::object order = Created(kCardOrder);
  Pay(order, "approve");
  EXPECT_EQ(Operate("reset", "").status, 200);
  EXPECT_TRUE(Ledger().empty());
  ExpectError(Ask("GET", OrderPath(order), kDemoKey), 404, "NotFound");
}

TEST_F(AppTest, FaultAnswersInPlaceOfTheEffect) {
  ASSERT_EQ(Operate("faults", R"({"rules": [{"on": {"operation": "create_order", "nth": 2},
                                  "fault": {"kind": "status", "status": 503}}]})")
                .status,
            200);
  EXPECT_EQ(Create().status, 201);
  EXPECT_EQ(Create().status, 503);
  EXPECT_EQ(Create().status, 201);
  EXPECT_EQ(app_.world().orders.by_id().size(), 2U);
}

TEST_F(AppTest, FaultMayHitOneMerchantsReferenceOnly) {
  ASSERT_EQ(Operate("faults", R"({"rules": [{"on": {"merchant_order_id": "A-1"},
                                  "fault": {"kind": "status", "status": 500}}]})")
                .status,
            200);
  EXPECT_EQ(Create(kCardOrder).status, 500);
  EXPECT_EQ(Create().status, 201);
}

TEST_F(AppTest, DelayedExecutionHasItsEffectAfterTheConnectionDied) {
  ASSERT_EQ(Operate("faults", R"({"rules": [{"on": {"operation": "create_order"},
                                  "fault": {"kind": "delayed_execution", "seconds": 5}}]})")
                .status,
            200);
  EXPECT_EQ(Create().reset_after_bytes, 0U);
  EXPECT_TRUE(app_.world().orders.by_id().empty());
  EXPECT_EQ(Operate("clock", R"({"advance": "PT5S"})").status, 200);
  EXPECT_EQ(app_.world().orders.by_id().size(), 1U);
}

TEST_F(AppTest, ReadLagShowsTheStateOfThatTime) {
  ASSERT_EQ(Operate("faults", R"({"rules": [{"on": {"operation": "get_order"},
                                  "fault": {"kind": "read_lag", "seconds": 10}}]})")
                .status,
            200);
  const json::object order = Created(kCardOrder);
  ExpectError(Ask("GET", OrderPath(order), kDemoKey), 404, "NotFound");
  Operate("clock", R"({"advance": "PT20S"})");
  Pay(order, "approve");
  EXPECT_EQ(Get(order).at("status"), "new");
  Operate("clock", R"({"advance": "PT10S"})");
  EXPECT_EQ(Get(order).at("status"), "completed");
}

TEST_F(AppTest, AdminCallsAreNeverHitByFaults) {
  ASSERT_EQ(
      Operate("faults", R"({"rules": [{"fault": {"kind": "status", "status": 500}}]})").status,
      200);
  EXPECT_EQ(Create().status, 500);
  EXPECT_EQ(Ask("GET", "/_sandbox/ledger", "").status, 200);
  EXPECT_EQ(Operate("faults", "{}").status, 200);
  EXPECT_EQ(Create().status, 201);
}

TEST_F(AppTest, PlanThatNamesAnUnknownOperationIsRefused) {
  ExpectError(Operate("faults", R"({"rules": [{"on": {"operation": "creat_order"},
                                    "fault": {"kind": "lose"}}]})"),
              422, "ValidationError");
}

TEST_F(AppTest, OperationsOfRoutesDiffer) {
  std::vector<std::string> seen;
  for (const Route& route : app_.routes()) {
    const std::string name = std::string(route.method) + " " + std::string(route.pattern);
    EXPECT_FALSE(route.operation.empty()) << name;
    EXPECT_THAT(seen, testing::Not(testing::Contains(name)));
    seen.push_back(name);
  }
}

/// The same calls to a sandbox of its own.
class Repeat : public SandboxTest {
 public:
  explicit Repeat(std::uint64_t seed) : SandboxTest(WithSeed(seed)) {}
  void TestBody() override {}

  std::string Run() {
    std::string log;
    const auto note = [&](const http::Response& response) {
      log += std::to_string(response.status) + " " + response.body + "\n";
      return response;
    };
    const json::object order = Object(note(Create(kCardOrder)));
    note(Pay(order, "approve"));
    note(Operate("clock", R"({"advance": "PT90M"})"));
    note(Operate("orders/" + std::string(order.at("id").as_string()) + "/pay",
                 R"({"outcome": "refund", "amount": 100})"));
    note(Operate("seed", R"({"orders": 50})"));
    note(Ask("GET", "/_sandbox/orders", ""));
    note(Ask("GET", "/_sandbox/ledger", ""));
    note(Ask("POST", "/v1/search/orders/", kDemoKey, R"({"query": "*", "size": 60})"));
    return log;
  }

 private:
  static AppOptions WithSeed(std::uint64_t seed) {
    AppOptions options = StandingClock();
    options.seed = seed;
    return options;
  }
};

TEST(SeedTest, SameSeedAndStartGiveTheSameAnswersByteForByte) {
  const std::string once = Repeat(11).Run();
  EXPECT_EQ(once, Repeat(11).Run());
  EXPECT_THAT(once, HasSubstr("2026-11-21T09:30:00.000Z"));
}

TEST(SeedTest, AnotherSeedGivesOtherIds) { EXPECT_NE(Repeat(11).Run(), Repeat(12).Run()); }

}  // namespace
}  // namespace tollbridge::sandbox
