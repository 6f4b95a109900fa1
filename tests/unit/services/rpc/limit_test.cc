#include "services/rpc/limit.h"

#include <gmock/gmock.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "services/domain/errors.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/rpc/rpc_fixture.h"

namespace tollbridge::rpc {
namespace {

class LimitTest : public RpcTest {
 protected:
  // Starts a call that stays in the handler until the clock is moved by a minute.
  void StartSlowCall(Limit& limit, Call& call) {
    boost::asio::co_spawn(context_, limit.Handle(call, Next({}, slow_)),
                          [this](std::exception_ptr, const absl::Status& status) {
                            EXPECT_TRUE(status.ok()) << status;
                            ++ended_;
                          });
  }

  Drain drain_;
  int ended_ = 0;
  FakeHandler slow_{[this](Call&) -> AsyncStatus {
    co_await clock_.Sleep(std::chrono::minutes(1));
    co_return absl::OkStatus();
  }};
  FakeHandler fast_;
};

TEST_F(LimitTest, RefusesWhatIsOverTheBoundAndAdmitsAgainAfter) {
  Limit limit({.max_in_flight = 2, .retry_after = std::chrono::milliseconds(700)}, drain_, clock_);
  auto first = MakeCall();
  auto second = MakeCall();
  auto third = MakeCall();
  StartSlowCall(limit, *first);
  StartSlowCall(limit, *second);
  ASSERT_TRUE(test::RunUntil(context_, [this] { return clock_.sleepers() == 2; }));

  const absl::Status refused = Run(limit, *third, fast_);
  EXPECT_THAT(refused, FailsWith(StatusCode::kResourceExhausted, "OVERLOADED"));
  EXPECT_TRUE(
      refused.GetPayload({domain::kRetryInfoUrl.data(), domain::kRetryInfoUrl.size()}).has_value());
  EXPECT_EQ(fast_.calls, 0);

  clock_.Advance(std::chrono::minutes(2));
  ASSERT_TRUE(test::RunUntil(context_, [this] { return ended_ == 2; }));
  auto fourth = std::make_unique<Call>(Method("Say"), Head(), EchoRequest());
  EXPECT_TRUE(Run(limit, *fourth, fast_).ok());
}

TEST_F(LimitTest, WatchersHaveABoundOfTheirOwnAndTakeNoPlaceOfCalls) {
  Limit limit({.max_in_flight = 1, .max_watchers = 1}, drain_, clock_);
  auto watcher = MakeCall();
  auto second = MakeCall();
  watcher->set_waits(true);
  second->set_waits(true);
  StartSlowCall(limit, *watcher);
  ASSERT_TRUE(test::RunUntil(context_, [this] { return clock_.sleepers() == 1; }));

  const absl::Status refused = Run(limit, *second, fast_);
  EXPECT_THAT(refused, FailsWith(StatusCode::kResourceExhausted, "OVERLOADED"));
  EXPECT_TRUE(
      refused.GetPayload({domain::kRetryInfoUrl.data(), domain::kRetryInfoUrl.size()}).has_value());
  auto call = MakeCall();
  EXPECT_TRUE(Run(limit, *call, fast_).ok());

  clock_.Advance(std::chrono::minutes(2));
  ASSERT_TRUE(test::RunUntil(context_, [this] { return ended_ == 1; }));
}

TEST_F(LimitTest, RefusesEverythingWhileTheProcessDrains) {
  Limit limit({}, drain_, clock_);
  auto call = MakeCall();
  EXPECT_TRUE(Run(limit, *call, fast_).ok());
  drain_.Begin();
  const absl::Status status = Run(limit, *call, fast_);
  EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, "SHUTTING_DOWN"));
  EXPECT_EQ(fast_.calls, 1);
}

TEST_F(LimitTest, DoesNotBeginACallWhoseDeadlineIsOver) {
  Limit limit({}, drain_, clock_);
  auto call = MakeCall();
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(Run(limit, *call, fast_).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(fast_.calls, 0);
}

TEST(Drain, WaitsForTheLastTicket) {
  Drain drain;
  EXPECT_TRUE(drain.WaitUntilIdle(BootClock::now()));
  auto ticket = std::make_unique<Drain::Ticket>(drain);
  EXPECT_FALSE(drain.WaitUntilIdle(BootClock::now()));
  std::thread other([&ticket] { ticket.reset(); });
  EXPECT_TRUE(drain.WaitUntilIdle(BootClock::now() + std::chrono::seconds(20)));
  other.join();
}

}  // namespace
}  // namespace tollbridge::rpc
