#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/http/client.h"
#include "tests/unit/base/http/support.h"

namespace tollbridge::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t kBigBody = std::size_t{64} << 20;

/// Takes a body; waits before each piece while `gate` is there, until that is cancelled.
struct Reader {
  std::string text;
  std::size_t bytes = 0;
  std::size_t largest_piece = 0;
  int pieces = 0;
  bool keep_text = true;
  absl::Status answer;
  std::optional<asio::steady_timer> gate;
};

AsyncStatus Take(Reader& reader, std::string_view piece) {
  ++reader.pieces;
  reader.bytes += piece.size();
  reader.largest_piece = std::max(reader.largest_piece, piece.size());
  if (reader.keep_text) reader.text += piece;
  if (reader.gate) co_await reader.gate->async_wait(asio::as_tuple(asio::use_awaitable));
  co_return reader.answer;
}

/// Answers the first request of a connection, then ends it.
RawPeer::Script AnswerAndEnd(std::string answer) {
  return [answer](tcp::socket socket) -> asio::awaitable<void> {
    co_await ReadUntil(socket, "\r\n\r\n");
    co_await Write(socket, answer);
  };
}

/// What the writer of a big body has done.
struct Writing {
  std::size_t written = 0;
  bool stalled = false;
};

asio::awaitable<void> WriteBigBody(tcp::socket socket, Writing& writing) {
  co_await ReadUntil(socket, "\r\n\r\n");
  co_await Write(socket,
                 "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBigBody) + "\r\n\r\n");
  const std::string block(std::size_t{64} << 10, 'x');
  socket.non_blocking(true);
  while (writing.written < kBigBody) {
    boost::system::error_code ec;
    const std::size_t left = std::min(block.size(), kBigBody - writing.written);
    writing.written += socket.write_some(asio::buffer(block.data(), left), ec);
    if (!ec) continue;
    if (ec != asio::error::would_block) co_return;
    writing.stalled = true;
    co_await socket.async_wait(tcp::socket::wait_write, asio::as_tuple(asio::use_awaitable));
  }
  co_await ReadUntil(socket, "never sent");
}

class StreamedBodyTest : public ::testing::Test {
 protected:
  SendOptions Streamed(SendOptions options = Patiently()) {
    options.on_body = [this](std::string_view piece) { return Take(reader_, piece); };
    return options;
  }

  SendResult Ask(Client& client, SendOptions options) {
    return loop_.Run(client.Send(Request(), std::move(options)));
  }
  SendResult AnsweredWith(std::string answer, SendOptions options) {
    const RawPeer peer(loop_, AnswerAndEnd(std::move(answer)));
    Client client(loop_.executor(), PlainClient(peer.port()));
    return Ask(client, std::move(options));
  }

  Loop loop_;
  Reader reader_;
};

TEST_F(StreamedBodyTest, GoesToTheSinkAndIsNotKept) {
  for (const std::string answer :
       {"HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 11\r\n\r\nhello world",
        "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
        "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n",
        "HTTP/1.1 201 Created\r\nX-A: b\r\nConnection: close\r\n\r\nhello world"}) {
    reader_ = {};
    const SendResult result = AnsweredWith(answer, Streamed());
    ASSERT_EQ(result.fate, Fate::kAnswered) << result.error;
    EXPECT_EQ(reader_.text, "hello world");
    EXPECT_TRUE(result.body_given);
    EXPECT_FALSE(result.body_refused);
    EXPECT_EQ(result.response.body, "");
    EXPECT_EQ(result.response.headers.Find("X-A"), "b");
  }
}

TEST_F(StreamedBodyTest, LeavesTheConnectionForTheNextExchange) {
  const RawPeer peer(loop_, [](tcp::socket socket) -> asio::awaitable<void> {
    for (;;) {
      const std::string request = co_await ReadUntil(socket, "\r\n\r\n");
      if (request.empty()) co_return;
      co_await Write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
  });
  Client client(loop_.executor(), PlainClient(peer.port()));
  ASSERT_EQ(Ask(client, Streamed()).fate, Fate::kAnswered);
  const SendResult second = Ask(client, Streamed());
  EXPECT_EQ(second.fate, Fate::kAnswered);
  EXPECT_TRUE(second.reused_connection);
  EXPECT_EQ(reader_.text, "okok");
}

TEST_F(StreamedBodyTest, HasNoLimit) {
  SendOptions options = Streamed();
  options.max_response_bytes = 10;
  const SendResult result = AnsweredWith(
      "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'x'), options);
  EXPECT_EQ(result.fate, Fate::kAnswered) << result.error;
  EXPECT_EQ(reader_.bytes, 1000u);
}

TEST_F(StreamedBodyTest, SlowSinkHoldsThePeerBackAndNoMoreThanAPieceIsHeld) {
  Writing writing;
  const RawPeer peer(
      loop_, [&writing](tcp::socket socket) { return WriteBigBody(std::move(socket), writing); });
  Client client(loop_.executor(), PlainClient(peer.port()));
  reader_.keep_text = false;
  reader_.gate.emplace(loop_.context(), asio::steady_timer::time_point::max());
  std::optional<SendResult> result;
  asio::co_spawn(loop_.context(), client.Send(Request(), Streamed()),
                 [&](std::exception_ptr, SendResult sent) { result = std::move(sent); });
  ASSERT_TRUE(loop_.RunUntil([&] { return writing.stalled && reader_.pieces > 0; }));
  EXPECT_EQ(reader_.pieces, 1) << "the next piece comes when this one was taken";
  EXPECT_LT(writing.written, kBigBody) << "the peer could send all of it";
  reader_.gate->cancel();
  reader_.gate.reset();
  ASSERT_TRUE(loop_.RunUntil([&] { return result.has_value(); }));
  EXPECT_EQ(result->fate, Fate::kAnswered) << result->error;
  EXPECT_EQ(reader_.bytes, kBigBody);
  EXPECT_LE(reader_.largest_piece, std::size_t{64} << 10);
}

TEST_F(StreamedBodyTest, EndBeforeItsEndIsDataLoss) {
  for (const std::string answer :
       {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
    reader_ = {};
    const SendResult result = AnsweredWith(answer, Streamed());
    EXPECT_EQ(result.fate, Fate::kUnknown);
    EXPECT_EQ(result.error.code(), absl::StatusCode::kDataLoss) << result.error;
    EXPECT_TRUE(result.body_given);
    EXPECT_FALSE(result.body_refused);
    EXPECT_EQ(reader_.text, "hello");
  }
}

TEST_F(StreamedBodyTest, AnswerThatIsNoSuccessIsReadWhole) {
  const std::string refusal = "HTTP/1.1 422 Unprocessable\r\nContent-Length: 5\r\n\r\nwrong";
  const SendResult result = AnsweredWith(refusal, Streamed());
  ASSERT_EQ(result.fate, Fate::kAnswered) << result.error;
  EXPECT_EQ(result.response.status, 422);
  EXPECT_EQ(result.response.body, "wrong");
  EXPECT_FALSE(result.body_given);
  EXPECT_EQ(reader_.pieces, 0);

  SendOptions options = Streamed();
  options.max_response_bytes = 4;
  const SendResult too_large = AnsweredWith(refusal, options);
  EXPECT_EQ(too_large.error.code(), absl::StatusCode::kResourceExhausted) << too_large.error;
}

TEST_F(StreamedBodyTest, SuccessWithoutABodyGivesNothing) {
  const SendResult result =
      AnsweredWith("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Streamed());
  EXPECT_EQ(result.fate, Fate::kAnswered) << result.error;
  EXPECT_FALSE(result.body_given);
  EXPECT_EQ(reader_.pieces, 0);
}

TEST_F(StreamedBodyTest, ErrorOfTheSinkEndsTheConnectionAndIsReturned) {
  bool reset = false;
  bool ended = false;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    co_await ReadUntil(socket, "\r\n\r\n");
    co_await Write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
    co_await ReadToEnd(socket, &reset);
    ended = true;
  });
  Client client(loop_.executor(), PlainClient(peer.port()));
  reader_.answer = absl::CancelledError("the caller is gone");
  const SendResult result = Ask(client, Streamed());
  EXPECT_EQ(result.error, reader_.answer);
  EXPECT_TRUE(result.body_refused);
  EXPECT_TRUE(result.body_given);
  ASSERT_TRUE(loop_.RunUntil([&] { return ended; }));
  EXPECT_TRUE(reset);
  EXPECT_EQ(client.statistics()->idle, 0);
}

}  // namespace
}  // namespace tollbridge::http
