#include "base/net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/http/client.h"
#include "base/http/server.h"
#include "base/net/stream.h"
#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/base/http/support.h"

namespace tollbridge::http {
namespace {

using ::testing::HasSubstr;

boost::asio::awaitable<Response> Large(const Request& request, const ConnectionInfo& info) {
  Response response;
  response.body = request.body + (info.tls ? " over TLS " : " in the clear ");
  response.body.append(100000, 'x');
  co_return response;
}

class TlsTest : public ::testing::Test {
 protected:
  void StartServer(const TestCertificates& certificates) {
    StartServer({.certificate_chain_file = certificates.certificate_file(),
                 .private_key_file = certificates.key_file()});
  }
  void StartServer(const net::TlsServerSettings& settings) {
    ServerOptions options;
    auto tls = net::TlsContext::ForServer(settings);
    ASSERT_TRUE(tls.ok()) << tls.status();
    options.tls = *tls;
    auto server = Server::Start({loop_.executor()}, options, &Large);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  ClientOptions Trusting(const TestCertificates& certificates, const std::string& host) {
    ClientOptions options;
    options.base_url = *ParseUrl("https://" + host + ":" + std::to_string(server_->port()));
    options.tls = *net::TlsContext::ForClient(
        {.ca_file = certificates.ca_file(), .certificate_chain_file = "", .private_key_file = ""});
    return options;
  }
  SendResult Post(const ClientOptions& options) {
    Client client(loop_.executor(), options);
    Request request;
    request.method = "POST";
    request.body = "hello";
    return loop_.Run(client.Send(request, Patiently()));
  }

  Loop loop_;
  std::unique_ptr<Server> server_;
};

/// The files are looked at once a second.
template <typename Condition>
bool InTime(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

TEST_F(TlsTest, AServerShowsTheCertificateThatIsInItsFileNow) {
  const TestCertificates first("IP:127.0.0.1");
  const TestCertificates second("IP:127.0.0.1");
  const test::ExchangedCertificates files(first);
  std::vector<absl::Status> told;
  StartServer({.certificate_chain_file = files.certificate_file(),
               .private_key_file = files.key_file(),
               .on_reload = [&](const absl::Status& status) { told.push_back(status); }});
  ASSERT_EQ(Post(Trusting(first, "127.0.0.1")).fate, Fate::kAnswered);

  files.PutCertificateAlone(second);
  EXPECT_TRUE(InTime([&] {
    EXPECT_EQ(Post(Trusting(first, "127.0.0.1")).fate, Fate::kAnswered);
    return !told.empty();
  }));
  EXPECT_THAT(told.front().ToString(), HasSubstr("key values mismatch"));

  files.Put(second);
  EXPECT_TRUE(InTime([&] { return Post(Trusting(second, "127.0.0.1")).fate == Fate::kAnswered; }));
  EXPECT_EQ(Post(Trusting(first, "127.0.0.1")).fate, Fate::kNotSent);
  EXPECT_TRUE(told.back().ok()) << told.back();
}

TEST_F(TlsTest, WhatCannotBeReadIsReadAgainWhenItCan) {
  const TestCertificates first("IP:127.0.0.1");
  const TestCertificates second("IP:127.0.0.1");
  const test::ExchangedCertificates files(first);
  std::vector<absl::Status> told;
  StartServer({.certificate_chain_file = files.certificate_file(),
               .private_key_file = files.key_file(),
               .on_reload = [&](const absl::Status& status) { told.push_back(status); }});
  files.Put(second);
  // No file can be opened any more, as when all descriptors are in use; its times stay as they are.
  const std::string aside = files.key_file() + ".aside";
  std::filesystem::rename(files.key_file(), aside);
  std::filesystem::create_directory(files.key_file());
  EXPECT_TRUE(InTime([&] {
    EXPECT_EQ(Post(Trusting(first, "127.0.0.1")).fate, Fate::kAnswered);
    return !told.empty() && !told.back().ok();
  }));
  EXPECT_THAT(told.back().ToString(), HasSubstr("key.pem: is no file"));
  std::filesystem::remove(files.key_file());
  std::filesystem::rename(aside, files.key_file());
  EXPECT_TRUE(InTime([&] { return Post(Trusting(second, "127.0.0.1")).fate == Fate::kAnswered; }));
  EXPECT_TRUE(told.back().ok()) << told.back();
}

TEST_F(TlsTest, AClientTrustsTheAuthoritiesThatAreInItsFileNow) {
  const TestCertificates first("IP:127.0.0.1");
  const TestCertificates second("IP:127.0.0.1");
  const test::ExchangedCertificates files(first);
  StartServer(second);
  ClientOptions options = Trusting(first, "127.0.0.1");
  options.tls = *net::TlsContext::ForClient({.ca_file = files.ca_file()});
  EXPECT_EQ(Post(options).fate, Fate::kNotSent);
  files.Put(second);
  EXPECT_TRUE(InTime([&] { return Post(options).fate == Fate::kAnswered; }));
}

TEST_F(TlsTest, AFileOfAuthoritiesThatIsBeingWrittenIsNotTaken) {
  const TestCertificates first("IP:127.0.0.1");
  const TestCertificates second("IP:127.0.0.1");
  const test::TempFolder folder;
  const std::string one = test::ReadFile(first.ca_file());
  const std::string both = one + test::ReadFile(second.ca_file());
  StartServer(second);
  ClientOptions options = Trusting(second, "127.0.0.1");
  options.tls = *net::TlsContext::ForClient({.ca_file = folder.Write("ca.pem", both)});
  // Longer than it takes until the files are looked at again.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2500);
  while (std::chrono::steady_clock::now() < end) {
    folder.Write("ca.pem", one);
    ASSERT_EQ(Post(options).fate, Fate::kAnswered);
  }
}

TEST_F(TlsTest, ExchangesOverAConnectionThatIsReused) {
  const TestCertificates certificates("DNS:localhost");
  StartServer(certificates);
  Client client(loop_.executor(), Trusting(certificates, "localhost"));
  for (int i = 0; i < 3; ++i) {
    Request request;
    request.method = "POST";
    request.body = std::string(50000, 'y');
    const SendResult result = loop_.Run(client.Send(request, Patiently()));
    ASSERT_EQ(result.fate, Fate::kAnswered) << result.error;
    EXPECT_EQ(result.response.body, request.body + " over TLS " + std::string(100000, 'x'));
    EXPECT_EQ(result.reused_connection, i > 0);
  }
}

TEST_F(TlsTest, AcceptsACertificateForAnAddress) {
  const TestCertificates certificates("IP:127.0.0.1");
  StartServer(certificates);
  const SendResult result = Post(Trusting(certificates, "127.0.0.1"));
  EXPECT_EQ(result.fate, Fate::kAnswered) << result.error;
}

TEST_F(TlsTest, CertificateForAnotherHostIsNotSent) {
  const TestCertificates certificates("DNS:other.example");
  StartServer(certificates);
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const SendResult result = Post(Trusting(certificates, host));
    EXPECT_EQ(result.fate, Fate::kNotSent);
    EXPECT_EQ(result.error.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(result.error.message()), HasSubstr("mismatch"));
  }
}

TEST_F(TlsTest, CertificateOfAnUnknownCaIsNotSent) {
  const TestCertificates certificates("DNS:localhost");
  const TestCertificates others("DNS:localhost");
  StartServer(certificates);
  const SendResult result = Post(Trusting(others, "localhost"));
  EXPECT_EQ(result.fate, Fate::kNotSent);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kUnavailable) << result.error;
}

TEST_F(TlsTest, PeerWithoutTlsIsNotSent) {
  const TestCertificates certificates("DNS:localhost");
  StartServer(certificates);
  const RawPeer peer(loop_,
                     [](boost::asio::ip::tcp::socket socket) -> boost::asio::awaitable<void> {
                       co_await Write(socket, "HTTP/1.1 400 Bad Request\r\n\r\n");
                     });
  ClientOptions options = Trusting(certificates, "localhost");
  options.base_url.port = peer.port();
  EXPECT_EQ(Post(options).fate, Fate::kNotSent);
}

TEST_F(TlsTest, HandshakeThatStallsEndsAtTheConnectTimeout) {
  const TestCertificates certificates("DNS:localhost");
  StartServer(certificates);
  const RawPeer peer(loop_,
                     [](boost::asio::ip::tcp::socket socket) -> boost::asio::awaitable<void> {
                       co_await ReadToEnd(socket);
                     });
  ClientOptions options = Trusting(certificates, "127.0.0.1");
  options.base_url.port = peer.port();
  options.connect_timeout = std::chrono::milliseconds(50);
  const SendResult result = Post(options);
  EXPECT_EQ(result.fate, Fate::kNotSent);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kDeadlineExceeded) << result.error;
}

TEST_F(TlsTest, StreamCanStillBeWrittenToAfterAReadTimedOut) {
  const TestCertificates certificates("DNS:localhost");
  StartServer(certificates);
  net::ConnectOptions connect;
  connect.host = "localhost";
  connect.port = server_->port();
  connect.tls = Trusting(certificates, "localhost").tls;
  connect.deadline = BootClock::now() + kPatience;
  auto stream = loop_.Run(net::Connect(loop_.executor(), connect));
  ASSERT_TRUE(stream.ok()) << stream.status();
  std::array<char, 100> buffer;
  const auto soon = BootClock::now() + std::chrono::milliseconds(20);
  const auto nothing = loop_.Run((*stream)->ReadSome(buffer, soon));
  EXPECT_EQ(nothing.status().code(), absl::StatusCode::kDeadlineExceeded) << nothing.status();
  const auto patient = BootClock::now() + kPatience;
  EXPECT_TRUE(loop_.Run((*stream)->WriteAll("nonsense\r\n\r\n", patient)).ok());
  const auto answer = loop_.Run((*stream)->ReadSome(buffer, patient));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(std::string(buffer.data(), 12), "HTTP/1.1 400");
}

TEST_F(TlsTest, NamesTheFileThatCannotBeUsed) {
  const TestCertificates certificates("DNS:localhost");
  const auto missing = net::TlsContext::ForServer({"/nowhere/chain.pem", certificates.key_file()});
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("/nowhere/chain.pem"));
  const TestCertificates others("DNS:localhost");
  const auto mixed =
      net::TlsContext::ForServer({certificates.certificate_file(), others.key_file()});
  EXPECT_EQ(mixed.status().code(), absl::StatusCode::kInvalidArgument);
  const auto half =
      net::TlsContext::ForClient({.ca_file = certificates.ca_file(),
                                  .certificate_chain_file = certificates.certificate_file(),
                                  .private_key_file = ""});
  EXPECT_EQ(half.status().code(), absl::StatusCode::kInvalidArgument);
}

/// The key of a file, encrypted with a passphrase that nobody has.
std::string Encrypted(const std::string& key_file) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in(BIO_new_file(key_file.c_str(), "r"),
                                                     &BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
  const std::array<unsigned char, 4> passphrase = {'n', 'o', 'n', 'e'};
  EXPECT_EQ(PEM_write_bio_PrivateKey(out.get(), key.get(), EVP_aes_256_cbc(), passphrase.data(),
                                     static_cast<int>(passphrase.size()), nullptr, nullptr),
            1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

TEST_F(TlsTest, NobodyIsAskedForThePassphraseOfAnEncryptedKey) {
  const TestCertificates certificates("DNS:localhost");
  const test::TempFolder folder;
  const std::string key = folder.Write("key.pem", Encrypted(certificates.key_file()));
  // A standard input that stays open and silent, as under a supervisor.
  std::array<int, 2> silent{};
  ASSERT_EQ(::pipe(silent.data()), 0);
  const int input = ::dup(STDIN_FILENO);
  ::dup2(silent[0], STDIN_FILENO);
  auto loaded = std::async(std::launch::async, [&] {
    return net::TlsContext::ForServer({certificates.certificate_file(), key}).status();
  });
  const bool answered = loaded.wait_for(kPatience) == std::future_status::ready;
  // Ends the wait of whoever reads there.
  ::close(silent[1]);
  EXPECT_TRUE(answered);
  EXPECT_THAT(loaded.get().ToString(), HasSubstr("(an encrypted one cannot be used)"));
  ::dup2(input, STDIN_FILENO);
  ::close(input);
  ::close(silent[0]);
}

}  // namespace
}  // namespace tollbridge::http
