// What commands call through, against a server that asks for certificates.

#include "gateway/commands/grpc_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/rpc/certificates.h"
#include "tests/integration/rpc/echo_server.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::gateway {
namespace {

using ::testing::HasSubstr;
using tollbridge::testing::v1::EchoRequest;
using tollbridge::testing::v1::EchoResponse;

constexpr int kPermissionDenied = 7;
constexpr int kUnavailable = 14;

class GrpcChannelTlsTest : public ::testing::Test {
 protected:
  /// The options of a caller with a certificate of the right authority.
  ChannelOptions Options() const {
    return {.address = server_.address(),
            .tls_ca = folder_.Write("server-ca.pem", servers_.certificate()),
            .tls_certificate = folder_.Write("own.pem", caller_.certificate),
            .tls_key = folder_.Write("own-key.pem", caller_.key),
            .tls_server_name = "gateway.example"};
  }

  static UnaryEnd Say(const ChannelOptions& options, const std::string& project,
                      EchoResponse* response) {
    const auto channel = MakeChannel(options);
    EXPECT_TRUE(channel.ok()) << channel.status();
    EchoRequest request;
    request.set_text("x");
    request.set_project(project);
    const auto* say =
        EchoRequest::descriptor()->file()->FindServiceByName("Echo")->FindMethodByName("Say");
    return CallUnary(*channel, *say, request, response);
  }

  test::TempFolder folder_;
  test::Authority servers_;
  test::Authority callers_;
  // Named, not by its address: callers have to say whom they mean.
  test::Certified server_certificate_ = servers_.Issue("DNS:gateway.example");
  test::Certified caller_ = callers_.Issue("URI:spiffe://shop.example/desk");
  rpc::EchoServer server_{
      {.tls = rpc::ServerTls{folder_.Write("chain.pem", server_certificate_.certificate),
                             folder_.Write("key.pem", server_certificate_.key),
                             folder_.Write("client-ca.pem", callers_.certificate())}},
      1000,
      {.callers = {{.identity = "spiffe://shop.example/desk",
                    .projects = {"shop"},
                    .permissions = {"echo.say"}}},
       .certificate_required = true}};
};

TEST_F(GrpcChannelTlsTest, ShowsItsOwnCertificateToTheServerItMeans) {
  EchoResponse response;
  const UnaryEnd end = Say(Options(), "shop", &response);
  EXPECT_TRUE(end.ok()) << end.message;
  EXPECT_EQ(response.caller(), "spiffe://shop.example/desk");
  EXPECT_THAT(ToJson(response), HasSubstr(R"("caller": "spiffe://shop.example/desk")"));
}

TEST_F(GrpcChannelTlsTest, TellsWhatWasRefusedWithItsDetails) {
  EchoResponse response;
  const UnaryEnd end = Say(Options(), "travel", &response);
  EXPECT_EQ(end.code, kPermissionDenied);
  EXPECT_THAT(end.details, HasSubstr("PERMISSION_DENIED"));
  EXPECT_FALSE(response.has_caller());
}

TEST_F(GrpcChannelTlsTest, TalksToNobodyElse) {
  ChannelOptions by_address = Options();
  by_address.tls_server_name.clear();
  ChannelOptions other_authority = Options();
  other_authority.tls_ca = folder_.Write("other-ca.pem", callers_.certificate());
  ChannelOptions without_certificate = Options();
  without_certificate.tls_certificate.clear();
  without_certificate.tls_key.clear();
  for (const ChannelOptions& options : {by_address, other_authority, without_certificate}) {
    EchoResponse response;
    EXPECT_EQ(Say(options, "shop", &response).code, kUnavailable);
  }
}

}  // namespace
}  // namespace tollbridge::gateway
