// What a connection does in which order, on a context that is run step by step.

#include "base/wire/connection.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/net/turns.h"
#include "tests/unit/base/wire/raw_client.h"

namespace tollbridge::wire {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class ConnectionTest : public testing::Test {
 protected:
  /// A connection that has been answered a call.
  ConnectionTest() {
    service_->methods["/t.T/Echo"] = {false, [](const std::shared_ptr<ServerCall>& call) {
                                        const std::string request = call->TakeRequest();
                                        call->Finish({}, &request, {}, {});
                                      }};
    tcp::acceptor acceptor(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    client_ = std::make_unique<RawClient>(acceptor.local_endpoint().port());
    auto connection = std::make_shared<Connection>(
        service_, nullptr, acceptor.accept(),
        Connection::Place{.shard = 0, .number = 0, .source = "127.0.0.1"});
    connection_ = connection;
    const auto serve = [](std::shared_ptr<Connection> served) -> asio::awaitable<void> {
      co_await served->Run();
    };
    asio::co_spawn(context_, serve(std::move(connection)), asio::detached);
    client_->Send(CallBytes(1, "/t.T/Echo", "x"));
    while (!connection_.lock()->proven()) context_.run_one();
    context_.poll();
    EXPECT_EQ(client_->Await(1).status(), "0");
    context_.poll();
  }
  /// Has so many addresses wait for a turn that takes as much as there is in one.
  void Crowd(int count) {
    constexpr std::size_t kMuch = 40'000;
    for (int i = 0; i < count; ++i) {
      net::Turns::Of(context_.get_executor())->Start("x" + std::to_string(i), kMuch, [this] {
        ++crowd_;
      });
    }
  }
  void Steps(int count) {
    for (int i = 0; i < count; ++i) context_.poll_one();
  }

  asio::io_context context_{1};
  std::shared_ptr<Service> service_ = std::make_shared<Service>();
  std::unique_ptr<RawClient> client_;
  std::weak_ptr<Connection> connection_;
  int crowd_ = 0;
};

TEST_F(ConnectionTest, WhatMakesRoomInOrderWaitsForNoTurn) {
  constexpr int kOthers = 10'000;
  Crowd(kOthers);
  client_->Send(CallBytes(3, "/t.T/Echo", "x"));
  Steps(100);
  ASSERT_TRUE(connection_.lock()->Shed());
  Steps(100);
  EXPECT_EQ(client_->AwaitGoAway(), 0u);
  client_.reset();
  while (!connection_.expired()) context_.run_one();
  EXPECT_LT(crowd_, kOthers) << "they were before it";
}

TEST_F(ConnectionTest, WhatHadItsTimeToMakeRoomEndsThoughItHasNotBegunToClose) {
  ASSERT_TRUE(connection_.lock()->Shed());
  // Behind what is written last, and before what comes of that.
  asio::post(context_, [this] { connection_.lock()->EndIfShed(); });
  context_.poll();
  EXPECT_TRUE(connection_.expired()) << "its peer does not end it";
}

}  // namespace
}  // namespace tollbridge::wire
