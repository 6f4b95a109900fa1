#include "base/net/stream.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/post.hpp>
#include <chrono>
#include <optional>
#include <vector>

#include "tests/unit/base/http/support.h"

namespace tollbridge::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class StreamTest : public ::testing::Test {
 protected:
  std::unique_ptr<net::Stream> ConnectTo(const RawPeer& peer) {
    net::ConnectOptions options;
    options.host = "127.0.0.1";
    options.port = peer.port();
    options.deadline = BootClock::now() + kPatience;
    auto stream = loop_.Run(net::Connect(loop_.executor(), options));
    return stream.ok() ? *std::move(stream) : nullptr;
  }

  Loop loop_;
  std::array<char, 16> buffer_{};
};

TEST_F(StreamTest, ReadsWhileAWriteIsBlocked) {
  // The peer sends at once and does not read, so the write cannot end.
  std::vector<tcp::socket> held;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    co_await Write(socket, "push");
    held.push_back(std::move(socket));
  });
  const auto stream = ConnectTo(peer);
  ASSERT_NE(stream, nullptr);
  const std::string much(std::size_t{64} << 20, 'x');
  std::optional<absl::Status> written;
  asio::co_spawn(loop_.context(), stream->WriteAll(much, net::kNoDeadline),
                 [&](std::exception_ptr, absl::Status status) { written = status; });
  const auto size = loop_.Run(stream->ReadSome(buffer_, BootClock::now() + kPatience));
  ASSERT_TRUE(size.ok()) << size.status();
  EXPECT_EQ(std::string(buffer_.data(), *size), "push");
  EXPECT_FALSE(written.has_value());
  stream->Abort();
  ASSERT_TRUE(loop_.RunUntil([&] { return written.has_value(); }));
  EXPECT_EQ(written->code(), absl::StatusCode::kCancelled) << *written;
}

TEST_F(StreamTest, CancelEndsAReadWithoutADeadline) {
  const RawPeer peer(
      loop_, [](tcp::socket socket) -> asio::awaitable<void> { co_await ReadToEnd(socket); });
  const auto stream = ConnectTo(peer);
  ASSERT_NE(stream, nullptr);
  std::optional<absl::StatusCode> code;
  asio::co_spawn(
      loop_.context(), stream->ReadSome(buffer_, net::kNoDeadline),
      [&](std::exception_ptr, absl::StatusOr<std::size_t> size) { code = size.status().code(); });
  asio::post(loop_.context(), [&] { stream->Cancel(); });
  ASSERT_TRUE(loop_.RunUntil([&] { return code.has_value(); }));
  EXPECT_EQ(*code, absl::StatusCode::kCancelled);
  EXPECT_TRUE(stream->ProbeOpen());
}

TEST_F(StreamTest, CancelEndsACloseThatHasJustReadSomething) {
  std::vector<tcp::socket> held;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    co_await Write(socket, "more");
    held.push_back(std::move(socket));
  });
  const auto stream = ConnectTo(peer);
  ASSERT_NE(stream, nullptr);
  ASSERT_TRUE(loop_.RunUntil([&] { return !stream->ProbeOpen(); }));
  bool closed = false;
  asio::co_spawn(loop_.context(), stream->Close(net::kNoDeadline),
                 [&](const std::exception_ptr&) { closed = true; });
  asio::post(loop_.context(), [&] { stream->Cancel(); });
  EXPECT_TRUE(loop_.RunUntil([&] { return closed; }));
}

TEST_F(StreamTest, EachDeadlineHoldsWhateverTheOneBeforeItWas) {
  using std::chrono::milliseconds;
  std::vector<tcp::socket> held;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    co_await ReadUntil(socket, "first");
    co_await Write(socket, "x");
    co_await ReadUntil(socket, "second");
    co_await Write(socket, "y");
    co_await ReadUntil(socket, "third");
    co_await Write(socket, "z");
    held.push_back(std::move(socket));
  });
  const auto stream = ConnectTo(peer);
  ASSERT_NE(stream, nullptr);
  ASSERT_TRUE(loop_.Run(stream->WriteAll("first", net::kNoDeadline)).ok());
  ASSERT_TRUE(loop_.Run(stream->ReadSome(buffer_, BootClock::now() + kPatience)).ok());

  const BootTime begin = BootClock::now();
  const auto late = loop_.Run(stream->ReadSome(buffer_, begin + milliseconds(20)));
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded) << "an earlier one";
  EXPECT_GE(BootClock::now() - begin, milliseconds(20));
  EXPECT_LT(BootClock::now() - begin, kPatience / 2);

  const BootTime soon = BootClock::now() + milliseconds(300);
  ASSERT_TRUE(loop_.Run(stream->WriteAll("second", net::kNoDeadline)).ok());
  ASSERT_TRUE(loop_.Run(stream->ReadSome(buffer_, soon)).ok());
  std::optional<absl::StatusOr<std::size_t>> read;
  asio::co_spawn(loop_.context(), stream->ReadSome(buffer_, BootClock::now() + kPatience),
                 [&](std::exception_ptr, absl::StatusOr<std::size_t> size) { read = size; });
  ASSERT_TRUE(loop_.RunUntil([&] { return BootClock::now() > soon + milliseconds(5); }));
  EXPECT_FALSE(read.has_value()) << "a later one is not cut short";
  ASSERT_TRUE(loop_.Run(stream->WriteAll("third", net::kNoDeadline)).ok());
  ASSERT_TRUE(loop_.RunUntil([&] { return read.has_value(); }));
  EXPECT_TRUE(read->ok()) << read->status();
}

TEST_F(StreamTest, ProbeSeesUnreadBytesAndTheEnd) {
  bool sent = false;
  bool ended = false;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    co_await ReadUntil(socket, "send");
    co_await Write(socket, "x");
    sent = true;
    co_await ReadUntil(socket, "end");
    socket.close();
    ended = true;
  });
  const auto stream = ConnectTo(peer);
  ASSERT_NE(stream, nullptr);
  EXPECT_TRUE(stream->ProbeOpen());
  EXPECT_TRUE(loop_.Run(stream->WriteAll("send", net::kNoDeadline)).ok());
  ASSERT_TRUE(loop_.RunUntil([&] { return sent; }));
  EXPECT_FALSE(stream->ProbeOpen());
  EXPECT_TRUE(loop_.Run(stream->ReadSome(buffer_, net::kNoDeadline)).ok());
  EXPECT_TRUE(stream->ProbeOpen());
  EXPECT_TRUE(loop_.Run(stream->WriteAll("end", net::kNoDeadline)).ok());
  ASSERT_TRUE(loop_.RunUntil([&] { return ended; }));
  EXPECT_FALSE(stream->ProbeOpen());
  const auto end = loop_.Run(stream->ReadSome(buffer_, net::kNoDeadline));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(*end, 0u);
}

TEST_F(StreamTest, TellsThePeersAddress) {
  const RawPeer peer(
      loop_, [](tcp::socket socket) -> asio::awaitable<void> { co_await ReadToEnd(socket); });
  const auto stream = ConnectTo(peer);
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->peer(), "127.0.0.1:" + std::to_string(peer.port()));
  EXPECT_FALSE(stream->is_tls());
}

}  // namespace
}  // namespace tollbridge::http
