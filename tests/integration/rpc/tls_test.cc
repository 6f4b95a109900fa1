#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "tests/integration/rpc/certificates.h"
#include "tests/integration/rpc/echo_server.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {
namespace {

using test::Authority;
using test::Certified;
using test::GrpcClient;
using test::RpcTls;
using tollbridge::testing::v1::EchoRequest;

const AccessSettings kAnyone{
    .callers = {{.identity = "dns.example", .projects = {"*"}, .permissions = {"*"}}},
    .without_certificate = {"*"}};

class TlsTest : public ::testing::Test {
 protected:
  ServerSettings Settings(const std::string& client_ca) const {
    ServerSettings settings;
    settings.tls = ServerTls{
        .certificate_chain_file = folder_.Write("chain.pem", server_.certificate),
        .private_key_file = folder_.Write("key.pem", server_.key),
        .client_ca_file = client_ca.empty() ? "" : folder_.Write("client-ca.pem", client_ca)};
    return settings;
  }

  RpcTls Trusting(const Certified& own = {}) const {
    return {authority_.certificate(), own.key, own.certificate};
  }

  static test::RpcStatus Say(EchoServer& server, const std::optional<RpcTls>& tls) {
    EchoRequest request;
    request.set_text("x");
    GrpcClient client(server.address(), tls);
    return client
        .Call("tollbridge.testing.v1.Echo.Say", request, {.deadline = std::chrono::seconds(10)})
        .status;
  }

  test::TempFolder folder_;
  Authority authority_;
  Certified server_ = authority_.Issue("IP:127.0.0.1");
};

TEST_F(TlsTest, ServesTlsAndNothingElse) {
  EchoServer server(Settings(""), 1000, kAnyone);
  EXPECT_TRUE(Say(server, Trusting()).ok());
  EXPECT_EQ(Say(server, std::nullopt).code_name(), "UNAVAILABLE");
}

TEST_F(TlsTest, WithAClientAuthorityRefusesCallersWithoutItsCertificate) {
  const Authority callers;
  EchoServer server(Settings(callers.certificate()), 1000, kAnyone);
  EXPECT_TRUE(Say(server, Trusting(callers.Issue("DNS:dns.example"))).ok());
  EXPECT_EQ(Say(server, Trusting()).code_name(), "UNAVAILABLE");
  const Authority strangers;
  EXPECT_EQ(Say(server, Trusting(strangers.Issue("DNS:dns.example"))).code_name(), "UNAVAILABLE");
}

TEST_F(TlsTest, CertificateAndAuthorityOfCallersAreTakenAnewWithTheirFiles) {
  const Authority before;
  const Authority after;
  EchoServer server(Settings(before.certificate()), 1000, kAnyone);
  const Certified old_caller = before.Issue("DNS:dns.example");
  const Certified new_caller = after.Issue("DNS:dns.example");
  EXPECT_TRUE(Say(server, Trusting(old_caller)).ok());
  EXPECT_EQ(Say(server, Trusting(new_caller)).code_name(), "UNAVAILABLE");

  const Authority next;
  const Certified renewed = next.Issue("IP:127.0.0.1");
  folder_.Write("client-ca.pem", after.certificate());
  folder_.Write("chain.pem", renewed.certificate);
  folder_.Write("key.pem", renewed.key);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const RpcTls with_next{next.certificate(), new_caller.key, new_caller.certificate};
  while (!Say(server, with_next).ok() && std::chrono::steady_clock::now() < until) {
  }
  EXPECT_TRUE(Say(server, with_next).ok());
  EXPECT_EQ(Say(server, Trusting(new_caller)).code_name(), "UNAVAILABLE");
  const RpcTls old_with_next{next.certificate(), old_caller.key, old_caller.certificate};
  EXPECT_EQ(Say(server, old_with_next).code_name(), "UNAVAILABLE");
}

}  // namespace
}  // namespace tollbridge::rpc
