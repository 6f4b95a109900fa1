#include "base/http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/detached.hpp>
#include <optional>
#include <vector>

#include "tests/unit/base/http/support.h"

namespace tollbridge::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Answers each request on a connection with the same bytes, and keeps the connection.
RawPeer::Script AnswerAlways(std::string answer) {
  return [answer](tcp::socket socket) -> asio::awaitable<void> {
    for (;;) {
      const std::string request = co_await ReadUntil(socket, "\r\n\r\n");
      if (request.empty()) co_return;
      co_await Write(socket, answer);
    }
  };
}

/// Answers one request and ends the connection.
RawPeer::Script AnswerOnceAndEnd(std::string answer, bool* ended = nullptr) {
  return [answer, ended](tcp::socket socket) -> asio::awaitable<void> {
    co_await ReadUntil(socket, "\r\n\r\n");
    co_await Write(socket, answer);
    socket.close();
    if (ended != nullptr) *ended = true;
  };
}

Request Post(std::string body = "{}") {
  Request request;
  request.method = "POST";
  request.target = "/v1/orders/";
  request.headers.Add("Content-Type", "application/json");
  request.body = std::move(body);
  return request;
}

class ClientTest : public ::testing::Test {
 protected:
  SendResult Send(Client& client, Request request = Post(), SendOptions options = Patiently()) {
    return loop_.Run(client.Send(std::move(request), options));
  }

  /// The result of one POST to a peer that gives this answer and ends the connection.
  SendResult AnsweredWith(std::string answer, std::size_t max_response_bytes = 1000) {
    const RawPeer peer(loop_, AnswerOnceAndEnd(std::move(answer)));
    Client client(loop_.executor(), PlainClient(peer.port()));
    SendOptions options = Patiently();
    options.max_response_bytes = max_response_bytes;
    return Send(client, Post(), options);
  }

  Loop loop_;
};

TEST_F(ClientTest, WritesTheRequestAsGiven) {
  std::string seen;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    seen = co_await ReadUntil(socket, "{}");
    co_await Write(socket, kOk);
  });
  ClientOptions options = PlainClient(peer.port());
  options.base_url.path = "/prefix";
  Client client(loop_.executor(), options);
  const SendResult result = Send(client);
  EXPECT_EQ(result.fate, Fate::kAnswered);
  EXPECT_EQ(result.response.status, 200);
  EXPECT_EQ(result.response.body, "ok");
  EXPECT_EQ(seen,
            "POST /prefix/v1/orders/ HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(peer.port()) +
                "\r\nUser-Agent: tollbridge\r\nContent-Type: application/json\r\n"
                "Content-Length: 2\r\n\r\n{}");
}

TEST_F(ClientTest, ReusesAConnectionThatWasKept) {
  const RawPeer peer(loop_, AnswerAlways(std::string(kOk)));
  Client client(loop_.executor(), PlainClient(peer.port()));
  EXPECT_FALSE(Send(client).reused_connection);
  EXPECT_EQ(client.statistics()->idle, 1);
  const SendResult second = Send(client);
  EXPECT_EQ(second.fate, Fate::kAnswered);
  EXPECT_TRUE(second.reused_connection);
  EXPECT_EQ(peer.accepted(), 1);
  EXPECT_EQ(client.statistics()->opened_total, 1u);
}

TEST_F(ClientTest, DoesNotUseAPooledConnectionThatThePeerHasClosed) {
  bool ended = false;
  const RawPeer peer(loop_, AnswerOnceAndEnd(std::string(kOk), &ended));
  Client client(loop_.executor(), PlainClient(peer.port()));
  ASSERT_EQ(Send(client).fate, Fate::kAnswered);
  ASSERT_TRUE(loop_.RunUntil([&] { return ended; }));
  const SendResult second = Send(client);
  EXPECT_EQ(second.fate, Fate::kAnswered) << second.error;
  EXPECT_FALSE(second.reused_connection);
  EXPECT_EQ(peer.accepted(), 2);
}

TEST_F(ClientTest, PeerClosingAReusedConnectionAtTheSecondRequestLeavesTheFateUnknown) {
  for (const bool reset : {false, true}) {
    const RawPeer peer(loop_, [reset](tcp::socket socket) -> asio::awaitable<void> {
      co_await ReadUntil(socket, "\r\n\r\n{}");
      co_await Write(socket, kOk);
      co_await ReadUntil(socket, "POST");
      if (reset) socket.set_option(asio::socket_base::linger(true, 0));
      socket.close();
    });
    Client client(loop_.executor(), PlainClient(peer.port()));
    ASSERT_EQ(Send(client).fate, Fate::kAnswered);
    const SendResult second = Send(client);
    EXPECT_TRUE(second.reused_connection);
    EXPECT_EQ(second.fate, Fate::kUnknown) << "the peer has read it, and may have acted on it";
    EXPECT_EQ(peer.accepted(), 1) << "it was not sent again";
  }
}

TEST_F(ClientTest, PeerClosingAReusedConnectionAfterTheProbeIsNeverTakenForNotSent) {
  for (const bool reset : {false, true}) {
    std::optional<tcp::socket> kept;
    const RawPeer peer(loop_, [&kept](tcp::socket socket) -> asio::awaitable<void> {
      co_await ReadUntil(socket, "\r\n\r\n{}");
      co_await Write(socket, kOk);
      kept.emplace(std::move(socket));
    });
    // The clock is read between the probe and the write, as the last act before it: there the
    // connection dies.
    ClientOptions client_options = PlainClient(peer.port());
    client_options.now = [&kept, reset] {
      if (kept && kept->is_open()) {
        if (reset) kept->set_option(asio::socket_base::linger(true, 0));
        kept->close();
      }
      return BootClock::now();
    };
    Client client(loop_.executor(), client_options);
    ASSERT_EQ(Send(client).fate, Fate::kAnswered);
    ASSERT_TRUE(loop_.RunUntil([&] { return kept.has_value(); }));
    SendOptions options = Patiently();
    options.write_before = BootClock::now() + kPatience;
    const SendResult second = Send(client, Post(), options);
    EXPECT_TRUE(second.reused_connection) << "it probed open";
    EXPECT_FALSE(kept->is_open());
    EXPECT_EQ(second.fate, Fate::kUnknown) << second.error;
  }
}

TEST_F(ClientTest, DoesNotPoolAConnectionWithBytesNobodyAskedFor) {
  const RawPeer peer(loop_, AnswerAlways(std::string(kOk) + "HTTP/1.1 200 OK\r\n"));
  Client client(loop_.executor(), PlainClient(peer.port()));
  EXPECT_EQ(Send(client).fate, Fate::kAnswered);
  EXPECT_FALSE(Send(client).reused_connection);
}

TEST_F(ClientTest, DoesNotPoolAConnectionThatThePeerWantsClosed) {
  const RawPeer peer(
      loop_, AnswerAlways("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
  Client client(loop_.executor(), PlainClient(peer.port()));
  EXPECT_EQ(Send(client).fate, Fate::kAnswered);
  EXPECT_EQ(client.statistics()->idle, 0);
}

TEST_F(ClientTest, AnIdleConnectionIsNotUsedAfterTheIdleTimeout) {
  const RawPeer peer(loop_, AnswerAlways(std::string(kOk)));
  ClientOptions options = PlainClient(peer.port());
  options.idle_timeout = std::chrono::milliseconds(-1);
  Client client(loop_.executor(), options);
  EXPECT_EQ(Send(client).fate, Fate::kAnswered);
  EXPECT_FALSE(Send(client).reused_connection);
}

TEST_F(ClientTest, PeerClosingBeforeTheAnswerLeavesTheFateUnknown) {
  const SendResult result = AnsweredWith("");
  EXPECT_EQ(result.fate, Fate::kUnknown);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kUnavailable) << result.error;
}

TEST_F(ClientTest, RefusedConnectionIsNotSent) {
  std::uint16_t port = 0;
  {
    const tcp::acceptor closed_again(loop_.context(), {asio::ip::address_v4::loopback(), 0});
    port = closed_again.local_endpoint().port();
  }
  Client client(loop_.executor(), PlainClient(port));
  const SendResult result = Send(client);
  EXPECT_EQ(result.fate, Fate::kNotSent);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kUnavailable) << result.error;
}

TEST_F(ClientTest, NameThatCannotBeResolvedIsNotSent) {
  ClientOptions options = PlainClient(1);
  options.base_url.host =
      std::string(70, 'a');  // Longer than a label may be: fails without asking anyone.
  Client client(loop_.executor(), options);
  const SendResult result = Send(client);
  EXPECT_EQ(result.fate, Fate::kNotSent);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kUnavailable) << result.error;
}

TEST_F(ClientTest, ResolvesNames) {
  const RawPeer peer(loop_, AnswerAlways(std::string(kOk)));
  ClientOptions options = PlainClient(peer.port());
  options.base_url.host = "localhost";
  Client client(loop_.executor(), options);
  EXPECT_EQ(Send(client).fate, Fate::kAnswered);
}

TEST_F(ClientTest, PastTheSendWindowNoByteIsWritten) {
  std::optional<std::string> seen;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    seen = co_await ReadToEnd(socket);
  });
  ClientOptions client_options = PlainClient(peer.port());
  const BootTime window_end = BootClock::now();
  client_options.now = [=] { return window_end + std::chrono::nanoseconds(1); };
  Client client(loop_.executor(), client_options);
  SendOptions options = Patiently();
  options.write_before = window_end;
  const SendResult result = Send(client, Post(), options);
  EXPECT_EQ(result.fate, Fate::kNotSent);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(loop_.RunUntil([&] { return seen.has_value(); }));
  EXPECT_EQ(*seen, "");
}

TEST_F(ClientTest, PastTheSendWindowByCivilTimeNoByteIsWritten) {
  std::optional<std::string> seen;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    seen = co_await ReadToEnd(socket);
  });
  ClientOptions client_options = PlainClient(peer.port());
  const WallTime window_end{std::chrono::hours(1)};
  client_options.civil_now = [=] { return window_end + std::chrono::milliseconds(1); };
  Client client(loop_.executor(), client_options);
  SendOptions options = Patiently();
  options.write_before = BootTime::max();
  options.write_before_civil = window_end;
  const SendResult result = Send(client, Post(), options);
  EXPECT_EQ(result.fate, Fate::kNotSent);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(loop_.RunUntil([&] { return seen.has_value(); }));
  EXPECT_EQ(*seen, "");
}

TEST_F(ClientTest, WithinTheSendWindowTheRequestIsWritten) {
  const RawPeer peer(loop_, AnswerAlways(std::string(kOk)));
  ClientOptions client_options = PlainClient(peer.port());
  const BootTime window_end = BootClock::now();
  const WallTime civil_end{std::chrono::hours(1)};
  client_options.now = [=] { return window_end; };
  client_options.civil_now = [=] { return civil_end; };
  Client client(loop_.executor(), client_options);
  SendOptions options = Patiently();
  options.write_before = window_end;
  options.write_before_civil = civil_end;
  EXPECT_EQ(Send(client, Post(), options).fate, Fate::kAnswered);
}

TEST_F(ClientTest, PastTheDeadlineNothingIsConnectedOrWritten) {
  const RawPeer peer(loop_, AnswerAlways(std::string(kOk)));
  Client client(loop_.executor(), PlainClient(peer.port()));
  ASSERT_EQ(Send(client).fate, Fate::kAnswered);
  const SendResult result = Send(client, Post(), Within(std::chrono::milliseconds(-1)));
  EXPECT_EQ(result.fate, Fate::kNotSent);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kDeadlineExceeded) << result.error;
}

TEST_F(ClientTest, DeadlineLeavesTheFateUnknownAndResetsTheConnection) {
  std::optional<bool> was_reset;
  const RawPeer peer(loop_, [&](tcp::socket socket) -> asio::awaitable<void> {
    bool reset = false;
    co_await ReadToEnd(socket, &reset);
    was_reset = reset;
  });
  Client client(loop_.executor(), PlainClient(peer.port()));
  const SendResult result = Send(client, Post(), Within(std::chrono::milliseconds(50)));
  EXPECT_EQ(result.fate, Fate::kUnknown);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kDeadlineExceeded) << result.error;
  ASSERT_TRUE(loop_.RunUntil([&] { return was_reset.has_value(); }));
  EXPECT_TRUE(*was_reset);
}

TEST_F(ClientTest, TruncatedBodyLeavesTheFateUnknown) {
  const SendResult by_length = AnsweredWith("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(by_length.fate, Fate::kUnknown);
  EXPECT_EQ(by_length.error.code(), absl::StatusCode::kDataLoss) << by_length.error;
  const SendResult chunked =
      AnsweredWith("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
  EXPECT_EQ(chunked.fate, Fate::kUnknown);
  EXPECT_EQ(chunked.error.code(), absl::StatusCode::kDataLoss) << chunked.error;
  const SendResult in_header = AnsweredWith("HTTP/1.1 200 OK\r\nContent-Le");
  EXPECT_EQ(in_header.fate, Fate::kUnknown);
  EXPECT_EQ(in_header.error.code(), absl::StatusCode::kDataLoss) << in_header.error;
}

TEST_F(ClientTest, AnswerThatIsNotHttpLeavesTheFateUnknown) {
  const SendResult result = AnsweredWith("SSH-2.0-server\r\n\r\n");
  EXPECT_EQ(result.fate, Fate::kUnknown);
  EXPECT_EQ(result.error.code(), absl::StatusCode::kDataLoss) << result.error;
}

TEST_F(ClientTest, OversizedAnswerLeavesTheFateUnknown) {
  const std::string body(1001, 'x');
  const SendResult by_length =
      AnsweredWith("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + body);
  EXPECT_EQ(by_length.fate, Fate::kUnknown);
  EXPECT_EQ(by_length.error.code(), absl::StatusCode::kResourceExhausted) << by_length.error;
  EXPECT_EQ(by_length.error.message(), "the answer is too large: 1001 bytes, of at most 1000");
  const SendResult chunked = AnsweredWith(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + body + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.error.code(), absl::StatusCode::kResourceExhausted) << chunked.error;
  const SendResult header =
      AnsweredWith("HTTP/1.1 200 OK\r\nX: " + std::string(17000, 'x') + "\r\n\r\n");
  EXPECT_EQ(header.fate, Fate::kUnknown);
  EXPECT_EQ(header.error.code(), absl::StatusCode::kResourceExhausted) << header.error;
  const std::string endless(100000, 'x');
  for (const std::string& framing : {"1;" + endless, "1\r\na\r\n0\r\nX: " + endless}) {
    const SendResult framed =
        AnsweredWith("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + framing);
    EXPECT_EQ(framed.error.code(), absl::StatusCode::kResourceExhausted) << framed.error;
  }
}

TEST_F(ClientTest, ReadsChunkedAnswers) {
  const SendResult result = AnsweredWith(
      "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(result.fate, Fate::kAnswered) << result.error;
  EXPECT_EQ(result.response.status, 201);
  EXPECT_EQ(result.response.body, "abcde");
}

TEST_F(ClientTest, SkipsInterimAnswers) {
  const SendResult result =
      AnsweredWith("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
                   std::string(kOk));
  EXPECT_EQ(result.fate, Fate::kAnswered) << result.error;
  EXPECT_EQ(result.response.status, 200);
  EXPECT_EQ(result.response.body, "ok");
}

TEST_F(ClientTest, RedirectIsAnAnswer) {
  const SendResult result =
      AnsweredWith("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(result.fate, Fate::kAnswered);
  EXPECT_EQ(result.response.status, 302);
  EXPECT_EQ(result.response.headers.Find("location"), "/elsewhere");
}

TEST_F(ClientTest, AnswerToHeadHasNoBody) {
  const RawPeer peer(loop_, AnswerAlways("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"));
  Client client(loop_.executor(), PlainClient(peer.port()));
  Request request;
  request.method = "HEAD";
  const SendResult result = Send(client, request);
  EXPECT_EQ(result.fate, Fate::kAnswered) << result.error;
  EXPECT_EQ(result.response.body, "");
}

TEST_F(ClientTest, RefusesARequestThatWouldNotBeReadAsGiven) {
  const RawPeer peer(loop_, AnswerAlways(std::string(kOk)));
  Client client(loop_.executor(), PlainClient(peer.port()));
  std::vector<Request> bad(4, Post());
  bad[0].headers.Add("X", "a\r\nInjected: b");
  bad[1].target = "/a b";
  bad[2].method = "GET /x";
  bad[3].headers.Add("content-length", "7");
  for (const Request& request : bad) {
    const SendResult result = Send(client, request);
    EXPECT_EQ(result.fate, Fate::kNotSent);
    EXPECT_EQ(result.error.code(), absl::StatusCode::kInvalidArgument) << result.error;
  }
  EXPECT_EQ(peer.accepted(), 0);
}

/// A peer that answers when it is told to.
class PoolTest : public ClientTest {
 protected:
  PoolTest()
      : peer_(loop_, [this](tcp::socket socket) -> asio::awaitable<void> {
          const std::string request = co_await ReadUntil(socket, "\r\n\r\n");
          if (!request.empty()) waiting_.push_back(std::move(socket));
        }) {
    options_ = PlainClient(peer_.port());
    options_.max_connections = 1;
  }

  void StartSend(Client& client, std::optional<SendResult>& result) {
    asio::co_spawn(loop_.context(), client.Send(Post(), Patiently()),
                   [&result](std::exception_ptr, SendResult value) { result = std::move(value); });
  }
  bool RequestsArrived(std::size_t count) {
    return loop_.RunUntil([this, count] { return waiting_.size() >= count; });
  }

  std::vector<tcp::socket> waiting_;
  RawPeer peer_;
  ClientOptions options_;
};

TEST_F(PoolTest, CallsBeyondTheLimitWaitForAConnection) {
  Client client(loop_.executor(), options_);
  std::optional<SendResult> first, second;
  StartSend(client, first);
  StartSend(client, second);
  ASSERT_TRUE(RequestsArrived(1));
  EXPECT_EQ(client.statistics()->in_use, 1);
  EXPECT_EQ(client.statistics()->waiting, 1);
  waiting_[0].close();
  ASSERT_TRUE(RequestsArrived(2));
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->fate, Fate::kUnknown);
  EXPECT_EQ(client.statistics()->waiting, 0);
  asio::co_spawn(loop_.context(), Write(waiting_[1], kOk), asio::detached);
  ASSERT_TRUE(loop_.RunUntil([&] { return second.has_value(); }));
  EXPECT_EQ(second->fate, Fate::kAnswered) << second->error;
}

TEST_F(PoolTest, AWaitThatTakesTooLongIsNotSent) {
  options_.max_pool_wait = std::chrono::milliseconds(10);
  Client client(loop_.executor(), options_);
  std::optional<SendResult> first;
  StartSend(client, first);
  ASSERT_TRUE(RequestsArrived(1));
  const SendResult second = Send(client);
  EXPECT_EQ(second.fate, Fate::kNotSent);
  EXPECT_EQ(second.error.code(), absl::StatusCode::kResourceExhausted) << second.error;
  const SendResult third = Send(client, Post(), Within(std::chrono::milliseconds(1)));
  EXPECT_EQ(third.error.code(), absl::StatusCode::kDeadlineExceeded) << third.error;
}

TEST_F(PoolTest, TooManyWaitingCallsAreTurnedAwayAtOnce) {
  options_.max_waiting = 0;
  options_.max_pool_wait = kPatience * 2;
  Client client(loop_.executor(), options_);
  std::optional<SendResult> first;
  StartSend(client, first);
  ASSERT_TRUE(RequestsArrived(1));
  const SendResult second = Send(client);
  EXPECT_EQ(second.fate, Fate::kNotSent);
  EXPECT_EQ(second.error.code(), absl::StatusCode::kResourceExhausted) << second.error;
}

TEST_F(PoolTest, StreamsHaveHalfOfTheConnectionsAndHoldUpNobodyElse) {
  options_.max_connections = 4;
  options_.max_pool_wait = kPatience;
  Client client(loop_.executor(), options_);
  const auto start_stream = [&](std::optional<SendResult>& result) {
    SendOptions options = Patiently();
    options.on_body = [](std::string_view) -> AsyncStatus { co_return absl::OkStatus(); };
    asio::co_spawn(loop_.context(), client.Send(Post(), std::move(options)),
                   [&result](std::exception_ptr, SendResult value) { result = std::move(value); });
  };
  std::array<std::optional<SendResult>, 3> streams;
  for (auto& each : streams) start_stream(each);
  ASSERT_TRUE(RequestsArrived(2));
  EXPECT_EQ(client.statistics()->in_use, 2);
  EXPECT_EQ(client.statistics()->waiting, 1);
  // The others go past the stream that waits, when one comes and when one ends.
  std::array<std::optional<SendResult>, 3> calls;
  for (auto& each : calls) StartSend(client, each);
  ASSERT_TRUE(RequestsArrived(4));
  EXPECT_EQ(client.statistics()->waiting, 2);
  waiting_[2].close();
  ASSERT_TRUE(RequestsArrived(5));
  ASSERT_TRUE(loop_.RunUntil([&] { return calls[0].has_value(); }));
  EXPECT_EQ(client.statistics()->waiting, 1);
  // The stream's turn comes when a stream ends.
  waiting_[0].close();
  ASSERT_TRUE(RequestsArrived(6));
  EXPECT_EQ(client.statistics()->waiting, 0);
  EXPECT_TRUE(streams[0].has_value());
  EXPECT_FALSE(streams[2].has_value());
}

TEST_F(PoolTest, AStreamThatWaitsTooLongIsNotSent) {
  options_.max_connections = 2;
  options_.max_pool_wait = std::chrono::milliseconds(10);
  Client client(loop_.executor(), options_);
  SendOptions options = Patiently();
  options.on_body = [](std::string_view) -> AsyncStatus { co_return absl::OkStatus(); };
  std::optional<SendResult> first;
  asio::co_spawn(loop_.context(), client.Send(Post(), options),
                 [&first](std::exception_ptr, SendResult value) { first = std::move(value); });
  ASSERT_TRUE(RequestsArrived(1));
  const SendResult second = Send(client, Post(), options);
  EXPECT_EQ(second.fate, Fate::kNotSent);
  EXPECT_EQ(second.error.code(), absl::StatusCode::kResourceExhausted) << second.error;
}

TEST_F(PoolTest, DestroyingTheClientTurnsAwayWhoWaits) {
  auto client = std::make_unique<Client>(loop_.executor(), options_);
  std::optional<SendResult> first, second;
  StartSend(*client, first);
  StartSend(*client, second);
  ASSERT_TRUE(RequestsArrived(1));
  client.reset();
  ASSERT_TRUE(loop_.RunUntil([&] { return second.has_value(); }));
  EXPECT_EQ(second->fate, Fate::kNotSent);
  EXPECT_EQ(second->error.code(), absl::StatusCode::kCancelled);
  asio::co_spawn(loop_.context(), Write(waiting_[0], kOk), asio::detached);
  ASSERT_TRUE(loop_.RunUntil([&] { return first.has_value(); }));
  EXPECT_EQ(first->fate, Fate::kAnswered);
}

}  // namespace
}  // namespace tollbridge::http
