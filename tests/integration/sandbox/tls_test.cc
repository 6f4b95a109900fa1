#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/boot_clock.h"
#include "base/http/client.h"
#include "base/http/url.h"
#include "base/net/tls.h"
#include "sandbox/self_signed.h"
#include "tests/support/async_test.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

using testing::StartsWith;

/// The sandbox with a certificate of its own making.
class SandboxTlsTest : public testing::Test {
 protected:
  SandboxTlsTest() { Start({"--tls-self-signed", folder_.PathOf("tls")}); }

  void Start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {ProgramBeside("tollbridge-sandbox"), "--listen", "127.0.0.1:0"});
    process_ = std::make_unique<Process>(std::move(arguments));
    const auto line = process_->WaitForLine("base_url");
    ASSERT_TRUE(line.has_value()) << process_->standard_error();
    addresses_ = json::parse(*line).as_object();
    base_url_ = std::string(addresses_.at("base_url").as_string());
    url_ = *http::ParseUrl(base_url_);
  }

  /// GET of the clock. `ca_file` empty: plain HTTP.
  http::SendResult Get(const std::string& ca_file, const std::string& host = "127.0.0.1") const {
    http::ClientOptions options;
    options.base_url = url_;
    options.base_url.host = host;
    options.base_url.tls = !ca_file.empty();
    if (!ca_file.empty()) {
      const auto tls = net::TlsContext::ForClient({.ca_file = ca_file});
      EXPECT_TRUE(tls.ok()) << tls.status();
      if (tls.ok()) options.tls = *tls;
    }
    asio::io_context context(1);
    http::Client client(context.get_executor(), std::move(options));
    return Await(context, client.Send({.method = "GET", .target = "/_sandbox/clock"},
                                      {.deadline = BootClock::now() + kAwaitLimit}));
  }

  std::string certificate() const { return folder_.PathOf("tls/certificate.pem"); }

  TempFolder folder_;
  std::unique_ptr<Process> process_;
  json::object addresses_;
  std::string base_url_;
  http::Url url_;
};

TEST_F(SandboxTlsTest, AddressesAreHttps) {
  for (const std::string_view name : {"base_url", "vault_url", "wallet_token_url", "admin_url"}) {
    EXPECT_THAT(std::string(addresses_.at(name).as_string()), StartsWith("https://127.0.0.1:"));
  }
}

TEST_F(SandboxTlsTest, ClientThatTrustsTheCertificateIsAnswered) {
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    const http::SendResult result = Get(certificate(), host);
    ASSERT_EQ(result.fate, http::Fate::kAnswered) << host << ": " << result.error;
    EXPECT_EQ(result.response.status, 200);
  }
}

TEST_F(SandboxTlsTest, ClientThatTrustsAnotherCertificateSendsNothing) {
  const auto other = sandbox::MakeSelfSigned(folder_.PathOf("other"), {}, {});
  ASSERT_TRUE(other.ok()) << other.status();
  const http::SendResult result = Get(other->certificate);
  EXPECT_EQ(result.fate, http::Fate::kNotSent);
}

TEST_F(SandboxTlsTest, PairIsUsedAgainAfterARestart) {
  process_->Kill();
  // The certificate that the client trusts is the one that was made by the first start.
  const std::string trusted = folder_.PathOf("trusted.pem");
  std::filesystem::copy_file(certificate(), trusted);
  Start({"--tls-self-signed", folder_.PathOf("tls")});
  EXPECT_EQ(Get(trusted).fate, http::Fate::kAnswered);
}

TEST_F(SandboxTlsTest, GivenPairIsTaken) {
  process_->Kill();
  Start({"--tls-certificate", certificate(), "--tls-key", folder_.PathOf("tls/key.pem")});
  EXPECT_EQ(Get(certificate()).fate, http::Fate::kAnswered);
}

TEST_F(SandboxTlsTest, PlainHttpFailsAndTheServiceGoesOn) {
  const http::SendResult plain = Get("");
  EXPECT_EQ(plain.fate, http::Fate::kUnknown) << plain.response.body;
  EXPECT_EQ(Get(certificate()).fate, http::Fate::kAnswered);
}

/// A TLS ClientHello of version 3.`minor` (1.1 is 3.2, 1.2 is 3.3), as a client writes it that
/// speaks nothing newer.
std::string ClientHello(char minor) {
  const auto sized = [](std::string_view content, int width) {
    std::string out;
    for (int i = width - 1; i >= 0; --i) {
      out += static_cast<char>((content.size() >> (8 * i)) & 0xFFU);
    }
    return out + std::string(content);
  };
  const auto extension = [&](char type, std::string_view content) {
    return std::string(1, '\0') + type + sized(content, 2);
  };
  using std::string_literals::operator""s;
  const std::string suites = "\xc0\x09\xc0\x2b"s;  // ECDHE-ECDSA with AES128 CBC SHA, AES128 GCM
  const std::string extensions = extension(10, sized("\x00\x17"s, 2)) +  // P-256
                                 extension(11, sized("\x00"s, 1)) +      // uncompressed points
                                 extension(13, sized("\x04\x03"s, 2));   // ECDSA with SHA-256
  const std::string body = "\x03"s + minor + std::string(32, 'r') + sized("", 1) +
                           sized(suites, 2) + sized("\x00"s, 1) + sized(extensions, 2);
  return "\x16\x03\x01"s + sized("\x01"s + sized(body, 3), 2);
}

class SandboxTlsVersionTest : public SandboxTlsTest {
 protected:
  /// The first seven bytes that the server answers: a record's header, and the alert in it if it
  /// is one.
  std::array<std::uint8_t, 7> AnswerTo(const std::string& hello) const {
    asio::io_context context(1);
    asio::ip::tcp::socket socket(context);
    socket.connect({asio::ip::make_address(url_.host), url_.port});
    asio::write(socket, asio::buffer(hello));
    std::array<std::uint8_t, 7> answer{};
    asio::read(socket, asio::buffer(answer));
    return answer;
  }
};

constexpr std::uint8_t kAlertRecord = 21;
constexpr std::uint8_t kHandshakeRecord = 22;
constexpr std::uint8_t kProtocolVersionAlert = 70;

TEST_F(SandboxTlsVersionTest, Tls11IsRefused) {
  const std::array<std::uint8_t, 7> answer = AnswerTo(ClientHello(2));
  EXPECT_EQ(answer[0], kAlertRecord);
  EXPECT_EQ(answer[6], kProtocolVersionAlert);
}

TEST_F(SandboxTlsVersionTest, Tls12IsTaken) {
  EXPECT_EQ(AnswerTo(ClientHello(3))[0], kHandshakeRecord);
}

}  // namespace
}  // namespace tollbridge::test
