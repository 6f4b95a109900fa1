#include "gateway/commands/grpc_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_folder.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::gateway {
namespace {

using testing::HasSubstr;

TEST(GrpcChannelTest, RefusesOptionsThatWouldFallBackToLessThanWasAskedFor) {
  const test::TempFolder folder;
  const std::string empty = folder.Write("empty.pem", "");
  const struct {
    ChannelOptions options;
    std::string problem;
  } rows[] = {
      {{.tls_certificate = "/c"}, "--tls-certificate and --tls-key belong together"},
      {{.tls_ca = "/ca", .tls_key = "/k"}, "--tls-certificate and --tls-key belong together"},
      {{.tls_certificate = "/c", .tls_key = "/k"}, "needs --tls-ca"},
      {{.tls_server_name = "gateway.example"}, "needs --tls-ca"},
      {{.tls_ca = folder.PathOf("none.pem")}, "none.pem"},
      {{.tls_ca = empty}, "empty.pem: is empty"},
  };
  for (const auto& [options, problem] : rows) {
    const auto channel = MakeChannel(options);
    EXPECT_FALSE(channel.ok()) << problem;
    EXPECT_THAT(std::string(channel.status().message()), HasSubstr(problem));
  }
}

TEST(GrpcChannelTest, ACallThatNobodyTakesEndsWithItsCodeAndMessage) {
  const test::TempFolder folder;
  const auto channel = MakeChannel({.address = "unix:" + folder.PathOf("no-socket")});
  ASSERT_TRUE(channel.ok()) << channel.status();
  const auto* method =
      payments::v1::GetOrderRequest::descriptor()->file()->FindServiceByName("Payments")->method(0);
  const payments::v1::GetOrderRequest request;
  payments::v1::GetOrderResponse response;
  const UnaryEnd end = CallUnary(*channel, *method, request, &response);
  EXPECT_EQ(end.code, 14);
  EXPECT_FALSE(end.message.empty());
  EXPECT_FALSE(end.replayed);
}

}  // namespace
}  // namespace tollbridge::gateway
