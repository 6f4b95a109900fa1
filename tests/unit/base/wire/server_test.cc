// Connections from their first to their last frame: GOAWAY, age, TLS.

#include "base/wire/server.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/address.hpp>
#include <deque>
#include <fstream>
#include <iterator>

#include "base/wire/connections.h"
#include "tests/support/grpc_client.h"
#include "tests/support/test_certificates.h"
#include "tests/unit/base/wire/raw_client.h"
#include "tests/unit/base/wire/tls_client.h"
#include "tests/unit/base/wire/wire_server.h"

namespace tollbridge::wire {
namespace {

using test::GrpcClient;

class Notice : public testing::Test {
 protected:
  /// After a call that was answered: GOAWAY without a last stream.
  Notice() : client_(server_.port()) {
    client_.Send(CallBytes(1, "/t.T/Echo", "x"));
    EXPECT_EQ(client_.Await(1).status(), "0");
    server_.server().Notify();
    EXPECT_EQ(client_.AwaitGoAway(), 0u);
  }

  /// The pong for the PING that follows.
  std::string Pong() {
    const auto ping = client_.Next();
    EXPECT_TRUE(ping.has_value());
    if (!ping.has_value()) return "";
    EXPECT_EQ(ping->type, frame::kPing);
    return FrameBytes(frame::kPing, frame::kAck, 0, ping->payload);
  }

  WireServer server_;
  RawClient client_;
};

TEST_F(Notice, LetsCallsThatComeMeanwhileEndWell) {
  // It has not been told the last stream yet.
  client_.Send(CallBytes(3, "/t.T/Echo", "x"));
  EXPECT_EQ(client_.Await(3).status(), "0");
}

TEST_F(Notice, IsFollowedByTheEndWhenThePeerHasHeardOfIt) {
  client_.Send(Pong());
  EXPECT_EQ(client_.AwaitGoAway(), 0u);
  client_.AwaitClose();
}

TEST_F(Notice, WhoComesBehindItIsServed) {
  GrpcClient client(server_.address());
  EXPECT_TRUE(client.CallBytes("t.T.Echo", "x").status.ok());
}

TEST_F(Notice, ACallBehindTheEndIsNotRun) {
  // The GOAWAY that the pong brings about does not know of the call: its peer makes it elsewhere.
  client_.Send(Pong() + CallBytes(3, "/t.T/Echo", "x"));
  EXPECT_EQ(client_.AwaitGoAway(), 0u);
  client_.AwaitClose();
  EXPECT_EQ(server_.started, 1);
}

TEST(Stop, EndsTheCallOfAConnectionThatWasToMakeRoom) {
  WireServer server({.max_connections = 4});
  std::deque<RawClient> clients;
  // Round robin: the second and the fourth share a shard, on which nobody accepts.
  for (int i = 0; i < 4; ++i) clients.emplace_back(server.port());
  for (const std::size_t i : {0u, 1u, 2u}) {
    clients[i].Send(CallBytes(1, "/t.T/Echo", "x"));
    EXPECT_EQ(clients[i].Await(1).status(), "0");
  }
  RawClient& waits_longest = clients[3];
  clients[1].Send(CallBytes(3, "/t.T/Block", "x"));
  ASSERT_TRUE(Eventually([&] { return server.blocking == 1; }));
  clients[1].Send(CallBytes(5, "/t.T/Block", "x"));
  waits_longest.Send(CallBytes(1, "/t.T/Wait", "x"));
  server.unblock.release();
  // Its call has been read now and not been looked at.
  ASSERT_TRUE(Eventually([&] { return server.blocking == 2; }));
  RawClient another(server.port());
  ASSERT_TRUE(Eventually([&] { return server.refused(Refusal::kConnections) == 1; }));
  server.unblock.release();
  ASSERT_TRUE(Eventually([&] { return server.gone == 1 || server.started == 4; }));
  EXPECT_TRUE(Eventually([&] { return server.open() == 5; })) << server.open();
  EXPECT_TRUE(server.Stop(std::chrono::seconds(10)));
  EXPECT_EQ(waits_longest.Await(1).status(), "14");
  EXPECT_EQ(server.open(), 0);
}

TEST(Stop, EndsCallsThatAreLeftAsUnavailable) {
  WireServer server;
  RawClient client(server.port());
  client.Send(CallBytes(1, "/t.T/Wait", "x"));
  ASSERT_TRUE(Eventually([&] { return server.started == 1; }));
  EXPECT_TRUE(server.Stop(std::chrono::seconds(10)));
  EXPECT_EQ(client.Await(1).status(), "14");
  EXPECT_EQ(server.gone, 1);
  EXPECT_THROW(RawClient(server.port()), std::runtime_error);
}

TEST(Stop, AbortsWhoDoesNotLeaveInTime) {
  WireServer server;
  RawClient client(server.port());
  // Its window holds the answer back.
  client.Send(CallBytes(1, "/t.T/Count", "100000"));
  ASSERT_TRUE(Eventually([&] { return server.started == 1; }));
  EXPECT_FALSE(server.Stop(std::chrono::milliseconds(50)));
  EXPECT_EQ(server.open(), 0);
}

TEST(Age, EndsAConnectionAndNoCall) {
  WireServer server({.max_connection_age = std::chrono::milliseconds(50)});
  GrpcClient client(server.address());
  EXPECT_TRUE(Eventually([&] {
    const test::RpcReply reply = client.CallBytes("t.T.Echo", "x");
    EXPECT_TRUE(reply.status.ok()) << reply.status.message;
    return server.peers() >= 4;
  }));
}

TEST(Age, EndsACallThatOutlivesTheGraceAsUnavailable) {
  WireServer server({.max_connection_age = std::chrono::milliseconds(50),
                     .max_connection_age_grace = std::chrono::milliseconds(50)});
  GrpcClient client(server.address());
  EXPECT_EQ(client.CallBytes("t.T.Wait", "x").status.code_name(), "UNAVAILABLE");
}

class TlsTest : public ::testing::Test {
 protected:
  static std::string Text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::shared_ptr<const net::TlsContext> Context(const std::string& client_ca) const {
    auto context =
        net::TlsContext::ForServer({.certificate_chain_file = certificates_.certificate_file(),
                                    .private_key_file = certificates_.key_file(),
                                    .peer_ca_file = client_ca,
                                    .protocol = "h2"});
    EXPECT_TRUE(context.ok()) << context.status();
    return *std::move(context);
  }
  test::RpcTls Trusting() const { return {Text(certificates_.ca_file()), "", ""}; }
  test::RpcTls Showing(const test::TestCertificates& own) const {
    return {Text(certificates_.ca_file()), Text(own.key_file()), Text(own.certificate_file())};
  }

  test::TestCertificates certificates_{"DNS:localhost,IP:127.0.0.1"};
};

TEST_F(TlsTest, ACallIsAnswered) {
  WireServer server({}, Context(""));
  GrpcClient client(server.address(), Trusting());
  EXPECT_TRUE(client.CallBytes("t.T.Echo", "x").status.ok());
  const std::string large(200'000, 'x');
  EXPECT_EQ(client.CallBytes("t.T.Echo", large).bytes, large);
}

TEST_F(TlsTest, WithAnAuthorityWhoShowsNoCertificateOfItsIsRefused) {
  const test::TestCertificates strangers("DNS:localhost");
  WireServer server({}, Context(certificates_.ca_file()));
  GrpcClient good(server.address(), Showing(certificates_));
  EXPECT_TRUE(good.CallBytes("t.T.Echo", "x").status.ok());
  GrpcClient none(server.address(), Trusting());
  EXPECT_EQ(none.CallBytes("t.T.Echo", "x").status.code_name(), "UNAVAILABLE");
  GrpcClient stranger(server.address(), Showing(strangers));
  EXPECT_EQ(stranger.CallBytes("t.T.Echo", "x").status.code_name(), "UNAVAILABLE");
  // The peer may know before it is counted.
  EXPECT_TRUE(Eventually([&] { return server.refused(Refusal::kHandshake) >= 2; }));
}

TEST_F(TlsTest, TheAuthoritiesOfCallersAreReadAgainWhenTheirFileChanges) {
  const test::TestCertificates others("DNS:localhost");
  const test::ExchangedCertificates files(certificates_);
  WireServer server({}, Context(files.ca_file()));
  const auto call = [&](const test::TestCertificates& own) {
    GrpcClient client(server.address(), Showing(own));
    return client.CallBytes("t.T.Echo", "x").status.ok();
  };
  EXPECT_TRUE(call(certificates_));
  EXPECT_FALSE(call(others));
  files.Put(others);
  EXPECT_TRUE(Eventually([&] { return call(others); }));
  EXPECT_FALSE(call(certificates_));
}

TEST_F(TlsTest, AHandshakeThatStopsHalfWayIsEnded) {
  WireServer server({.handshake_timeout = std::chrono::milliseconds(50)}, Context(""));
  RawClient client(server.port(), false);
  // The head of a ClientHello.
  client.Send(std::string("\x16\x03\x01\x02\x00\x01\x00", 7));
  client.AwaitClose();
  EXPECT_EQ(server.refused(Refusal::kHandshake), 1u);
}

// RFC 9113, 9.2.1.
TEST_F(TlsTest, WhoAsksForAnotherHandshakeIsEnded) {
  WireServer server({}, Context(""));
  EXPECT_EQ(AskToRenegotiate(server.port(), Trusting()), Renegotiation::kEnded);
  EXPECT_EQ(server.refused(Refusal::kProtocol), 1u);
  GrpcClient client(server.address(), Trusting());
  EXPECT_TRUE(client.CallBytes("t.T.Echo", "x").status.ok());
}

TEST_F(TlsTest, WhoChangesItsKeyOverAndOverIsEnded) {
  WireServer server({}, Context(""));
  EXPECT_TRUE(ChangesItsKeyInVain(server.port(), Trusting(), 1'000));
  EXPECT_EQ(server.refused(Refusal::kProtocol), 1u);
  GrpcClient client(server.address(), Trusting());
  EXPECT_TRUE(client.CallBytes("t.T.Echo", "x").status.ok());
}

}  // namespace
}  // namespace tollbridge::wire
