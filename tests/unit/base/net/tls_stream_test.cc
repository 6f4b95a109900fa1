// TLS of a stream, with another stream as its peer.

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/net/socket_stream.h"
#include "base/net/stream.h"
#include "base/net/tls.h"
#include "tests/unit/base/http/support.h"

namespace tollbridge::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class TlsStreamTest : public ::testing::Test {
 protected:
  TlsStreamTest()
      : certificates_("DNS:localhost"),
        for_server_(
            *net::TlsContext::ForServer({.certificate_chain_file = certificates_.certificate_file(),
                                         .private_key_file = certificates_.key_file()})),
        for_client_(*net::TlsContext::ForClient({.ca_file = certificates_.ca_file(),
                                                 .certificate_chain_file = "",
                                                 .private_key_file = ""})),
        peer_(loop_, [this](tcp::socket socket) { return Shake(std::move(socket)); }) {}

  /// Both ends, after the handshake.
  void Connect() {
    net::ConnectOptions options;
    options.host = "localhost";
    options.port = peer_.port();
    options.tls = for_client_;
    options.deadline = BootClock::now() + kPatience;
    auto stream = loop_.Run(net::Connect(loop_.executor(), options));
    ASSERT_TRUE(stream.ok()) << stream.status();
    client_ = *std::move(stream);
    ASSERT_TRUE(loop_.RunUntil([&] { return server_ready_; }));
  }

  void WriteBeside(net::Stream& stream, const std::string& bytes,
                   std::optional<absl::Status>& written) {
    asio::co_spawn(loop_.context(), stream.WriteAll(bytes, BootClock::now() + kPatience),
                   [&](const std::exception_ptr&, absl::Status status) { written = status; });
  }

  /// So many bytes, in pieces of another size each time.
  void ReadBeside(net::Stream& stream, std::size_t bytes, std::string& into) {
    asio::co_spawn(loop_.context(), ReadAll(stream, bytes, into), asio::detached);
  }

  Loop loop_;
  test::TestCertificates certificates_;
  std::shared_ptr<const net::TlsContext> for_server_;
  std::shared_ptr<const net::TlsContext> for_client_;
  std::unique_ptr<net::Stream> client_;
  std::unique_ptr<net::SocketStream> server_;
  bool server_ready_ = false;
  std::array<char, 16'384> buffer_{};

 private:
  asio::awaitable<void> Shake(tcp::socket socket) {
    socket.set_option(asio::socket_base::send_buffer_size(8'192));
    server_ = std::make_unique<net::SocketStream>(std::move(socket));
    const absl::Status shaken =
        co_await server_->HandshakeAsServer(for_server_, BootClock::now() + kPatience);
    server_ready_ = shaken.ok();
  }

  static asio::awaitable<void> ReadAll(net::Stream& stream, std::size_t bytes, std::string& into) {
    std::array<char, 20'000> piece;
    std::size_t most = 1;
    while (into.size() < bytes) {
      most = most * 7 % piece.size() + 1;
      const auto size = co_await stream.ReadSome({piece.data(), most}, net::kNoDeadline);
      if (!size.ok() || *size == 0) co_return;
      into.append(piece.data(), *size);
    }
  }

  RawPeer peer_;
};

/// No two places of it look alike.
std::string Pattern(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text.append(std::to_string(i)).push_back(' ');
  text.resize(bytes);
  return text;
}

TEST_F(TlsStreamTest, MegabytesGoBothWaysAtOnce) {
  ASSERT_NO_FATAL_FAILURE(Connect());
  const std::string there = Pattern(3'000'001);
  const std::string back = Pattern(2'000'003) + "end";
  std::optional<absl::Status> written_there;
  std::optional<absl::Status> written_back;
  std::string read_there;
  std::string read_back;
  WriteBeside(*client_, there, written_there);
  WriteBeside(*server_, back, written_back);
  ReadBeside(*server_, there.size(), read_there);
  ReadBeside(*client_, back.size(), read_back);
  ASSERT_TRUE(loop_.RunUntil([&] {
    return read_there.size() == there.size() && read_back.size() == back.size();
  })) << read_there.size()
      << " and " << read_back.size();
  ASSERT_TRUE(loop_.RunUntil([&] { return written_there && written_back; }));
  EXPECT_TRUE(written_there->ok()) << *written_there;
  EXPECT_TRUE(written_back->ok()) << *written_back;
  EXPECT_TRUE(read_there == there);
  EXPECT_TRUE(read_back == back);
}

TEST_F(TlsStreamTest, WhatTheSocketDoesNotTakeAtOnceIsWrittenNext) {
  ASSERT_NO_FATAL_FAILURE(Connect());
  const std::string much = Pattern(5'000'000);
  // Nobody reads: it stops in the midst of a record.
  const std::size_t now = server_->WriteNow(much);
  ASSERT_GT(now, 0U);
  ASSERT_LT(now, much.size());
  std::optional<absl::Status> written;
  const std::string rest = much.substr(now);
  WriteBeside(*server_, rest, written);
  std::string read;
  ReadBeside(*client_, much.size(), read);
  ASSERT_TRUE(loop_.RunUntil([&] { return read.size() == much.size(); }));
  ASSERT_TRUE(loop_.RunUntil([&] { return written.has_value(); }));
  EXPECT_TRUE(written->ok()) << *written;
  EXPECT_TRUE(read == much);
}

TEST_F(TlsStreamTest, RecordsThatAreThereAreReadTogether) {
  ASSERT_NO_FATAL_FAILURE(Connect());
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(loop_.Run(server_->WriteAll("record ", net::kNoDeadline)).ok());
  }
  // All were sent before anything is read; loopback hands on in order.
  const auto size = loop_.Run(client_->ReadSome(buffer_, BootClock::now() + kPatience));
  ASSERT_TRUE(size.ok()) << size.status();
  EXPECT_EQ(std::string_view(buffer_.data(), *size), "record record record record record ");
  EXPECT_TRUE(client_->ProbeOpen());
}

TEST_F(TlsStreamTest, ProbeSeesWhatIsHereAndWasNotRead) {
  ASSERT_NO_FATAL_FAILURE(Connect());
  ASSERT_TRUE(loop_.Run(server_->WriteAll("some more", net::kNoDeadline)).ok());
  const auto size = loop_.Run(client_->ReadSome({buffer_.data(), 4}, net::kNoDeadline));
  ASSERT_TRUE(size.ok()) << size.status();
  EXPECT_EQ(std::string_view(buffer_.data(), *size), "some");
  EXPECT_FALSE(client_->ProbeOpen());
  ASSERT_TRUE(loop_.Run(client_->ReadSome(buffer_, net::kNoDeadline)).ok());
  EXPECT_TRUE(client_->ProbeOpen());
}

TEST_F(TlsStreamTest, AnEndThatWasNotSaidIsAnErrorBehindWhatCame) {
  ASSERT_NO_FATAL_FAILURE(Connect());
  ASSERT_TRUE(loop_.Run(server_->WriteAll("half of it", net::kNoDeadline)).ok());
  server_.reset();
  const auto size = loop_.Run(client_->ReadSome(buffer_, BootClock::now() + kPatience));
  ASSERT_TRUE(size.ok()) << size.status();
  EXPECT_EQ(std::string_view(buffer_.data(), *size), "half of it");
  for (int i = 0; i < 2; ++i) {
    const auto end = loop_.Run(client_->ReadSome(buffer_, BootClock::now() + kPatience));
    EXPECT_EQ(end.status().code(), absl::StatusCode::kUnavailable) << end.status();
  }
}

TEST_F(TlsStreamTest, AnEndInOrderIsOne) {
  ASSERT_NO_FATAL_FAILURE(Connect());
  bool closed = false;
  asio::co_spawn(loop_.context(), server_->Close(BootClock::now() + kPatience),
                 [&](const std::exception_ptr&) { closed = true; });
  const auto end = loop_.Run(client_->ReadSome(buffer_, BootClock::now() + kPatience));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(*end, 0U);
  client_.reset();
  EXPECT_TRUE(loop_.RunUntil([&] { return closed; }));
}

TEST_F(TlsStreamTest, APeerThatHasGoneIsAnErrorOfWritingAndNoSignal) {
  ASSERT_NO_FATAL_FAILURE(Connect());
  server_->Abort();
  absl::Status written;
  ASSERT_TRUE(loop_.RunUntil([&] {
    written = loop_.Run(client_->WriteAll("more", BootClock::now() + kPatience));
    return !written.ok();
  }));
  EXPECT_EQ(written.code(), absl::StatusCode::kUnavailable) << written;
}

TEST_F(TlsStreamTest, CancelEndsAHandshakeBetweenTwoOfItsSteps) {
  std::optional<absl::Status> shaken;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    net::SocketStream server(std::move(socket));
    // The socket is ready, and nothing is under way that would be cancelled.
    const net::SocketStream::Turn turn = [&]() -> asio::awaitable<void> {
      server.Cancel();
      co_return;
    };
    shaken = co_await server.HandshakeAsServer(for_server_,
                                               BootClock::now() + std::chrono::seconds(1), turn);
  });
  tcp::socket client(loop_.context(), tcp::v4());
  client.connect({asio::ip::address_v4::loopback(), peer.port()});
  asio::write(client, asio::buffer("\x16", 1));
  ASSERT_TRUE(loop_.RunUntil([&] { return shaken.has_value(); }));
  EXPECT_EQ(shaken->code(), absl::StatusCode::kCancelled) << *shaken;
}

TEST_F(TlsStreamTest, AbortEndsBothWithCancelled) {
  ASSERT_NO_FATAL_FAILURE(Connect());
  const std::string much = Pattern(8'000'000);
  std::optional<absl::Status> written;
  WriteBeside(*client_, much, written);
  std::optional<absl::StatusCode> read;
  asio::co_spawn(loop_.context(), client_->ReadSome(buffer_, net::kNoDeadline),
                 [&](const std::exception_ptr&, absl::StatusOr<std::size_t> size) {
                   read = size.status().code();
                 });
  asio::post(loop_.context(), [&] { client_->Abort(); });
  ASSERT_TRUE(loop_.RunUntil([&] { return written && read; }));
  EXPECT_EQ(written->code(), absl::StatusCode::kCancelled) << *written;
  EXPECT_EQ(*read, absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace tollbridge::http
