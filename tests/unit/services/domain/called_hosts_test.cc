#include "services/domain/called_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tollbridge::domain {
namespace {

using ::testing::StartsWith;

CalledHosts Of(const std::vector<std::string>& entries) {
  const auto hosts = CalledHosts::Parse(entries);
  EXPECT_TRUE(hosts.ok()) << hosts.status();
  return hosts.value_or(CalledHosts());
}

TEST(CalledHostsTest, WithoutAListAnyNameOnTheInternetIsAllowed) {
  const CalledHosts any;
  for (const char* url :
       {"https://wallet.example/validate", "HTTPS://WALLET.example/", "https://a.b.wallet.example",
        "https://wallet.example:443/x?y=z", "https://wallet.example:/x", "https://1a.example"}) {
    EXPECT_EQ(any.Check(url), UrlProblem::kNone) << url;
  }
  for (const char* url : {"https://127.0.0.1/",
                          "https://10.0.0.5/validate",
                          "https://[::1]/",
                          "https://[fe80::1]/",
                          "https://169.254.169.254/latest",
                          "https://127.1/",
                          "https://2130706433/",
                          "https://0x7f000001/",
                          "https://"
                          "0x7f.1/",
                          "https://"
                          "a.0x1/",
                          "https://localhost/",
                          "https://redis/",
                          "https://localhost./",
                          "https://wallet.example./",
                          "https://wallet.example:8443/",
                          "https://wallet.example:80/",
                          "https://wallet.example:0/",
                          "https://wallet%2eexample/",
                          "https://%31%32%37.0.0.1/",
                          "https://[v1.x]/",
                          "https://wallet_a.example/",
                          "https://-a.example/",
                          "https://a..example/"}) {
    EXPECT_EQ(any.Check(url), UrlProblem::kHost) << url;
  }
}

TEST(CalledHostsTest, OnlyHttpsWithoutAUserEverIsAllowed) {
  const CalledHosts hosts = Of({"wallet.example", "127.0.0.1:80"});
  for (const char* url : {"http://wallet.example/", "ftp://wallet.example/", "http://127.0.0.1:80/",
                          "//wallet.example/", "wallet.example", "", "https://wallet.example\\@x/",
                          "https://wallet.example /", "https://wallet.example/\n"}) {
    EXPECT_EQ(hosts.Check(url), UrlProblem::kNotHttps) << url;
  }
  for (const char* url : {"https://me@wallet.example/", "https://me:secret@wallet.example/",
                          "https://wallet.example@other.example/", "https://@wallet.example/"}) {
    EXPECT_EQ(hosts.Check(url), UrlProblem::kUserInfo) << url;
  }
}

TEST(CalledHostsTest, OfAListOnlyItsHostsAre) {
  const CalledHosts hosts = Of({"Wallet.example", "*.pay.example", "test.example:8443",
                                "10.0.0.5:443", "[::1]:9443", "*.test.example:8443", "sandbox"});
  for (const char* url :
       {"https://wallet.example/validate", "https://WALLET.EXAMPLE", "https://a.pay.example/",
        "https://a.b.pay.example/", "https://test.example:8443/", "https://10.0.0.5/",
        "https://[::1]:9443/", "https://x.test.example:8443/", "https://sandbox/"}) {
    EXPECT_EQ(hosts.Check(url), UrlProblem::kNone) << url;
  }
  for (const char* url :
       {"https://a.wallet.example/", "https://pay.example/", "https://apay.example/",
        "https://.pay.example/", "https://wallet.example.evil.example/", "https://test.example/",
        "https://10.0.0.5:8443/", "https://10.0.0.6/", "https://[::1]/", "https://x.test.example/",
        "https://evil.example/a.pay.example", "https://evil.example?x.pay.example",
        "https://evil.example#x.pay.example", "https://evil%2f.pay.example/"}) {
    EXPECT_EQ(hosts.Check(url), UrlProblem::kHost) << url;
  }
}

TEST(CalledHostsTest, WhatIsNoHostIsNamedByItsPlace) {
  for (const char* entry : {"",
                            "*",
                            "*.",
                            "*.example",
                            "*.*.example",
                            "a.*.example",
                            "https://wallet.example",
                            "wallet.example/",
                            "wallet.example/x",
                            "wallet.example?x",
                            "wallet.example#x",
                            "me@wallet.example",
                            "wallet.example:0",
                            "wallet.example:70000",
                            "wallet.example:x",
                            "*.10.0.0.5",
                            "*.[::1]",
                            "::1",
                            "wallet example",
                            "wallet.example.",
                            "127.1",
                            "[::1"}) {
    EXPECT_THAT(CalledHosts::Parse({"wallet.example", entry}).status().message(),
                StartsWith("[1]: must be a host as "))
        << entry;
  }
}

}  // namespace
}  // namespace tollbridge::domain
