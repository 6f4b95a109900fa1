// TLS 1.2 or newer only (docs/interface.md#limits). A peer that speaks an older one gets nothing.

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/net/tls.h"
#include "tests/unit/base/http/support.h"

namespace tollbridge::http {
namespace {

using std::string_literals::operator""s;

constexpr std::uint8_t kAlertRecord = 21;
constexpr std::uint8_t kProtocolVersionAlert = 70;
constexpr std::size_t kRecordHeader = 5;

std::string Sized(std::string_view content, int width) {
  std::string out;
  for (int i = width - 1; i >= 0; --i) {
    out += static_cast<char>((content.size() >> (8 * i)) & 0xFFU);
  }
  return out + std::string(content);
}

/// A TLS ServerHello of version 3.`minor` (1.1 is 3.2, 1.2 is 3.3), from a server that speaks
/// nothing newer.
std::string ServerHello(char minor) {
  const std::string suite = "\xc0\x2b"s;  // ECDHE-ECDSA with AES128 GCM
  const std::string body =
      "\x03"s + minor + std::string(32, 'r') + Sized("", 1) + suite + std::string(1, '\0');
  return "\x16\x03"s + minor + Sized("\x02"s + Sized(body, 3), 2);
}

/// The first record of the client's, whole.
boost::asio::awaitable<std::string> ReadRecord(boost::asio::ip::tcp::socket& socket) {
  std::string record(kRecordHeader, '\0');
  co_await boost::asio::async_read(socket, boost::asio::buffer(record), boost::asio::use_awaitable);
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<std::uint8_t>(record[at]));
  };
  const std::size_t length = byte(3) << 8U | byte(4);
  record.resize(kRecordHeader + length);
  co_await boost::asio::async_read(socket,
                                   boost::asio::buffer(record.data() + kRecordHeader, length),
                                   boost::asio::use_awaitable);
  co_return record;
}

class TlsVersionTest : public ::testing::Test {
 protected:
  /// Whether the client refuses the version of a server that greets it like this. Nothing is sent
  /// to it in either case: it has no certificate.
  bool Refuses(const std::string& server_hello) {
    const TestCertificates certificates("DNS:localhost");
    std::optional<std::string> answer;
    const RawPeer peer(loop_, [&](boost::asio::ip::tcp::socket socket) {
      return Greet(std::move(socket), server_hello, answer);
    });
    ClientOptions options;
    options.base_url = *ParseUrl("https://127.0.0.1:" + std::to_string(peer.port()));
    options.connect_timeout = std::chrono::milliseconds(200);
    options.tls = *net::TlsContext::ForClient(
        {.ca_file = certificates.ca_file(), .certificate_chain_file = "", .private_key_file = ""});
    Client client(loop_.executor(), options);
    Request request;
    request.method = "POST";
    request.body = "hello";
    EXPECT_EQ(loop_.Run(client.Send(request, Patiently())).fate, Fate::kNotSent);
    EXPECT_TRUE(loop_.RunUntil([&] { return answer.has_value(); }));
    constexpr std::size_t kDescription = kRecordHeader + 1;
    return answer->size() > kDescription &&
           static_cast<std::uint8_t>((*answer)[0]) == kAlertRecord &&
           static_cast<std::uint8_t>((*answer)[kDescription]) == kProtocolVersionAlert;
  }

 private:
  /// Takes the client's hello, answers it, and keeps what comes then.
  static boost::asio::awaitable<void> Greet(boost::asio::ip::tcp::socket socket, std::string hello,
                                            std::optional<std::string>& answer) {
    co_await ReadRecord(socket);
    co_await Write(socket, hello);
    std::string rest = co_await ReadToEnd(socket);
    answer = std::move(rest);
  }

  Loop loop_;
};

TEST_F(TlsVersionTest, AServerOfTls11IsRefused) { EXPECT_TRUE(Refuses(ServerHello(2))); }

TEST_F(TlsVersionTest, AServerOfTls12IsTaken) { EXPECT_FALSE(Refuses(ServerHello(3))); }

}  // namespace
}  // namespace tollbridge::http
