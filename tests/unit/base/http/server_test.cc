#include "base/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/core/shard.h"
#include "base/http/client.h"
#include "tests/unit/base/http/support.h"

namespace tollbridge::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kClose = "Connection: close\r\n";

std::string Get(std::string_view target, std::string_view more_headers = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n" + std::string(more_headers) +
         "\r\n";
}

/// "<method> <target> <body>;"
asio::awaitable<Response> Echo(const Request& request, const ConnectionInfo&) {
  Response response;
  response.body = request.method + " " + request.target + " " + request.body + ";";
  co_return response;
}

class ServerTest : public ::testing::Test {
 protected:
  void StartServer(Handler handler = &Echo) {
    auto server = Server::Start({loop_.executor()}, options_, std::move(handler));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  /// Everything the server sends to a client that sends this, until it closes.
  std::string Answer(std::string bytes, bool* reset = nullptr) {
    return loop_.Run(Converse(server_->port(), std::move(bytes), reset));
  }
  tcp::socket Connected() {
    tcp::socket socket(loop_.context());
    socket.connect({asio::ip::address_v4::loopback(), server_->port()});
    return socket;
  }
  absl::Status Stop(std::chrono::milliseconds within) {
    return loop_.Run(server_->Stop(BootClock::now() + within));
  }

  Loop loop_;
  ServerOptions options_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, TellsTheAddressItIsBoundTo) {
  StartServer();
  EXPECT_NE(server_->port(), 0);
  EXPECT_EQ(server_->address(), "127.0.0.1:" + std::to_string(server_->port()));
}

TEST_F(ServerTest, RefusesToStartOnAPortInUseOrANonAddress) {
  StartServer();
  ServerOptions taken;
  taken.port = server_->port();
  EXPECT_EQ(Server::Start({loop_.executor()}, taken, &Echo).status().code(),
            absl::StatusCode::kUnavailable);
  ServerOptions name;
  name.host = "localhost.";
  EXPECT_EQ(Server::Start({loop_.executor()}, name, &Echo).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  StartServer();
  const std::string answer =
      Answer(Get("/1") + "POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" +
             Get("/3", kClose));
  EXPECT_EQ(answer,
            "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nGET /1 ;"
            "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nPOST /2 abc;"
            "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nGET /3 ;");
}

TEST_F(ServerTest, ReadsRequestsThatComeByteByByte) {
  StartServer();
  const auto drip = [this]() -> asio::awaitable<std::string> {
    tcp::socket socket = Connected();
    socket.set_option(tcp::no_delay(true));
    const std::string request =
        "PUT /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
    for (const char c : request) {
      co_await Write(socket, std::string_view(&c, 1));
    }
    co_return co_await ReadToEnd(socket);
  };
  EXPECT_THAT(loop_.Run(drip()), EndsWith("PUT /x ab;"));
}

TEST_F(ServerTest, ReadsChunkedRequests) {
  StartServer();
  EXPECT_THAT(Answer("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\n"),
              EndsWith("POST / abcde;"));
}

TEST_F(ServerTest, AnswersHeadWithTheLengthAndNoBody) {
  StartServer();
  EXPECT_THAT(Answer("HEAD /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              EndsWith("Content-Length: 9\r\nConnection: close\r\n\r\n"));
}

TEST_F(ServerTest, LetsAClientContinueThatAsksFirst) {
  StartServer();
  const auto ask = [this]() -> asio::awaitable<std::string> {
    tcp::socket socket = Connected();
    co_await Write(socket,
                   "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n"
                   "Expect: 100-continue\r\n\r\n");
    std::string got = co_await ReadUntil(socket, "\r\n\r\n");
    co_await Write(socket, "ab");
    got += co_await ReadToEnd(socket);
    co_return got;
  };
  const std::string answer = loop_.Run(ask());
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, EndsWith("POST / ab;"));
}

TEST_F(ServerTest, RefusesWhatIsNotARequest) {
  StartServer();
  EXPECT_THAT(Answer("what is this\r\n\r\n"), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(Answer("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400 "));  // no Host
  EXPECT_THAT(Answer("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Answer("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Answer("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n"),
              StartsWith("HTTP/1.1 501 "));
  EXPECT_THAT(Answer(Get("/", "Expect: a miracle\r\n")), StartsWith("HTTP/1.1 417 "));
}

TEST_F(ServerTest, TakesNoTransferEncodingButChunked) {
  StartServer();
  const std::string body = "\r\n3\r\nabc\r\n0\r\n\r\n";
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";
  EXPECT_THAT(Answer(post + "Transfer-Encoding: gzip, chunked\r\n" + body),
              StartsWith("HTTP/1.1 501 "));
  EXPECT_THAT(Answer(post + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n" + body),
              StartsWith("HTTP/1.1 501 "));
  EXPECT_THAT(Answer("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + body),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Answer(post + "Connection: close\r\nTransfer-Encoding: CHUNKED\r\n" + body),
              EndsWith("POST / abc;"));
}

TEST_F(ServerTest, ErrorBodyIsWhatTheOwnerSays) {
  options_.error_response = [](int status, std::string_view) {
    Response response;
    response.status = status;
    response.headers.Add("Content-Type", "application/json");
    response.body = "{\"failure_type\":\"bad\"}";
    return response;
  };
  StartServer();
  const std::string answer = Answer("nonsense\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("{\"failure_type\":\"bad\"}"));
}

TEST_F(ServerTest, RefusesABodyOverTheLimitWithoutReadingIt) {
  int handled = 0;
  options_.limits.max_body_bytes = 10;
  StartServer([&](const Request& request, const ConnectionInfo& info) {
    ++handled;
    return Echo(request, info);
  });
  // None of the eleven bytes comes: the answer does not wait for them.
  const auto announce = [this]() -> asio::awaitable<std::string> {
    tcp::socket socket = Connected();
    co_await Write(socket, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
    co_return co_await ReadUntil(socket, "\r\n\r\n");
  };
  EXPECT_THAT(loop_.Run(announce()), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Answer("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "b\r\nhello world\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(handled, 0);
  EXPECT_THAT(Answer("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\n"
                     "hello worl"),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, AnAnswerToAnOverlongBodyIsNotLostToAReset) {
  options_.limits.max_body_bytes = 10;
  StartServer();
  bool reset = true;
  const std::string body(300000, 'x');
  const std::string answer =
      Answer("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n" + body, &reset);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413 "));
  EXPECT_FALSE(reset);
}

TEST_F(ServerTest, RefusesAHeaderOverTheLimit) {
  options_.limits.max_header_bytes = 1000;
  StartServer();
  EXPECT_THAT(Answer(Get("/", "X: " + std::string(2000, 'x') + "\r\n")),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Answer("GET /" + std::string(5000, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(ServerTest, RefusesChunkExtensionsAndTrailersOverTheLimit) {
  options_.limits.max_header_bytes = 1000;
  StartServer();
  const std::string post =
      "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string endless(300000, 'a');
  EXPECT_THAT(Answer(post + "1;" + endless), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Answer(post + "1\r\na\r\n0\r\nX: " + endless), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Answer(post + "1;" + std::string(500, 'a') + "\r\nb\r\n0\r\nX: y\r\n\r\n"),
              EndsWith("POST / b;"));
}

TEST_F(ServerTest, RefusesAHeaderThatTakesTooLong) {
  options_.limits.header_timeout = std::chrono::milliseconds(30);
  StartServer();
  EXPECT_THAT(Answer("GET / HTTP/1.1\r\nHost"), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_EQ(Answer(""), "");  // Nothing asked, nothing answered.
}

TEST_F(ServerTest, DrippingBytesDoesNotExtendTheHeaderTimeout) {
  options_.limits.header_timeout = std::chrono::milliseconds(20);
  options_.limits.max_header_bytes = 100'000'000;
  StartServer();
  const auto drip = [&]() -> asio::awaitable<bool> {
    tcp::socket socket = Connected();
    co_await Write(socket, "GET / HTTP/1.1\r\nX: ");
    while (socket.available() == 0) co_await Write(socket, "y");
    co_return true;
  };
  EXPECT_TRUE(loop_.Run(drip()));
}

TEST_F(ServerTest, RefusesABodyThatTakesTooLong) {
  options_.limits.body_timeout = std::chrono::milliseconds(30);
  StartServer();
  EXPECT_THAT(Answer("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"),
              StartsWith("HTTP/1.1 408 "));
}

TEST_F(ServerTest, ClosesAnIdleConnectionWithoutAWord) {
  options_.limits.idle_timeout = std::chrono::milliseconds(30);
  StartServer();
  EXPECT_EQ(Answer(Get("/")), "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nGET / ;");
}

TEST_F(ServerTest, ClosesAfterTheLastRequestAConnectionMayCarry) {
  options_.limits.max_requests_per_connection = 2;
  StartServer();
  const std::string answer = Answer(Get("/1") + Get("/2") + Get("/3"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n\r\nGET /2 ;"));
  EXPECT_THAT(answer, Not(HasSubstr("/3")));
}

TEST_F(ServerTest, TurnsAwayConnectionsOverTheLimitWhileAllAreBeingAnswered) {
  options_.limits.max_connections = 1;
  asio::steady_timer held(loop_.context(), asio::steady_timer::time_point::max());
  StartServer([&held](const Request&, const ConnectionInfo&) -> asio::awaitable<Response> {
    boost::system::error_code ignored;
    co_await held.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    co_return Response{};
  });
  tcp::socket first = Connected();
  loop_.Run([](tcp::socket* to) -> asio::awaitable<bool> {
    co_await Write(*to, Get("/", kClose));
    co_return true;
  }(&first));
  ASSERT_TRUE(loop_.RunUntil([&] { return server_->connections() == 1; }));
  loop_.context().poll();
  bool reset = false;
  EXPECT_EQ(Answer(Get("/"), &reset), "");
  EXPECT_TRUE(reset);
  held.cancel();
  EXPECT_THAT(loop_.Run(ReadToEnd(first)), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, MakesRoomByClosingTheConnectionThatHasSentNoRequestForLongest) {
  options_.limits.max_connections = 2;
  std::size_t shed = 0;
  options_.on_shed = [&shed](std::size_t count) { shed += count; };
  StartServer();
  tcp::socket slow = Connected();
  loop_.Run([](tcp::socket* to) -> asio::awaitable<bool> {
    co_await Write(*to, "GET / HT");
    co_return true;
  }(&slow));
  ASSERT_TRUE(loop_.RunUntil([&] { return server_->connections() == 1; }));
  tcp::socket silent = Connected();
  ASSERT_TRUE(loop_.RunUntil([&] { return server_->connections() == 2; }));
  EXPECT_THAT(Answer(Get("/", kClose)), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(shed, 1U);
  EXPECT_EQ(loop_.Run(ReadToEnd(slow)), "") << "the older one was closed";
  EXPECT_EQ(server_->connections(), 1U) << "and the younger one was not";
}

TEST_F(ServerTest, MakesRoomByClosingConnectionsThatDoNotTakeTheirAnswers) {
  options_.limits.max_connections = 2;
  StartServer([](const Request& request, const ConnectionInfo&) -> asio::awaitable<Response> {
    Response response;
    response.body.assign(request.target == "/large" ? std::size_t{64} << 20 : 1, 'x');
    co_return response;
  });
  std::vector<tcp::socket> deaf;
  for (int i = 0; i < 2; ++i) {
    deaf.push_back(Connected());
    loop_.Run([](tcp::socket* to) -> asio::awaitable<bool> {
      co_await Write(*to, Get("/large"));
      std::string begin = co_await ReadUntil(*to, "x");
      co_return !begin.empty();
    }(&deaf.back()));
  }
  EXPECT_THAT(Answer(Get("/", kClose)), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, MakesRoomByClosingConnectionsThatDoNotGoWhenTheyAreRefused) {
  options_.limits.max_connections = 2;
  StartServer();
  std::vector<tcp::socket> refused;
  for (int i = 0; i < 2; ++i) {
    refused.push_back(Connected());
    loop_.Run([](tcp::socket* to) -> asio::awaitable<bool> {
      co_await Write(*to, "X\r\n\r\n");
      std::string answer = co_await ReadUntil(*to, "\r\n\r\n");
      co_return !answer.empty();
    }(&refused.back()));
  }
  EXPECT_EQ(server_->connections(), 2U);
  EXPECT_THAT(Answer(Get("/", kClose)), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, AnAddressThatHasAllOfItsConnectionsLosesOneOfThemForTheNext) {
  options_.limits.max_connections_per_address = 2;
  StartServer();
  tcp::socket first = Connected();
  tcp::socket second = Connected();
  ASSERT_TRUE(loop_.RunUntil([&] { return server_->connections() == 2; }));
  EXPECT_THAT(Answer(Get("/", kClose)), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(loop_.Run(ReadToEnd(first)), "") << "the one that waited longest";
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(ServerTest, MakesRoomByClosingIdleConnectionsOnlyWhenAllHaveSentARequest) {
  options_.limits.max_connections = 2;
  StartServer();
  const auto ask = [](tcp::socket* on) -> asio::awaitable<std::string> {
    co_await Write(*on, Get("/"));
    std::string answer = co_await ReadUntil(*on, ";");
    co_return answer;
  };
  tcp::socket idle = Connected();
  EXPECT_THAT(loop_.Run(ask(&idle)), StartsWith("HTTP/1.1 200 "));
  tcp::socket silent = Connected();
  ASSERT_TRUE(loop_.RunUntil([&] { return server_->connections() == 2; }));
  tcp::socket third = Connected();
  EXPECT_THAT(loop_.Run(ask(&third)), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(loop_.Run(ReadToEnd(silent)), "") << "though it is younger than the idle one";
  EXPECT_THAT(loop_.Run(ask(&idle)), StartsWith("HTTP/1.1 200 "));
  tcp::socket fourth = Connected();
  EXPECT_THAT(loop_.Run(ask(&fourth)), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(loop_.Run(ReadToEnd(third)), "") << "idle for longest now";
  EXPECT_THAT(loop_.Run(ask(&idle)), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, SpeaksHttp10) {
  StartServer();
  EXPECT_EQ(Answer("GET / HTTP/1.0\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nGET / ;");
}

TEST_F(ServerTest, HandlerThatThrowsOrMakesABadHeaderGives500) {
  StartServer([](const Request& request, const ConnectionInfo&) -> asio::awaitable<Response> {
    if (request.target == "/throw") throw std::runtime_error("handler");
    Response response;
    response.headers.Add("X", "a\r\nb");
    co_return response;
  });
  EXPECT_THAT(Answer(Get("/throw", kClose)), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Answer(Get("/header")), StartsWith("HTTP/1.1 500 "));
}

/// Gives the pieces, then the status (OK = the end).
BodyProducer Produce(std::vector<std::string> pieces, absl::Status end = absl::OkStatus()) {
  auto next = std::make_shared<std::size_t>(0);
  return [pieces, end, next]() -> Async<std::string> {
    if (*next < pieces.size()) co_return pieces[(*next)++];
    if (!end.ok()) co_return end;
    co_return std::string();
  };
}

Handler Streams(BodyProducer producer) {
  return [producer](const Request&, const ConnectionInfo&) -> asio::awaitable<Response> {
    Response response;
    response.body_producer = producer;
    co_return response;
  };
}

TEST_F(ServerTest, StreamsABodyInChunks) {
  StartServer(Streams(Produce({"abc", std::string(16, 'x')})));
  EXPECT_EQ(Answer(Get("/", kClose)),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            "3\r\nabc\r\n10\r\nxxxxxxxxxxxxxxxx\r\n0\r\n\r\n");
}

TEST_F(ServerTest, StreamsABodyToHttp10UntilTheClose) {
  StartServer(Streams(Produce({"abc", "de"})));
  EXPECT_EQ(Answer("GET / HTTP/1.0\r\n\r\n"), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcde");
}

TEST_F(ServerTest, AStreamThatFailsIsNotMistakenForAWholeBody) {
  StartServer(Streams(Produce({"abc"}, absl::UnavailableError("source"))));
  Client client(loop_.executor(), PlainClient(server_->port()));
  const SendResult result = loop_.Run(client.Send(Request{}, Patiently()));
  EXPECT_EQ(result.fate, Fate::kUnknown);
  EXPECT_FALSE(result.error.ok());
}

TEST_F(ServerTest, ResetsAfterSoManyBytesWhenTold) {
  std::size_t bytes = 0;
  StartServer([&](const Request&, const ConnectionInfo&) -> asio::awaitable<Response> {
    Response response;
    response.body = "hello";
    response.reset_after_bytes = bytes;
    co_return response;
  });
  bool reset = false;
  EXPECT_EQ(Answer(Get("/"), &reset), "");
  EXPECT_TRUE(reset);
  bytes = 12;
  reset = false;
  EXPECT_EQ(Answer(Get("/"), &reset), "HTTP/1.1 200");
  EXPECT_TRUE(reset);
}

/// A handler that answers when the test says so.
class Gate {
 public:
  explicit Gate(Loop& loop)
      : opened_(loop.context(), std::chrono::steady_clock::time_point::max()) {}
  Handler handler() {
    return [this](const Request& request, const ConnectionInfo& info) -> asio::awaitable<Response> {
      ++entered_;
      boost::system::error_code ignored;
      co_await opened_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      co_return co_await Echo(request, info);
    };
  }
  int entered() const { return entered_; }
  void Open() { opened_.cancel(); }

 private:
  asio::steady_timer opened_;
  int entered_ = 0;
};

TEST_F(ServerTest, StopLetsTheRequestUnderWayEndAndClosesIdleConnections) {
  Gate gate(loop_);
  StartServer(gate.handler());
  tcp::socket idle = Connected();
  ASSERT_TRUE(loop_.RunUntil([&] { return server_->connections() == 1; }));
  std::optional<std::string> answer;
  asio::co_spawn(loop_.context(), Converse(server_->port(), Get("/slow")),
                 [&](std::exception_ptr, std::string value) { answer = value; });
  ASSERT_TRUE(loop_.RunUntil([&] { return gate.entered() == 1; }));
  std::optional<absl::Status> stopped;
  asio::co_spawn(loop_.context(), server_->Stop(BootClock::now() + kPatience),
                 [&](std::exception_ptr, absl::Status status) { stopped = status; });
  ASSERT_TRUE(loop_.RunUntil([&] { return server_->connections() == 1; }));  // the idle one is gone
  EXPECT_FALSE(stopped.has_value());
  tcp::socket late(loop_.context());
  boost::system::error_code refused;
  late.connect({asio::ip::address_v4::loopback(), server_->port()}, refused);
  EXPECT_TRUE(refused);
  gate.Open();
  ASSERT_TRUE(loop_.RunUntil([&] { return stopped.has_value() && answer.has_value(); }));
  EXPECT_TRUE(stopped->ok()) << *stopped;
  EXPECT_THAT(*answer, EndsWith("Connection: close\r\n\r\nGET /slow ;"));
}

TEST_F(ServerTest, StopAbortsWhatDoesNotEndInTime) {
  Gate gate(loop_);
  StartServer(gate.handler());
  tcp::socket socket = Connected();
  asio::write(socket, asio::buffer(Get("/slow")));
  ASSERT_TRUE(loop_.RunUntil([&] { return gate.entered() == 1; }));
  EXPECT_EQ(Stop(std::chrono::milliseconds(10)).code(), absl::StatusCode::kDeadlineExceeded);
  bool reset = false;
  const auto read = [&]() -> asio::awaitable<std::string> {
    co_return co_await ReadToEnd(socket, &reset);
  };
  EXPECT_EQ(loop_.Run(read()), "");
  EXPECT_TRUE(reset);
  gate.Open();
  EXPECT_TRUE(loop_.RunUntil([&] { return server_->connections() == 0; }));
}

TEST_F(ServerTest, StopWithNothingOpenEndsAtOnce) {
  StartServer();
  EXPECT_TRUE(Stop(kPatience).ok());
}

TEST(ServerOnShards, ServesFromAllShardsAndStopsFromAnother) {
  ShardPool shards(2);
  shards.Start();
  std::mutex mutex;
  std::set<std::thread::id> threads;
  auto server = Server::Start({shards.at(0).executor(), shards.at(1).executor()}, ServerOptions{},
                              [&](const Request& request, const ConnectionInfo& info) {
                                const std::scoped_lock lock(mutex);
                                threads.insert(std::this_thread::get_id());
                                return Echo(request, info);
                              });
  ASSERT_TRUE(server.ok()) << server.status();
  Loop loop;
  for (int i = 0; i < 8; ++i) {
    EXPECT_THAT(loop.Run(Converse((*server)->port(), Get("/", kClose))), EndsWith("GET / ;"));
  }
  tcp::socket idle(loop.context());
  idle.connect({asio::ip::address_v4::loopback(), (*server)->port()});
  EXPECT_TRUE(loop.Run((*server)->Stop(BootClock::now() + kPatience)).ok());
  EXPECT_EQ((*server)->connections(), 0u);
  shards.Stop();
  EXPECT_EQ(threads.size(), 2u);
}

}  // namespace
}  // namespace tollbridge::http
