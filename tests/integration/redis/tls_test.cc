#include <gmock/gmock.h>

#include "tests/integration/redis/redis_client.h"

namespace tollbridge::redis {
namespace {

using test::RedisServer;
using test::TestCertificates;
using testing::AllOf;
using testing::HasSubstr;

class RedisTlsTest : public RedisClientTest {
 protected:
  ConnectionOptions Over(std::shared_ptr<const net::TlsContext> tls) const {
    ConnectionOptions options = To(server_);
    options.tls = std::move(tls);
    return options;
  }

  const TestCertificates certificates_{"IP:127.0.0.1"};
  const RedisServer server_ = RedisServer::WithTls(certificates_);
};

TEST_F(RedisTlsTest, AClientWithACertificateOfTheRightCaIsServed) {
  const std::unique_ptr<Connection> connection = Connected(Over(ClientTls(certificates_)));
  Ask(*connection, {"SET", "k", std::string(std::size_t{1} << 20, 'x')});
  EXPECT_EQ(Ask(*connection, {"STRLEN", "k"}).integer, 1 << 20);
}

TEST_F(RedisTlsTest, AClientWithoutACertificateIsRefused) {
  const auto without = net::TlsContext::ForClient({.ca_file = certificates_.ca_file()});
  ASSERT_TRUE(without.ok());
  EXPECT_THAT(WhyRefused(Over(*without)), HasSubstr("certificate required"));
}

TEST_F(RedisTlsTest, AClientWithACertificateOfAnotherCaIsRefused) {
  const TestCertificates others("IP:127.0.0.1");
  const auto foreign =
      net::TlsContext::ForClient({.ca_file = certificates_.ca_file(),
                                  .certificate_chain_file = others.certificate_file(),
                                  .private_key_file = others.key_file()});
  ASSERT_TRUE(foreign.ok());
  EXPECT_THAT(WhyRefused(Over(*foreign)), HasSubstr("alert"));
}

TEST_F(RedisTlsTest, AServerOfAnotherCaIsRefused) {
  const TestCertificates others("IP:127.0.0.1");
  EXPECT_THAT(WhyRefused(Over(ClientTls(others))),
              AllOf(HasSubstr("TLS handshake"), HasSubstr("certificate")));
}

TEST_F(RedisTlsTest, AServerOfAnotherNameIsRefused) {
  const TestCertificates named("DNS:redis.example");
  const RedisServer elsewhere = RedisServer::WithTls(named);
  ConnectionOptions options = To(elsewhere);
  options.tls = ClientTls(named);
  EXPECT_THAT(WhyRefused(options), HasSubstr("IP address mismatch"));
  options.host = "localhost";
  EXPECT_THAT(WhyRefused(options), HasSubstr("hostname mismatch"));
}

TEST_F(RedisTlsTest, AClientGoesByTheFilesAsTheyAreWhenItConnects) {
  const TestCertificates others("IP:127.0.0.1");
  const test::ExchangedCertificates files(others);
  const auto tls = net::TlsContext::ForClient({.ca_file = files.ca_file(),
                                               .certificate_chain_file = files.certificate_file(),
                                               .private_key_file = files.key_file()});
  ASSERT_TRUE(tls.ok()) << tls.status();
  const std::unique_ptr<Connection> connection = Start(Over(*tls));
  EXPECT_THAT(WhyNotReady(*connection), HasSubstr("TLS handshake"));
  files.Put(certificates_);
  ExpectReady(*connection);
}

TEST_F(RedisTlsTest, PlainTextIsRefused) {
  EXPECT_THAT(WhyRefused(Over(nullptr)), HasSubstr(server_.address()));
}

TEST_F(RedisTlsTest, ThePrimaryIsFoundOverTls) {
  const RedisServer sentinel =
      RedisServer::SentinelWithTls(certificates_, test::Watch("shop", server_));
  ConnectionOptions options = QuickOptions();
  options.tls = ClientTls(certificates_);
  options.sentinel = {
      .sentinels = {EndpointOf(sentinel)}, .master = "shop", .tls = ClientTls(certificates_)};
  const std::unique_ptr<Connection> connection = Connected(options);
  EXPECT_EQ(PortOf(*connection, "tls-port"), std::to_string(server_.port()));
}

}  // namespace
}  // namespace tollbridge::redis
