// Who may do what, over real connections: identities come from certificates made here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "tests/integration/rpc/certificates.h"
#include "tests/integration/rpc/echo_server.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {
namespace {

using test::Authority;
using test::Certified;
using test::GrpcClient;
using test::RpcReply;
using test::RpcTls;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using tollbridge::testing::v1::ChangeRequest;
using tollbridge::testing::v1::EchoRequest;
using tollbridge::testing::v1::EchoResponse;

constexpr const char* kEcho = "tollbridge.testing.v1.Echo";
constexpr const char* kSay = "tollbridge.testing.v1.Echo.Say";
constexpr const char* kChange = "tollbridge.testing.v1.Echo.Change";
constexpr const char* kCount = "tollbridge.testing.v1.Echo.Count";

AccessSettings Access() {
  return {.callers =
              {
                  {.identity = "spiffe://shop.example/checkout",
                   .projects = {"shop"},
                   .permissions = {"echo.say"}},
                  {.identity = "spiffe://shop.example/batch/*",
                   .projects = {"*"},
                   .permissions = {"echo.*"}},
                  {.identity = "support.shop.example", .projects = {"*"}, .permissions = {"*"}},
              },
          .without_certificate = {"*"},
          .certificate_required = true};
}

class AccessTest : public ::testing::Test {
 protected:
  ServerSettings Settings() const {
    ServerSettings settings;
    settings.tls =
        ServerTls{.certificate_chain_file = folder_.Write("chain.pem", server_key_.certificate),
                  .private_key_file = folder_.Write("key.pem", server_key_.key),
                  .client_ca_file = folder_.Write("client-ca.pem", callers_.certificate())};
    return settings;
  }

  /// A caller whose certificate has these subject alternative names.
  std::unique_ptr<GrpcClient> ClientOf(const std::string& names) const {
    const Certified own = callers_.Issue(names);
    return std::make_unique<GrpcClient>(server_.address(),
                                        RpcTls{servers_.certificate(), own.key, own.certificate});
  }

  static RpcReply Say(GrpcClient& client, const std::string& project) {
    EchoRequest request;
    request.set_text("x");
    if (!project.empty()) request.set_project(project);
    return client.Call(kSay, request);
  }
  RpcReply SayAs(const std::string& names, const std::string& project) const {
    return Say(*ClientOf(names), project);
  }

  test::TempFolder folder_;
  Authority servers_;
  Authority callers_;
  Certified server_key_ = servers_.Issue("IP:127.0.0.1");
  mutable EchoServer server_{Settings(), 1000, Access()};
};

TEST_F(AccessTest, LetsInWhomACertificateNamesAndTellsTheUseCaseWhoItIs) {
  const RpcReply reply = SayAs("URI:spiffe://shop.example/checkout", "shop");
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  EXPECT_EQ(reply.As<EchoResponse>().caller(), "spiffe://shop.example/checkout");
}

TEST_F(AccessTest, AUriIsTheIdentityBeforeADnsNameAndEachNameCounts) {
  const RpcReply reply =
      SayAs("DNS:Support.Shop.Example,URI:spiffe://shop.example/desk,IP:127.0.0.1", "travel");
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  EXPECT_EQ(reply.As<EchoResponse>().caller(), "spiffe://shop.example/desk");
}

TEST_F(AccessTest, RefusesAPermissionThatTheCallerLacksAndNamesItAndTheProject) {
  ChangeRequest request;
  request.set_idempotency_key("k");
  const auto client = ClientOf("URI:spiffe://shop.example/checkout");
  const RpcReply reply = client->Call(kChange, request);
  EXPECT_EQ(reply.status.code_name(), "PERMISSION_DENIED");
  EXPECT_EQ(reply.status.reason, "PERMISSION_DENIED");
  EXPECT_THAT(reply.status.message, HasSubstr("echo.change"));
  EXPECT_THAT(reply.status.metadata, Contains(Pair("retry", "AFTER_CHANGE")));
  EXPECT_THAT(reply.status.metadata, Contains(Pair("permission", "echo.change")));
  EXPECT_EQ(server_.changed, 0);
  EXPECT_EQ(server_.Counter(telemetry::kRpcRefusedCallers, {kEcho, "Change", "PERMISSION_DENIED"}),
            1);
}

TEST_F(AccessTest, RefusesAPermissionInAnotherProjectAndSaysNothingOfOtherCallers) {
  const RpcReply reply = SayAs("URI:spiffe://shop.example/checkout", "travel");
  EXPECT_EQ(reply.status.code_name(), "PERMISSION_DENIED");
  EXPECT_THAT(reply.status.message, AllOf(HasSubstr("echo.say"), HasSubstr("travel"),
                                          Not(HasSubstr("batch")), Not(HasSubstr("support"))));
  EXPECT_THAT(reply.status.metadata, Contains(Pair("project", "travel")));
}

TEST_F(AccessTest, ACallerOfOneProjectMustNameIt) {
  const auto client = ClientOf("URI:spiffe://shop.example/checkout");
  EXPECT_TRUE(Say(*client, "shop").status.ok());
  EXPECT_EQ(Say(*client, "").status.code_name(), "PERMISSION_DENIED");
  const RpcReply unknown = Say(*client, "no-such-project");
  EXPECT_EQ(unknown.status.code_name(), "PERMISSION_DENIED");
  EXPECT_THAT(unknown.status.message, Not(HasSubstr("no-such-project")));
}

TEST_F(AccessTest, AWildcardCoversWhatIsBelowItAndNothingBeside) {
  EXPECT_TRUE(SayAs("URI:spiffe://shop.example/batch/nightly", "travel").status.ok());
  for (const char* beside :
       {"URI:spiffe://shop.example/batch", "URI:spiffe://shop.example/batches/nightly",
        "URI:spiffe://shop.example.evil.example/batch/nightly", "URI:spiffe://shop.example/batch/",
        "URI:x:spiffe://shop.example/batch/nightly"}) {
    EXPECT_EQ(SayAs(beside, "shop").status.reason, "PERMISSION_DENIED") << beside;
  }
}

TEST_F(AccessTest, ANameOfAnotherKindIsNoUriAndTheCommonNameIsNone) {
  // The text of a permitted URI, as a DNS name, an address and the common name.
  for (const char* names :
       {"DNS:spiffe://shop.example/batch/nightly", "email:spiffe://shop.example/batch/nightly",
        "IP:127.0.0.1", "DNS:local", ""}) {
    const RpcReply reply = SayAs(names, "shop");
    EXPECT_EQ(reply.status.code_name(), "UNAUTHENTICATED") << names;
    EXPECT_EQ(reply.status.reason, "CALLER_UNKNOWN") << names;
  }
  EXPECT_EQ(server_.Counter(telemetry::kRpcRefusedCallers, {kEcho, "Say", "CALLER_UNKNOWN"}), 5);
}

TEST_F(AccessTest, ACertificateOfAnotherAuthorityOrNoneDoesNotConnect) {
  const Authority strangers;
  const Certified forged = strangers.Issue("URI:spiffe://shop.example/checkout");
  for (const RpcTls& tls : {RpcTls{servers_.certificate(), forged.key, forged.certificate},
                            RpcTls{servers_.certificate(), "", ""}}) {
    GrpcClient client(server_.address(), tls);
    EXPECT_EQ(Say(client, "shop").status.code_name(), "UNAVAILABLE");
  }
}

TEST_F(AccessTest, StreamsAskForPermissionToo) {
  const std::string count("\x08\x03", 2);  // messages = 3
  const auto checkout = ClientOf("URI:spiffe://shop.example/checkout");
  const auto refused = checkout->OpenStream(kCount, count);
  EXPECT_EQ(refused->Read(), std::nullopt);
  EXPECT_EQ(refused->Finish().reason, "PERMISSION_DENIED");
  const auto batch = ClientOf("URI:spiffe://shop.example/batch/nightly");
  const auto taken = batch->OpenStream(kCount, count);
  int messages = 0;
  while (taken->Read().has_value()) ++messages;
  EXPECT_EQ(messages, 3);
  EXPECT_TRUE(taken->Finish().ok());
}

TEST_F(AccessTest, HealthAndReflectionNeedACertificateButNoPermission) {
  const auto client = ClientOf("URI:spiffe://shop.example/nobody");
  EXPECT_EQ(Say(*client, "shop").status.reason, "PERMISSION_DENIED");
  EXPECT_TRUE(client->CallBytes("grpc.health.v1.Health.Check", "").status.ok());
  // ServerReflectionRequest{list_services: "*"}.
  const auto reflection = client->OpenStream(
      "grpc.reflection.v1alpha.ServerReflection.ServerReflectionInfo", "\x3a\x01*");
  EXPECT_THAT(reflection->Read().value_or(""), HasSubstr(kEcho));
  EXPECT_TRUE(reflection->Finish().ok());
}

TEST_F(AccessTest, TheRpcLineTellsTheCaller) {
  telemetry::LogCapture capture;
  ASSERT_TRUE(SayAs("URI:spiffe://shop.example/checkout", "shop").status.ok());
  EXPECT_THAT(capture.lines(),
              Contains(AllOf(HasSubstr(R"("event":"rpc")"),
                             HasSubstr(R"("caller":"spiffe://shop.example/checkout")"))));
}

TEST(LocalCallers, OverPlaintextMayDoWhatTheConfigurationSaysOfThem) {
  EchoServer server({}, 1000, {.callers = {}, .without_certificate = {"echo.say"}});
  GrpcClient client(server.address());
  EchoRequest request;
  request.set_text("x");
  const RpcReply said = client.Call(kSay, request);
  ASSERT_TRUE(said.status.ok()) << said.status.message;
  EXPECT_EQ(said.As<EchoResponse>().caller(), "local");
  ChangeRequest change;
  change.set_idempotency_key("k");
  EXPECT_EQ(client.Call(kChange, change).status.reason, "PERMISSION_DENIED");
}

TEST(LocalCallers, AreUnknownWhenTheConfigurationSaysNothing) {
  EchoServer server({}, 1000, Access());
  GrpcClient client(server.address());
  EchoRequest request;
  request.set_text("x");
  const RpcReply said = client.Call(kSay, request);
  EXPECT_EQ(said.status.code_name(), "UNAUTHENTICATED");
  EXPECT_EQ(said.status.reason, "CALLER_UNKNOWN");
}

}  // namespace
}  // namespace tollbridge::rpc
