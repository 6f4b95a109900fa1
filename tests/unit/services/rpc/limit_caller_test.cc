#include "services/rpc/limit_caller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "tests/support/fails_with.h"
#include "tests/support/series.h"
#include "tests/unit/services/rpc/rpc_fixture.h"

namespace tollbridge::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kShop = "spiffe://shop.example/checkout";
constexpr const char* kJobs = "spiffe://shop.example/jobs/a";

class LimitCallerTest : public RpcTest {
 protected:
  std::unique_ptr<Call> CallOf(const std::string& identity) {
    CallHead head = Head();
    head.caller = CertifiedCaller({identity}, {});
    return std::make_unique<Call>(Method("Say"), std::move(head), EchoRequest());
  }
  absl::Status One(LimitCaller& limit, const std::string& identity) {
    const auto call = CallOf(identity);
    return Run(limit, *call, fast_);
  }
  /// How many of `calls` go through.
  int Taken(LimitCaller& limit, const std::string& identity, int calls) {
    int taken = 0;
    for (int i = 0; i < calls; ++i) taken += One(limit, identity).ok() ? 1 : 0;
    return taken;
  }
  // Starts a call that stays in the handler until the clock is moved by a minute.
  void StartSlowCall(LimitCaller& limit, Call& call) {
    const std::size_t before = clock_.sleepers();
    boost::asio::co_spawn(context_, limit.Handle(call, Next({}, slow_)),
                          [this](std::exception_ptr, const absl::Status& status) {
                            EXPECT_TRUE(status.ok()) << status;
                            ++ended_;
                          });
    ASSERT_TRUE(test::RunUntil(context_, [&] { return clock_.sleepers() > before; }));
  }
  // Before what they hold goes.
  void EndSlowCalls(int calls) {
    clock_.Advance(std::chrono::minutes(2));
    ASSERT_TRUE(test::RunUntil(context_, [&] { return ended_ == calls; }));
  }
  LimitCaller With(const CallerLimits& limits) { return {limits, rules_, metrics_, clock_}; }
  double Limited(const std::string& limit) {
    return test::SeriesOf(metrics_, telemetry::kRpcCallerLimited, {limit}).value_or(0);
  }

  telemetry::Metrics metrics_;
  AccessRules rules_{{}};
  int ended_ = 0;
  FakeHandler slow_{[this](Call&) -> AsyncStatus {
    co_await clock_.Sleep(std::chrono::minutes(1));
    co_return absl::OkStatus();
  }};
  FakeHandler fast_;
};

TEST_F(LimitCallerTest, ARateLetsItsBurstThroughAndSaysWhenTheNextMayCome) {
  LimitCaller limit = With({.calls_per_second = 4, .burst = 6});
  EXPECT_EQ(Taken(limit, kShop, 6), 6);
  const absl::Status refused = One(limit, kShop);
  EXPECT_THAT(refused, FailsWith(StatusCode::kResourceExhausted, "CALLER_LIMIT"));
  EXPECT_EQ(domain::MetadataOf(refused, "limit"), "calls_per_second");
  EXPECT_EQ(domain::MetadataOf(refused, "retry"), "SAFE_SAME_KEY");
  EXPECT_TRUE(
      refused.GetPayload({domain::kRetryInfoUrl.data(), domain::kRetryInfoUrl.size()}).has_value());
  EXPECT_EQ(fast_.calls, 6);
  EXPECT_EQ(Limited("calls_per_second"), 1);

  clock_.Advance(milliseconds(249));
  EXPECT_EQ(Taken(limit, kShop, 1), 0);
  clock_.Advance(milliseconds(1));
  EXPECT_EQ(Taken(limit, kShop, 2), 1);
  clock_.Advance(std::chrono::hours(1));
  EXPECT_EQ(Taken(limit, kShop, 9), 6) << "a long pause saves no more than the burst";
}

TEST_F(LimitCallerTest, WithoutABurstItIsTheCallsOfASecond) {
  LimitCaller limit = With({.calls_per_second = 3});
  EXPECT_EQ(Taken(limit, kShop, 5), 3);
}

TEST_F(LimitCallerTest, ACallerAtItsBoundTakesNothingOfAnothers) {
  LimitCaller limit = With({.calls_per_second = 2, .max_in_flight = 1});
  const auto slow = CallOf(kShop);
  StartSlowCall(limit, *slow);
  EXPECT_EQ(Taken(limit, kShop, 100), 0);
  EXPECT_EQ(Taken(limit, kJobs, 2), 2);
  EndSlowCalls(1);
}

TEST_F(LimitCallerTest, CallsUnderWayAreBoundedAndWatchersApart) {
  LimitCaller limit = With({.max_in_flight = 1, .max_watchers = 1});
  const auto watcher = CallOf(kShop);
  watcher->set_waits(true);
  StartSlowCall(limit, *watcher);
  const auto slow = CallOf(kShop);
  StartSlowCall(limit, *slow);

  const absl::Status call = One(limit, kShop);
  EXPECT_THAT(call, FailsWith(StatusCode::kResourceExhausted, "CALLER_LIMIT"));
  EXPECT_EQ(domain::MetadataOf(call, "limit"), "max_in_flight");
  const auto another = CallOf(kShop);
  another->set_waits(true);
  const absl::Status watch = Run(limit, *another, fast_);
  EXPECT_EQ(domain::MetadataOf(watch, "limit"), "max_watchers");
  EXPECT_EQ(Limited("max_in_flight"), 1);
  EXPECT_EQ(Limited("max_watchers"), 1);

  EndSlowCalls(2);
  EXPECT_TRUE(One(limit, kShop).ok());
  EXPECT_TRUE(Run(limit, *another, fast_).ok());
}

TEST_F(LimitCallerTest, ZeroIsNoLimit) {
  LimitCaller limit = With({});
  const auto slow = CallOf(kShop);
  StartSlowCall(limit, *slow);
  EXPECT_EQ(Taken(limit, kShop, 1000), 1000);
  EndSlowCalls(1);
}

TEST_F(LimitCallerTest, AllWithoutACertificateAreOneCaller) {
  LimitCaller limit = With({.calls_per_second = 1});
  const auto first = MakeCall();
  EXPECT_TRUE(Run(limit, *first, fast_).ok());
  const auto second = MakeCall();
  EXPECT_FALSE(Run(limit, *second, fast_).ok());
}

TEST_F(LimitCallerTest, AGrantSaysOtherwiseAndIsHeardWithoutARestart) {
  rules_.set_callers({{.identity = kShop, .limits = {.calls_per_second = 3}}});
  LimitCaller limit = With({.calls_per_second = 1});
  EXPECT_EQ(Taken(limit, kShop, 9), 3);
  EXPECT_EQ(Taken(limit, kJobs, 9), 1);

  rules_.set_callers({{.identity = kShop, .limits = {.calls_per_second = 5}}});
  EXPECT_EQ(Taken(limit, kShop, 9), 0) << "other limits give no new burst";
  clock_.Advance(seconds(1));
  EXPECT_EQ(Taken(limit, kShop, 9), 5);
}

TEST_F(LimitCallerTest, CallersOfWhomThereAreTooManyShareOneRate) {
  LimitCaller limit = With({.calls_per_second = 1});
  const std::string prefix = "spiffe://shop.example/";
  int taken = 0;
  for (int i = 0; i < 10'005; ++i) taken += Taken(limit, prefix + std::to_string(i), 1);
  EXPECT_EQ(taken, 10'001);
  // Who has had nothing for a while is forgotten, and makes room.
  clock_.Advance(seconds(2));
  EXPECT_EQ(Taken(limit, prefix + "later", 2) + Taken(limit, prefix + "another", 2), 2);
}

TEST_F(LimitCallerTest, OneLineAMinuteSaysWhoHasItsFill) {
  telemetry::LogCapture log;
  LimitCaller limit = With({.calls_per_second = 1});
  Taken(limit, kShop, 100);
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_THAT(log.lines().front(), AllOf(HasSubstr("rpc_caller_limited"), HasSubstr(kShop),
                                         HasSubstr("calls_per_second")));
}

}  // namespace
}  // namespace tollbridge::rpc
