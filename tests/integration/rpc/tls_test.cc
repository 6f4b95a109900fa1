#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/rpc/certificates.h"
#include "tests/integration/rpc/echo_server.h"
#include "tests/support/process.h"
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

class RevocationTest : public TlsTest {
 protected:
  ServerSettings WithList(const std::string& list) {
    ServerSettings settings = Settings(callers_.certificate());
    settings.tls->client_crl_file = folder_.Write("crl.pem", list);
    settings.tls->on_reload = [this](const absl::Status& status) {
      const std::lock_guard lock(mutex_);
      told_.push_back(status);
    };
    return settings;
  }
  bool Told(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(told_, [&](const absl::Status& status) {
      return status.ToString().find(text) != std::string::npos;
    });
  }
  /// As the gateway does each second, until it is so.
  template <typename Condition>
  static bool LookUntil(EchoServer& server, Condition condition) {
    return test::Eventually([&] {
      server.server().LookAtCertificates();
      return condition();
    });
  }
  static test::RpcStatus SayOver(GrpcClient& client) {
    EchoRequest request;
    request.set_text("x");
    return client.Call("tollbridge.testing.v1.Echo.Say", request, {.deadline = kPatience}).status;
  }

  static constexpr std::chrono::seconds kPatience{10};
  Authority callers_;
  Certified good_ = callers_.Issue("DNS:dns.example");
  Certified stolen_ = callers_.Issue("DNS:dns.example");
  std::mutex mutex_;
  std::vector<absl::Status> told_;
};

TEST_F(RevocationTest, WhoseCertificateIsOnTheListIsRefusedByTheHandshake) {
  EchoServer server(WithList(callers_.Revoke({stolen_})), 1000, kAnyone);
  EXPECT_TRUE(Say(server, Trusting(good_)).ok());
  EXPECT_EQ(Say(server, Trusting(stolen_)).code_name(), "UNAVAILABLE");
}

TEST_F(RevocationTest, OfOneThatIsRevokedLaterTheOpenConnectionsEndAndNoOthers) {
  EchoServer server(WithList(callers_.Revoke({})), 1000, kAnyone);
  GrpcClient good(server.address(), Trusting(good_));
  GrpcClient stolen(server.address(), Trusting(stolen_));
  EXPECT_TRUE(SayOver(good).ok());
  EXPECT_TRUE(SayOver(stolen).ok());
  // A call that is under way, on a connection of its own.
  GrpcClient waiting(server.address(), Trusting(stolen_));
  EchoRequest request;
  request.set_text("wait");
  std::future<test::RpcStatus> waits = std::async(std::launch::async, [&] {
    return waiting.Call("tollbridge.testing.v1.Echo.Say", request, {.deadline = kPatience * 6})
        .status;
  });
  ASSERT_TRUE(server.gate.WaitForArrivals(1));
  const std::int64_t connections = server.server().counts()->open();
  EXPECT_EQ(connections, 3);

  folder_.Write("crl.pem", callers_.Revoke({stolen_}));
  ASSERT_TRUE(LookUntil(server, [&] { return server.server().counts()->open() == 1; }));
  EXPECT_EQ(waits.get().code_name(), "UNAVAILABLE");
  EXPECT_EQ(SayOver(stolen).code_name(), "UNAVAILABLE");
  EXPECT_TRUE(SayOver(good).ok());
  server.gate.Open();
}

TEST_F(RevocationTest, AListThatIsOutOfDateStaysInForceAndIsTold) {
  EchoServer server(WithList(callers_.Revoke({stolen_}, std::chrono::seconds(-60))), 1000, kAnyone);
  EXPECT_TRUE(Say(server, Trusting(good_)).ok());
  EXPECT_EQ(Say(server, Trusting(stolen_)).code_name(), "UNAVAILABLE");
  EXPECT_TRUE(Told("out of date"));
}

TEST_F(RevocationTest, AFileWithoutAListOfAnAuthorityIsNotTaken) {
  EchoServer server(WithList(callers_.Revoke({stolen_})), 1000, kAnyone);
  const Authority others;
  for (const std::string& bad : {others.Revoke({}), std::string("no list"), std::string()}) {
    folder_.Write("crl.pem", bad);
    {
      const std::lock_guard lock(mutex_);
      told_.clear();
    }
    ASSERT_TRUE(LookUntil(server, [&] { return Told("has no list of "); })) << bad;
    EXPECT_EQ(Say(server, Trusting(stolen_)).code_name(), "UNAVAILABLE") << bad;
    EXPECT_TRUE(Say(server, Trusting(good_)).ok()) << bad;
  }
}

TEST_F(RevocationTest, AFileInWhichOneOfTheListsIsDamagedIsNotTaken) {
  EchoServer server(WithList(callers_.Revoke({stolen_})), 1000, kAnyone);
  std::string damaged = callers_.Revoke({stolen_});
  damaged.resize(damaged.size() / 2);
  // The whole one lets everybody in.
  folder_.Write("crl.pem", callers_.Revoke({}) + damaged);
  ASSERT_TRUE(LookUntil(server, [&] { return Told("list 2 cannot be read"); }));
  EXPECT_EQ(Say(server, Trusting(stolen_)).code_name(), "UNAVAILABLE");
  EXPECT_TRUE(Say(server, Trusting(good_)).ok());
}

}  // namespace
}  // namespace tollbridge::rpc
