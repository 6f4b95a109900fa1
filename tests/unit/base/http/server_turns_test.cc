#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/signal.h"
#include "base/http/server.h"
#include "base/net/turns.h"
#include "tests/unit/base/http/support.h"

/// Whose turn it is at a server (net::Turns), and who makes room at it.
namespace tollbridge::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::StartsWith;

constexpr const char* kAttacker = "127.0.0.1";
constexpr const char* kHonest = "127.0.0.2";
constexpr std::string_view kRequest = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kLastRequest = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
constexpr int kPipelined = 300;

class ServerTurnsTest : public ::testing::Test {
 protected:
  void StartServer() {
    StartServer([this](const Request&, const ConnectionInfo& info) -> asio::awaitable<Response> {
      ++handled_[info.source];
      co_return Response{};
    });
  }
  void StartServer(Handler handler) {
    auto server = Server::Start({loop_.executor()}, options_, std::move(handler));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  /// A connection that has sent this.
  tcp::socket& Connect(const std::string& source, std::string_view bytes = "") {
    tcp::socket& socket = sockets_.emplace_back(loop_.context(), tcp::v4());
    socket.bind({asio::ip::make_address(source), 0});
    socket.connect({asio::ip::address_v4::loopback(), server_->port()});
    asio::write(socket, asio::buffer(bytes.data(), bytes.size()));
    return socket;
  }
  /// One that the server has accepted.
  tcp::socket& Accepted(const std::string& source, std::string_view bytes = "") {
    const std::size_t before = server_->connections();
    tcp::socket& socket = Connect(source, bytes);
    EXPECT_TRUE(loop_.RunUntil([&] { return server_->connections() > before; }));
    return socket;
  }
  /// One that had an answer.
  tcp::socket& Proven(const std::string& source) {
    tcp::socket& socket = Accepted(source, kRequest);
    EXPECT_NE(loop_.Run(ReadUntil(socket, "\r\n\r\n")), "");
    return socket;
  }
  std::string AllOf(tcp::socket& socket) {
    std::string all = loop_.Run(ReadToEnd(socket));
    socket.close();
    return all;
  }
  /// The server has ended it, and nothing came before that.
  bool HasEnded(tcp::socket& socket) {
    socket.non_blocking(true);
    char byte = 0;
    boost::system::error_code ec;
    socket.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, ec);
    return ec == asio::error::eof || ec == asio::error::connection_reset;
  }
  bool StaysOpen(tcp::socket& socket) {
    loop_.context().restart();
    loop_.context().poll();
    return !HasEnded(socket);
  }
  /// Connections of one address that have many requests to be answered. While those of the first
  /// ones are, the others wait for their bytes to be looked at.
  void Flood(std::size_t connections) {
    std::string requests;
    for (int i = 0; i < kPipelined; ++i) requests += kRequest;
    for (std::size_t i = 0; i < connections; ++i) Connect(kAttacker, requests);
    ASSERT_TRUE(loop_.RunUntil(
        [&] { return handled_[kAttacker] >= 50 && server_->connections() == connections; }));
  }

  Loop loop_;
  ServerOptions options_;
  std::map<std::string, int> handled_;
  std::unique_ptr<Server> server_;
  std::deque<tcp::socket> sockets_;
};

TEST_F(ServerTurnsTest, RequestsOfOneAddressDoNotHoldUpThoseOfAnother) {
  StartServer();
  Flood(100);
  const int before = handled_[kAttacker];
  EXPECT_THAT(AllOf(Connect(kHonest, kLastRequest)), StartsWith("HTTP/1.1 200 "));
  EXPECT_LT(handled_[kAttacker] - before, 100);
}

TEST_F(ServerTurnsTest, WhoWaitsForItsTurnMakesRoomAtOnce) {
  options_.limits.max_connections = 20;
  StartServer();
  Flood(20);
  const int before = handled_[kAttacker];
  Connect(kHonest, kRequest);
  ASSERT_TRUE(loop_.RunUntil([&] { return handled_[kHonest] == 1; }));
  const auto ended =
      std::ranges::count_if(sockets_, [&](auto& socket) { return HasEnded(socket); });
  EXPECT_EQ(ended, 1) << "one that had no answer yet";
  EXPECT_LT(handled_[kAttacker] - before, 100) << "those before it have thousands";
}

TEST_F(ServerTurnsTest, WhoMakesRoomWhileItsRequestWaitsIsNotAnswered) {
  constexpr std::size_t kMuch = 40'000;
  options_.limits.max_connections = 1;
  StartServer([this](const Request&, const ConnectionInfo& info) -> asio::awaitable<Response> {
    if (++handled_[info.source] == 1 && info.source == kAttacker) {
      // Its next request waits behind these, and when the other one comes is due already.
      for (int i = 0; i < 1'000; ++i) {
        net::Turns::Of(loop_.executor())->Start("x" + std::to_string(i), kMuch, [] {});
      }
      Connect(kHonest, kRequest);
    }
    co_return Response{};
  });
  Connect(kAttacker, std::string(kRequest) + std::string(kRequest));
  ASSERT_TRUE(loop_.RunUntil([&] { return handled_[kHonest] == 1; }));
  EXPECT_EQ(handled_[kAttacker], 1);
}

TEST_F(ServerTurnsTest, WhoWaitsForItsTurnIsAnsweredBeforeTheServerStops) {
  StartServer();
  Flood(20);
  const int before = handled_[kAttacker];
  EXPECT_TRUE(loop_.Run(server_->Stop(BootClock::now() + kPatience)).ok());
  EXPECT_THAT(AllOf(sockets_[19]), StartsWith("HTTP/1.1 200 "));
  EXPECT_GE(handled_[kAttacker] - before, 20);
  EXPECT_LT(handled_[kAttacker] - before, 40) << "one of each, and what was due";
}

TEST_F(ServerTurnsTest, WhoWaitsForItsTurnIsAbortedWithTheOthers) {
  StartServer();
  Flood(20);
  const int before = handled_[kAttacker];
  server_.reset();
  for (tcp::socket& socket : sockets_) AllOf(socket);
  loop_.context().restart();
  loop_.context().poll();
  EXPECT_LT(handled_[kAttacker] - before, 10) << "what was due";
}

TEST_F(ServerTurnsTest, WhoIsToMakeRoomAsItsBytesComeDoesNotWaitForMore) {
  options_.limits.max_connections = 1;
  StartServer();
  // The server finds both at a time, and bytes of the first when it is to go already.
  tcp::socket& first = Connect(kHonest, "GET / HT");
  tcp::socket& second = Connect(kAttacker, kLastRequest);
  EXPECT_THAT(AllOf(second), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(AllOf(first), "") << "not that it took too long";
}

TEST_F(ServerTurnsTest, WhereAddressesHaveABoundTheOneWithMostMakesRoom) {
  options_.limits.max_connections = 32;
  options_.limits.max_connections_per_address = 16;
  StartServer();
  std::deque<tcp::socket*> silent;
  for (int i = 10; i < 40; ++i) silent.push_back(&Accepted("127.0.0." + std::to_string(i)));
  tcp::socket& longest = Proven(kAttacker);
  Proven(kAttacker);
  EXPECT_THAT(AllOf(Connect("127.0.0.3", kLastRequest)), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(AllOf(longest), "") << "it has two";
  EXPECT_TRUE(StaysOpen(*silent.front())) << "though it sent no request, for longer";
}

TEST_F(ServerTurnsTest, ElsewhereAnAddressMakesRoomFirstThatHasMany) {
  options_.limits.max_connections = 32;
  StartServer();
  tcp::socket& service = Proven(kHonest);
  Proven(kHonest);
  std::deque<tcp::socket*> silent;
  for (int i = 10; i < 40; ++i) silent.push_back(&Accepted("127.0.0." + std::to_string(i)));
  EXPECT_THAT(AllOf(Connect("127.0.0.3", kLastRequest)), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(AllOf(*silent.front()), "");
  EXPECT_TRUE(StaysOpen(service)) << "two of 32 are not many";
  ASSERT_TRUE(loop_.RunUntil([&] { return server_->connections() == 31; }));
  tcp::socket& third = Proven(kHonest);
  EXPECT_THAT(AllOf(Connect("127.0.0.3", kLastRequest)), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(AllOf(service), "") << "three are";
  EXPECT_TRUE(StaysOpen(third));
}

/// Answers when the test says so, and lets its connection go meanwhile.
class Patient {
 public:
  explicit Patient(Loop& loop) : signal_(loop.executor()) {}
  Handler handler() {
    return [this](const Request& request, const ConnectionInfo& info) -> asio::awaitable<Response> {
      if (request.target != "/page") co_return Response{};
      ++waiting_;
      info.waits([this] { ++given_up_; });
      co_await signal_.Wait();
      info.waits({});
      --waiting_;
      co_return Response{};
    };
  }
  int waiting() const { return waiting_; }
  int given_up() const { return given_up_; }
  void Go() { signal_.Fire(); }

 private:
  Signal signal_;
  int waiting_ = 0;
  int given_up_ = 0;
};

constexpr std::string_view kPage = "GET /page HTTP/1.1\r\nHost: x\r\n\r\n";

TEST_F(ServerTurnsTest, WhoseHandlerWaitsMakesRoomAtOnce) {
  options_.limits.max_connections = 1;
  Patient patient(loop_);
  StartServer(patient.handler());
  tcp::socket& waits = Connect(kAttacker, kPage);
  ASSERT_TRUE(loop_.RunUntil([&] { return patient.waiting() == 1; }));
  EXPECT_THAT(AllOf(Connect(kHonest, kLastRequest)), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(AllOf(waits), "");
  EXPECT_EQ(patient.given_up(), 1);
  EXPECT_EQ(patient.waiting(), 1) << "its handler goes when it likes";
  patient.Go();
  EXPECT_TRUE(loop_.RunUntil([&] { return patient.waiting() == 0; }));
}

TEST_F(ServerTurnsTest, WhoseHandlerHasWaitedGetsItsAnswer) {
  Patient patient(loop_);
  StartServer(patient.handler());
  tcp::socket& waits = Connect(kHonest, kPage);
  ASSERT_TRUE(loop_.RunUntil([&] { return patient.waiting() == 1; }));
  patient.Go();
  EXPECT_THAT(loop_.Run(ReadUntil(waits, "\r\n\r\n")), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(patient.given_up(), 0);
  asio::write(waits, asio::buffer(kLastRequest));
  EXPECT_THAT(AllOf(waits), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace tollbridge::http
