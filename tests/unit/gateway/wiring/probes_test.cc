#include "gateway/wiring/probes.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <latch>
#include <string>

namespace tollbridge::gateway {
namespace {

using std::chrono::milliseconds;

boost::asio::awaitable<http::Response> NotFound(const http::Request&, const http::ConnectionInfo&) {
  co_return http::Response{.status = 404};
}

class ProbesTest : public testing::Test {
 protected:
  ProbesTest() { shards_.Start(); }
  ~ProbesTest() override { shards_.Stop(); }

  /// What the metrics listener answers.
  http::Response Ask(const std::string& target, const std::string& method = "GET") {
    const auto ask = [](http::Handler handler,
                        http::Request request) -> boost::asio::awaitable<http::Response> {
      const http::ConnectionInfo connection;
      co_return co_await handler(request, connection);
    };
    http::Request request;
    request.method = method;
    request.target = target;
    return boost::asio::co_spawn(shards_.at(0).executor(), ask(handler_, request),
                                 boost::asio::use_future)
        .get();
  }

  ShardPool shards_{3};
  Probes probes_{shards_, milliseconds(100)};
  http::Handler handler_ = probes_.Handler(&NotFound);
  bool group_ = true;
};

TEST_F(ProbesTest, NothingIsReadyBeforeTheProcessHasStarted) {
  probes_.AddRole("rpc", [] { return true; }, "");
  const http::Response before = Ask("/readyz");
  EXPECT_EQ(before.status, 503);
  EXPECT_EQ(before.body, "starting\n");
  probes_.Started();
  const http::Response after = Ask("/readyz");
  EXPECT_EQ(after.status, 200);
  EXPECT_EQ(after.body, "ok\n");
}

TEST_F(ProbesTest, ARoleThatIsNotReadySaysWhy) {
  probes_.AddRole("rpc", [] { return true; }, "");
  probes_.AddRole("webhooks", [] { return false; }, "no broker answers");
  probes_.AddRole("events", [this] { return group_; }, "not in the group");
  probes_.Started();
  EXPECT_EQ(Ask("/readyz").body, "webhooks: no broker answers\n");
  group_ = false;
  const http::Response both = Ask("/readyz?verbose");
  EXPECT_EQ(both.status, 503);
  EXPECT_EQ(both.body, "webhooks: no broker answers\nevents: not in the group\n");
}

TEST_F(ProbesTest, AProcessThatIsAboutToEndIsLiveAndNotReady) {
  probes_.AddRole("rpc", [] { return true; }, "");
  probes_.Started();
  probes_.EnterLameDuck();
  EXPECT_EQ(Ask("/readyz").body, "stopping\n");
  EXPECT_EQ(Ask("/livez").status, 200);
}

TEST_F(ProbesTest, AShardThatIsStuckIsNotLiveUntilItGoesOn) {
  EXPECT_EQ(Ask("/livez").status, 200);
  std::latch go_on(1);
  boost::asio::post(shards_.at(2).executor(), [&] { go_on.wait(); });
  const http::Response stuck = Ask("/livez");
  EXPECT_EQ(stuck.status, 503);
  EXPECT_EQ(stuck.body, "shard 2: does not answer\n");
  go_on.count_down();
  EXPECT_EQ(Ask("/livez").status, 200);
}

TEST_F(ProbesTest, LeavesTheRestToTheOther) {
  probes_.Started();
  EXPECT_EQ(Ask("/livez", "POST").status, 405);
  EXPECT_EQ(Ask("/readyz", "HEAD").status, 200);
  EXPECT_EQ(Ask("/readyz/x").status, 404);
  EXPECT_EQ(Ask("/metrics").status, 404);
}

}  // namespace
}  // namespace tollbridge::gateway
