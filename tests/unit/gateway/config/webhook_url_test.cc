#include "gateway/config/webhook_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/telemetry/log.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::gateway {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string kFirst = "first-0123456789abcdef0123456789abcdef";
const std::string kSecond = "second-0123456789abcdef0123456789abcdef";
const std::string kBefore = "https://hooks.example/webhooks/";

class WebhookUrlTest : public testing::Test {
 protected:
  /// The url when the file has this and has been left alone.
  std::string With(const std::string& content) {
    folder_.Write("tokens", content);
    for (int look = 0; look < 2; ++look) {
      now_ += std::chrono::seconds(1);
      url_.Get();
    }
    return url_.Get();
  }

  test::TempFolder folder_;
  BootTime now_{std::chrono::hours(1)};
  std::string path_ = folder_.Write("tokens", kFirst + "\n");
  LiveText url_ = WebhookUrl("shop", "https://hooks.example",
                             *SecretFile::Open(path_, [this] { return now_; }));
  telemetry::LogCapture log_;
};

TEST_F(WebhookUrlTest, HasTheFirstTokenOfTheFileAsItIsNow) {
  EXPECT_EQ(url_.Get(), kBefore + kFirst);
  EXPECT_EQ(With(kFirst + "\n" + kSecond + "\n"), kBefore + kFirst);
  EXPECT_EQ(With(kSecond + "\n" + kFirst + "\n"), kBefore + kSecond);
  EXPECT_EQ(With(kSecond), kBefore + kSecond);
}

TEST_F(WebhookUrlTest, ATokenThatTheIngressWouldRefuseIsNotGivenOut) {
  for (const std::string& bad :
       {std::string("short"), kSecond + "/..", kSecond + "\n" + kFirst + "\nthird-" + kFirst}) {
    EXPECT_EQ(With(bad), kBefore + kFirst) << bad;
  }
  EXPECT_THAT(log_.lines(), Contains(AllOf(HasSubstr("webhook_tokens_refused"),
                                           HasSubstr("project shop"), Not(HasSubstr(kSecond)))));
  EXPECT_EQ(With(kSecond), kBefore + kSecond);
}

}  // namespace
}  // namespace tollbridge::gateway
