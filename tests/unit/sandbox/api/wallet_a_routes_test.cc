#include "sandbox/api/wallet_a_routes.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/sandbox/api/vault_support.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kTarget = "/v1/wallet-a-pay/sessions/";

class WalletARoutesTest : public CardsTest {
 protected:
  static json::object GoodBody() {
    json::object body;
    body["validationUrl"] = "https://wallet.example/start?session=1";
    body["merchantIdentifier"] = "11111111111141118111111111111111";
    body["displayName"] = "Sandbox shop";
    body["initiativeContext"] = "pay.shop.example";
    return body;
  }
  http::Response Post(std::string_view body) { return Ask("POST", kTarget, kDemoKey, body); }
  http::Response PostWith(std::string_view field, const std::optional<json::value>& value) {
    return Post(With(GoodBody(), field, value));
  }
};

TEST_F(WalletARoutesTest, RouteIsForMerchantsAndChangesSomething) {
  const std::vector<Route> routes = WalletARoutes(&world_, &addresses_);
  ASSERT_EQ(routes.size(), 1U);
  EXPECT_EQ(routes[0].operation, "create_wallet_a_session");
  EXPECT_EQ(routes[0].access, Access::kMerchant);
  EXPECT_TRUE(routes[0].changes);
}

TEST_F(WalletARoutesTest, SessionNamesTheMerchantAndItsTimes) {
  const http::Response response = Post(json::serialize(GoodBody()));
  ASSERT_EQ(response.status, 200) << response.body;
  const json::object body = Object(response);
  ASSERT_EQ(body.size(), 1U);
  const json::object& session = body.at("sessionData").as_object();
  const std::int64_t now = ParseTime(kStart)->time_since_epoch().count();
  EXPECT_EQ(session.at("epochTimestamp"), now);
  EXPECT_EQ(session.at("expiresAt"), now + 300'000);
  EXPECT_EQ(session.at("merchantIdentifier"), "11111111111141118111111111111111");
  EXPECT_EQ(session.at("domainName"), "pay.shop.example");
  EXPECT_EQ(session.at("displayName"), "Sandbox shop");
  EXPECT_EQ(session.at("nonce").as_string().size(), 32U);
  EXPECT_EQ(session.at("merchantSessionIdentifier").as_string().size(), 32U);
  EXPECT_EQ(session.at("signature").as_string().size(), 32U);
}

TEST_F(WalletARoutesTest, EachSessionIsAnotherOne) {
  const json::object first = Object(Post(json::serialize(GoodBody())));
  const json::object second = Object(Post(json::serialize(GoodBody())));
  for (const std::string_view field : {"nonce", "merchantSessionIdentifier", "signature"}) {
    EXPECT_NE(first.at("sessionData").at(field), second.at("sessionData").at(field)) << field;
  }
}

TEST_F(WalletARoutesTest, TheSameSeedGivesTheSameSession) {
  World again({}, 7, ParseTime(kStart));
  const Router router(WalletARoutes(&again, &addresses_));
  const auto target = http::ParseTarget(kTarget);
  http::Request request;
  request.body = json::serialize(GoodBody());
  const Call call{.request = &request, .target = &*target, .project = &demo()};
  EXPECT_EQ(router.routes()[0].handle(call).body, Post(request.body).body);
}

TEST_F(WalletARoutesTest, WhatTheRulesAllowIsTaken) {
  const std::vector<BadField> cases{
      {"validationUrl", "http://127.0.0.1:8080/x", ""},
      {"displayName", "x", ""},
      {"displayName", Repeated("é", 64), ""},
      {"initiativeContext", "localhost", ""},
      {"initiativeContext", "a-b.xn--p1ai.EXAMPLE", ""},
      {"initiativeContext", Repeated("a", 63) + ".example", ""},
  };
  for (const BadField& fine : cases) {
    const http::Response response = PostWith(fine.field, fine.value);
    EXPECT_EQ(response.status, 200) << response.body;
  }
}

TEST_F(WalletARoutesTest, MerchantIdentifierIsComparedWithoutCase) {
  Settings settings;
  Project lettered = settings.projects.front();
  lettered.id = *Uuid::Parse("abcdefab-cdef-4abc-8def-abcdefabcdef");
  const auto target = http::ParseTarget(kTarget);
  http::Request request;
  request.body = With(GoodBody(), "merchantIdentifier", "ABCDEFABCDEF4ABC8DEFABCDEFABCDEF");
  const Call call{.request = &request, .target = &*target, .project = &lettered};
  EXPECT_EQ(router_.Find("POST", target->segments).route->handle(call).status, 200);
}

TEST_F(WalletARoutesTest, FieldsThatBreakARuleAreNamed) {
  constexpr std::string_view kIdRule = "merchantIdentifier must be the project's id";
  constexpr std::string_view kHostRule = "initiativeContext must be a host name";
  const std::vector<BadField> cases{
      {"validationUrl", std::nullopt, "validationUrl is required"},
      {"validationUrl", "/start", "validationUrl must be an absolute"},
      {"validationUrl", "ftp://wallet.example/", "validationUrl must be an absolute"},
      {"validationUrl", "https://", "validationUrl must be an absolute"},
      {"validationUrl", "", "validationUrl must be an absolute"},
      {"validationUrl", std::int64_t{5}, "validationUrl must be a string"},
      {"merchantIdentifier", std::nullopt, "merchantIdentifier is required"},
      {"merchantIdentifier", "", kIdRule},
      {"merchantIdentifier", "11111111-1111-4111-8111-111111111111", kIdRule},
      {"merchantIdentifier", "22222222222242228222222222222222", kIdRule},
      {"merchantIdentifier", json::array{}, "merchantIdentifier must be a string"},
      {"displayName", std::nullopt, "displayName is required"},
      {"displayName", nullptr, "displayName is required"},
      {"displayName", "", "displayName must have 1 to 64 characters"},
      {"displayName", Repeated("é", 65), "displayName must have 1 to 64 characters"},
      {"displayName", Repeated("x", 100'000), "displayName must have at most"},
      {"displayName", true, "displayName must be a string"},
      {"initiativeContext", std::nullopt, "initiativeContext is required"},
      {"initiativeContext", "", kHostRule},
      {"initiativeContext", "https://pay.shop.example", kHostRule},
      {"initiativeContext", "pay.shop.example/cart", kHostRule},
      {"initiativeContext", "pay.shop.example:443", kHostRule},
      {"initiativeContext", "user@shop.example", kHostRule},
      {"initiativeContext", "pay..example", kHostRule},
      {"initiativeContext", "shop.example.", kHostRule},
      {"initiativeContext", ".example", kHostRule},
      {"initiativeContext", "-shop.example", kHostRule},
      {"initiativeContext", "shop-.example", kHostRule},
      {"initiativeContext", "127.0.0.1", kHostRule},
      {"initiativeContext", "shöp.example", kHostRule},
      {"initiativeContext", Repeated("a", 64) + ".example", kHostRule},
      {"initiativeContext", Repeated("a.", 130) + "example", kHostRule},
      {"initiativeContext", json::object{}, "initiativeContext must be a string"},
      {"domainName", "shop.example", "domainName is not a field"},
  };
  for (const BadField& bad : cases) {
    SCOPED_TRACE(bad.part_of_error);
    ExpectError(PostWith(bad.field, bad.value), 422, "ValidationError", bad.part_of_error);
  }
}

TEST_F(WalletARoutesTest, WhatIsNoJsonObjectIsRefused) {
  ExpectBadBodiesRefused(kTarget, kDemoKey);
}

class WithoutWalletATest : public RoutesTest {
 protected:
  static Settings CardsOnly() {
    Settings settings;
    settings.projects.front().payment_methods = {"credit-card"};
    return settings;
  }
  WithoutWalletATest() : RoutesTest(&WalletARoutes, CardsOnly()) {}
};

TEST_F(WithoutWalletATest, SessionIsRefused) {
  ExpectError(Ask("POST", kTarget, kDemoKey, "{}"), 422, "ValidationError",
              "wallet-a-pay is not active for the project");
}

}  // namespace
}  // namespace tollbridge::sandbox
