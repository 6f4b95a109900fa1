#include "sandbox/wire/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/http/url.h"

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RouterTest : public testing::Test {
 protected:
  RouterTest()
      : router_({{.operation = "list", .method = "GET", .pattern = "/v1/orders/"},
                 {.operation = "create", .method = "POST", .pattern = "/v1/orders/"},
                 {.operation = "get", .method = "GET", .pattern = "/v1/orders/{}/"},
                 {.operation = "page", .method = "GET", .pattern = "/pay/{}/{}/"},
                 {.operation = "link", .method = "GET", .pattern = "/pay/link/{}/"},
                 {.operation = "root", .method = "GET", .pattern = "/"}}) {}

  /// The operation, or "405 <allowed>", or "404".
  std::string Find(std::string_view method, std::string_view path) {
    segments_ = http::ParseTarget(path)->segments;
    match_ = router_.Find(method, segments_);
    if (match_.route != nullptr) return std::string(match_.route->operation);
    return match_.allowed.empty() ? "404" : "405 " + match_.allowed;
  }

  Router router_;
  std::vector<std::string> segments_;
  Match match_;
};

TEST_F(RouterTest, PathsCountWithAndWithoutTheSlashAtTheirEnd) {
  EXPECT_EQ(Find("POST", "/v1/orders/"), "create");
  EXPECT_EQ(Find("POST", "/v1/orders"), "create");
  EXPECT_EQ(Find("GET", "/v1/orders/7"), "get");
  EXPECT_THAT(match_.parameters, ElementsAre("7"));
  EXPECT_EQ(Find("GET", "/"), "root");
}

TEST_F(RouterTest, HeadIsAnsweredWhereGetIs) {
  EXPECT_EQ(Find("HEAD", "/v1/orders/7/"), "get");
  EXPECT_EQ(Find("HEAD", "/v1/orders/"), "list");
}

TEST_F(RouterTest, KnownPathWithAnotherMethodTellsWhichAreAllowed) {
  EXPECT_EQ(Find("DELETE", "/v1/orders/"), "405 GET, HEAD, POST");
  EXPECT_EQ(Find("POST", "/v1/orders/7/"), "405 GET, HEAD");
}

TEST_F(RouterTest, UnknownPathsAndEmptySegmentsAreNotFound) {
  EXPECT_EQ(Find("GET", "/v1/"), "404");
  EXPECT_EQ(Find("GET", "/v1/orders/7/8/"), "404");
  EXPECT_EQ(Find("GET", "/v1/orders//"), "404");
  EXPECT_EQ(Find("GET", "//v1/orders/"), "404");
  EXPECT_THAT(match_.parameters, IsEmpty());
}

TEST_F(RouterTest, LiteralSegmentGoesBeforeAParameter) {
  EXPECT_EQ(Find("GET", "/pay/link/7/"), "link");
  EXPECT_EQ(Find("GET", "/pay/7/8/"), "page");
  EXPECT_THAT(match_.parameters, ElementsAre("7", "8"));
}

}  // namespace
}  // namespace tollbridge::sandbox
