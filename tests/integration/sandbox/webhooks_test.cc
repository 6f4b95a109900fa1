#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <ratio>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/client.h"
#include "base/http/server.h"
#include "sandbox/core/world.h"
#include "sandbox/faults/fault_injector.h"
#include "sandbox/time_control.h"
#include "sandbox/webhooks/webhook_sender.h"
#include "tests/support/async_test.h"

namespace tollbridge::sandbox {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::string_view kStart = "2026-11-21T08:00:00.000Z";

std::unique_ptr<http::Server> StartServer(asio::io_context& context, http::Handler handler) {
  auto server = http::Server::Start({context.get_executor()}, {}, std::move(handler));
  if (!server.ok()) throw std::runtime_error(std::string(server.status().message()));
  return *std::move(server);
}

/// A merchant's webhook receiver over a real socket.
class MerchantServer {
 public:
  explicit MerchantServer(asio::io_context& context)
      : hang_(context, asio::steady_timer::time_point::max()),
        server_(
            StartServer(context, [this](const http::Request& request, const http::ConnectionInfo&) {
              return Answer(request);
            })) {}

  /// In order; after the last one, `then`.
  void AnswerWith(std::vector<int> statuses, int then = 200) {
    statuses_ = std::move(statuses);
    then_ = then;
  }
  /// Takes requests and does not answer until Wake.
  void Hang() { hangs_ = true; }
  void Wake() {
    hangs_ = false;
    hang_.cancel();
  }
  void CallBack(std::shared_ptr<http::Client> sandbox) { sandbox_ = std::move(sandbox); }

  std::string Url() const { return "http://" + server_->address() + "/hooks/secret/?token=abc"; }
  std::string Origin() const { return "http://" + server_->address(); }
  const std::vector<http::Request>& received() const { return received_; }
  std::size_t most_at_once() const { return most_at_once_; }
  /// Order ids of the webhooks, as they came.
  std::vector<std::string> orders() const {
    std::vector<std::string> ids;
    for (const http::Request& request : received_) {
      ids.emplace_back(json::parse(request.body).at("order_id").as_string());
    }
    return ids;
  }
  /// What it got when it called back.
  const std::vector<std::string>& looked_up() const { return looked_up_; }

 private:
  asio::awaitable<http::Response> Answer(http::Request request) {
    received_.push_back(request);
    const std::size_t number = received_.size();
    most_at_once_ = std::max(most_at_once_, ++open_);
    http::Response response;
    response.status = number <= statuses_.size() ? statuses_[number - 1] : then_;
    if (response.status >= 300 && response.status < 400) {
      response.headers.Set("Location", Origin() + "/elsewhere");
    }
    if (sandbox_) {
      const http::SendResult looked_up = co_await sandbox_->Send(
          {.target = "/state"}, {.deadline = BootClock::now() + seconds(10)});
      looked_up_.push_back(looked_up.response.body);
    }
    boost::system::error_code ignored;
    if (hangs_) co_await hang_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    --open_;
    co_return response;
  }

  std::vector<int> statuses_;
  int then_ = 200;
  bool hangs_ = false;
  std::size_t open_ = 0;
  std::size_t most_at_once_ = 0;
  std::shared_ptr<http::Client> sandbox_;
  std::vector<std::string> looked_up_;
  std::vector<http::Request> received_;
  asio::steady_timer hang_;
  std::unique_ptr<http::Server> server_;
};

/// One sandbox's time and webhooks.
class Bench {
 public:
  Bench(asio::io_context& context, std::optional<Time> start, WebhookPolicy policy)
      : context_(context),
        world(MakeSettings(policy), 7, start),
        faults(&world.simulation, context.get_executor()),
        sender(context.get_executor(), &world.simulation, &faults),
        time(context.get_executor(), &world, &sender) {}

  /// As the app does it: the change, then the poke.
  void Notify(const Order& order, std::string_view event = kStatusChanged) {
    sender.Notify(order, event);
    time.Poke();
  }
  /// A request from outside.
  asio::awaitable<http::Response> TellTime() {
    http::Response response;
    response.body = FormatTime(world.simulation.clock.Now());
    time.Poke();
    co_return response;
  }
  void Advance(Millis by) { test::Await(context_, time.Advance(by)); }
  void Idle() { test::Await(context_, sender.Idle()); }
  void Plan(std::string_view text) {
    const auto set =
        faults.SetPlan(json::parse(text).as_object(), std::span<const std::string_view>{});
    if (!set.ok()) throw std::runtime_error(set.error().value);
  }
  /// A field of every row of the log.
  std::vector<std::string> Column(std::string_view field) const {
    std::vector<std::string> values;
    for (const json::value& row : sender.Log()) {
      const json::value& value = row.at(field);
      values.push_back(value.is_string() ? std::string(value.as_string()) : json::serialize(value));
    }
    return values;
  }
  /// Minutes after the start at which attempts began.
  std::vector<double> Begun() const {
    std::vector<double> begun;
    for (const std::string& at : Column("at")) {
      begun.push_back(
          std::chrono::duration<double, std::ratio<60>>(*ParseTime(at) - *ParseTime(kStart))
              .count());
    }
    return begun;
  }

  static Order OrderWith(int number, const std::string& url) {
    Order order;
    order.id = *Uuid::Parse("aaaaaaaa-1111-4111-8111-00000000000" + std::to_string(number));
    order.project_id = DefaultProjects().front().id;
    if (!url.empty()) order.webhook_url = url;
    return order;
  }

 private:
  static Settings MakeSettings(WebhookPolicy policy) {
    Settings settings;
    settings.webhooks = policy;
    return settings;
  }

  asio::io_context& context_;

 public:
  World world;
  FaultInjector faults;
  WebhookSender sender;
  TimeControl time;
};

class WebhooksTest : public testing::Test {
 protected:
  asio::io_context context_{1};
  MerchantServer merchant_{context_};
  Bench standing_{context_, ParseTime(kStart), {}};
  Bench running_{context_, std::nullopt, {}};
  Order order_ = Bench::OrderWith(1, merchant_.Url());
};

TEST_F(WebhooksTest, ContentIsTheEventTheOrderAndTheProject) {
  standing_.Notify(order_);
  standing_.Idle();
  ASSERT_THAT(merchant_.received(), SizeIs(1));
  const http::Request& webhook = merchant_.received().front();
  EXPECT_EQ(webhook.method, "POST");
  EXPECT_EQ(webhook.target, "/hooks/secret/?token=abc") << "a slash at the path's end stays";
  EXPECT_EQ(webhook.headers.Find("Content-Type"), "application/json");
  EXPECT_EQ(webhook.body,
            R"({"event":"status_changed","order_id":"aaaaaaaa-1111-4111-8111-000000000001",)"
            R"("project_id":"11111111-1111-4111-8111-111111111111"})");
  standing_.Notify(order_, kTransactionStatusChanged);
  standing_.Idle();
  EXPECT_THAT(merchant_.received().back().body,
              testing::StartsWith(R"({"event":"transaction_status_changed","order_id":")"));
}

TEST_F(WebhooksTest, LogTellsTheAttemptWithoutTheSecretPath) {
  standing_.Notify(order_);
  standing_.Idle();
  json::object row;
  row["order_id"] = order_.id.ToString();
  row["project_id"] = order_.project_id.ToString();
  row["event"] = "status_changed";
  row["attempt"] = 1;
  row["at"] = kStart;
  row["url_origin"] = merchant_.Origin();
  row["result"] = "200";
  row["outcome"] = "delivered";
  row["status"] = 200;
  row["detail"] = "";
  row["final"] = true;
  EXPECT_EQ(standing_.sender.Log(), json::array({row}));
  EXPECT_EQ(standing_.sender.pending(), 0u);
}

TEST_F(WebhooksTest, OrdersUrlGoesBeforeTheProjects) {
  MerchantServer of_project(context_);
  standing_.world.simulation.settings.projects.front().webhook_url = of_project.Url();
  standing_.Notify(order_);
  standing_.Idle();
  EXPECT_THAT(of_project.received(), SizeIs(0));
  standing_.Notify(Bench::OrderWith(2, ""));
  standing_.Idle();
  EXPECT_THAT(of_project.orders(), ElementsAre("aaaaaaaa-1111-4111-8111-000000000002"));
  EXPECT_THAT(merchant_.received(), SizeIs(1));
}

TEST_F(WebhooksTest, TenAttemptsEveryTwoMinutesOnAStandingClock) {
  merchant_.AnswerWith({}, 500);
  standing_.Notify(order_);
  standing_.Idle();
  standing_.Advance(minutes(2) - milliseconds(1));
  EXPECT_THAT(merchant_.received(), SizeIs(1));
  standing_.Advance(milliseconds(1));
  EXPECT_THAT(merchant_.received(), SizeIs(2));
  standing_.Advance(minutes(120));
  EXPECT_THAT(merchant_.received(), SizeIs(10));
  EXPECT_THAT(standing_.Begun(), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16, 18));
  EXPECT_THAT(standing_.Column("attempt"),
              ElementsAre("1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_THAT(standing_.Column("result"), Each("500"));
  const std::vector<std::string> final = standing_.Column("final");
  EXPECT_THAT(std::vector(final.begin(), final.end() - 1), Each("false"));
  EXPECT_EQ(final.back(), "true");
  EXPECT_EQ(standing_.sender.pending(), 0u);
}

TEST_F(WebhooksTest, TenAttemptsOnARunningClockThatIsMoved) {
  merchant_.AnswerWith({}, 404);
  running_.Notify(order_);
  running_.Advance(minutes(120));
  EXPECT_THAT(merchant_.received(), SizeIs(10));
  const std::vector<std::string> at = running_.Column("at");
  ASSERT_THAT(at, SizeIs(10));
  for (std::size_t i = 1; i < at.size(); ++i) {
    // Whole milliseconds: fractions of minutes are not exact.
    EXPECT_GE(*ParseTime(at[i]) - *ParseTime(at[i - 1]), minutes(2));
  }
}

TEST_F(WebhooksTest, RunningClockRepeatsByItself) {
  WebhookPolicy policy;
  policy.pause = milliseconds(5);
  Bench bench(context_, std::nullopt, policy);
  merchant_.AnswerWith({500, 503});
  bench.Notify(order_);
  ASSERT_TRUE(test::RunUntil(context_, [&] { return bench.sender.pending() == 0; }));
  EXPECT_THAT(bench.Column("result"), ElementsAre("500", "503", "200"));
}

TEST_F(WebhooksTest, DeliveredOneIsNotRepeated) {
  merchant_.AnswerWith({502, 204});
  standing_.Notify(order_);
  standing_.Advance(minutes(60));
  EXPECT_THAT(standing_.Column("result"), ElementsAre("502", "204"));
  EXPECT_THAT(standing_.Column("outcome"), ElementsAre("failed", "delivered"));
}

TEST_F(WebhooksTest, RedirectIsAFailureAndNotFollowed) {
  merchant_.AnswerWith({302});
  standing_.Notify(order_);
  standing_.Idle();
  EXPECT_THAT(merchant_.received(), SizeIs(1));
  EXPECT_THAT(standing_.Column("outcome"), ElementsAre("failed"));
  EXPECT_THAT(standing_.Column("detail"), ElementsAre("redirects are not followed"));
  standing_.Advance(minutes(2));
  EXPECT_THAT(standing_.Column("result"), ElementsAre("302", "200"));
  EXPECT_EQ(merchant_.received().back().target, "/hooks/secret/?token=abc");
}

TEST_F(WebhooksTest, RefusedConnectionIsAFailureAndRepeated) {
  std::string url;
  {
    MerchantServer gone(context_);
    url = gone.Url();
  }
  standing_.Notify(Bench::OrderWith(1, url));
  standing_.Advance(minutes(2));
  const std::vector<std::string> results = standing_.Column("result");
  EXPECT_THAT(results, AllOf(SizeIs(2), Each(HasSubstr("refused"))));
  EXPECT_THAT(standing_.Column("outcome"), Each("failed"));
  EXPECT_THAT(standing_.Begun(), ElementsAre(0, 2));
}

TEST_F(WebhooksTest, EachAttemptHasItsTimeoutAndThePauseBeginsAtItsEnd) {
  Bench bench(context_, ParseTime(kStart),
              {.first_timeout = milliseconds(30), .retry_timeout = milliseconds(60)});
  merchant_.Hang();
  const auto begun = std::chrono::steady_clock::now();
  bench.Notify(order_);
  bench.Advance(minutes(5));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, milliseconds(30 + 60 + 60));
  EXPECT_THAT(bench.Column("at"),
              ElementsAre("2026-11-21T08:00:00.000Z", "2026-11-21T08:02:00.030Z",
                          "2026-11-21T08:04:00.090Z"));
  EXPECT_THAT(
      bench.Column("detail"),
      ElementsAre("no answer within 30 ms", "no answer within 60 ms", "no answer within 60 ms"));
  EXPECT_THAT(bench.Column("outcome"), Each("failed"));
  merchant_.Wake();
}

TEST_F(WebhooksTest, DefaultTimeoutsAreThoseOfTheDocument) {
  const WebhookPolicy policy;
  EXPECT_EQ(policy.first_timeout, seconds(4));
  EXPECT_EQ(policy.retry_timeout, seconds(10));
  EXPECT_EQ(policy.pause, minutes(2));
  EXPECT_EQ(policy.max_attempts, 10);
}

TEST_F(WebhooksTest, StandingClockSendsOneAtATimeInOrder) {
  for (int i = 1; i <= 5; ++i) standing_.sender.Notify(Bench::OrderWith(i, merchant_.Url()));
  standing_.time.Poke();
  standing_.Idle();
  EXPECT_THAT(merchant_.orders(),
              ElementsAre(HasSubstr("0001"), HasSubstr("0002"), HasSubstr("0003"),
                          HasSubstr("0004"), HasSubstr("0005")));
  EXPECT_EQ(merchant_.most_at_once(), 1u);
}

TEST_F(WebhooksTest, RunningClockSendsSideBySide) {
  merchant_.Hang();
  for (int i = 1; i <= 5; ++i) running_.Notify(Bench::OrderWith(i, merchant_.Url()));
  ASSERT_TRUE(test::RunUntil(context_, [&] { return merchant_.received().size() == 5; }));
  EXPECT_THAT(running_.Column("result"), AllOf(SizeIs(5), Each("in flight")));
  merchant_.Wake();
  running_.Idle();
  EXPECT_THAT(running_.Column("outcome"), Each("delivered"));
}

TEST_F(WebhooksTest, OneReceiverGetsAtMost32AtATimeAndAllInTheEnd) {
  merchant_.Hang();
  for (int i = 0; i < 40; ++i) running_.Notify(order_);
  MerchantServer other(context_);
  running_.Notify(Bench::OrderWith(2, other.Url()));
  ASSERT_TRUE(test::RunUntil(context_, [&] {
    return merchant_.received().size() == 32 && other.received().size() == 1;
  })) << "the other receiver does not wait for the one that hangs";
  merchant_.Wake();
  running_.Idle();
  EXPECT_THAT(merchant_.received(), SizeIs(40));
  EXPECT_EQ(merchant_.most_at_once(), 32u);
}

TEST_F(WebhooksTest, RetriesOfTwoOrdersComeInOrderOfBeingDue) {
  merchant_.AnswerWith({500, 500});
  standing_.Notify(order_);
  standing_.Idle();
  standing_.Advance(minutes(1));
  standing_.Notify(Bench::OrderWith(2, merchant_.Url()));
  standing_.Idle();
  standing_.Advance(minutes(3));
  EXPECT_THAT(merchant_.orders(), ElementsAre(HasSubstr("0001"), HasSubstr("0002"),
                                              HasSubstr("0001"), HasSubstr("0002")));
  EXPECT_THAT(standing_.Begun(), ElementsAre(0, 1, 2, 3));
}

TEST_F(WebhooksTest, SameRunGivesTheSameLog) {
  const auto run = [this] {
    Bench bench(context_, ParseTime(kStart), {});
    MerchantServer merchant(context_);
    merchant.AnswerWith({500, 200, 503, 302, 500});
    bench.Plan(R"({"rules": [{"on": {"probability": 0.5}, "fault": {"kind": "duplicate"}}]})");
    for (int i = 1; i <= 6; ++i) bench.Notify(Bench::OrderWith(i, merchant.Url()));
    bench.Advance(minutes(30));
    std::vector<std::string> rows = bench.Column("order_id");
    for (const std::string_view field : {"attempt", "at", "result"}) {
      const std::vector<std::string> column = bench.Column(field);
      rows.insert(rows.end(), column.begin(), column.end());
    }
    return rows;
  };
  EXPECT_EQ(run(), run());
}

TEST_F(WebhooksTest, DuplicateIsSentThatManyTimesMore) {
  standing_.Plan(R"({"rules": [{"on": {"nth": 1}, "fault": {"kind": "duplicate", "times": 2}}]})");
  standing_.Notify(order_);
  standing_.Notify(Bench::OrderWith(2, merchant_.Url()));
  standing_.Idle();
  EXPECT_THAT(merchant_.orders(), ElementsAre(HasSubstr("0001"), HasSubstr("0001"),
                                              HasSubstr("0001"), HasSubstr("0002")));
  EXPECT_THAT(standing_.Column("attempt"), Each("1"));
}

TEST_F(WebhooksTest, DelayedOneComesLaterOnTheClock) {
  standing_.Plan(R"({"rules": [{"on": {"nth": 1}, "fault": {"kind": "delay", "seconds": 90}}]})");
  standing_.Notify(order_);
  standing_.Advance(seconds(89));
  EXPECT_THAT(merchant_.received(), SizeIs(0));
  standing_.Advance(seconds(1));
  EXPECT_THAT(merchant_.received(), SizeIs(1));
  EXPECT_THAT(standing_.Begun(), ElementsAre(1.5));
}

TEST_F(WebhooksTest, ReorderedOneComesAfterTheNextOfItsOrder) {
  standing_.Plan(R"({"rules": [{"on": {"nth": 1}, "fault": {"kind": "reorder"}}]})");
  Order first = order_;
  first.webhook_url = merchant_.Origin() + "/first";
  standing_.Notify(first);
  standing_.Notify(Bench::OrderWith(2, merchant_.Url()));
  standing_.Advance(seconds(10));
  EXPECT_THAT(merchant_.orders(), ElementsAre(HasSubstr("0002"))) << "another order is not next";
  standing_.Notify(order_);
  standing_.Idle();
  ASSERT_THAT(merchant_.received(), SizeIs(3));
  EXPECT_EQ(merchant_.received()[1].target, "/hooks/secret/?token=abc");
  EXPECT_EQ(merchant_.received()[2].target, "/first");
  standing_.Advance(minutes(5));
  EXPECT_THAT(merchant_.received(), SizeIs(3)) << "not once more after 60 s";
}

TEST_F(WebhooksTest, ReorderedOneComesAfterAMinuteWhenNoneFollows) {
  standing_.Plan(R"({"rules": [{"fault": {"kind": "reorder"}}]})");
  standing_.Notify(order_);
  standing_.Advance(seconds(59));
  EXPECT_THAT(merchant_.received(), SizeIs(0));
  standing_.Advance(seconds(1));
  EXPECT_THAT(merchant_.received(), SizeIs(1));
}

TEST_F(WebhooksTest, ReorderingAllSwapsThemInPairsAlsoOnARunningClock) {
  running_.Plan(R"({"rules": [{"fault": {"kind": "reorder"}}]})");
  for (const std::string_view path : {"/1", "/2", "/3", "/4"}) {
    order_.webhook_url = merchant_.Origin() + std::string(path);
    running_.Notify(order_);
    if (path == "/2") {
      ASSERT_TRUE(test::RunUntil(context_, [&] { return merchant_.received().size() == 2; }));
    }
  }
  ASSERT_TRUE(test::RunUntil(context_, [&] { return merchant_.received().size() == 4; }));
  std::vector<std::string> targets;
  for (const http::Request& request : merchant_.received()) targets.push_back(request.target);
  EXPECT_THAT(targets, ElementsAre("/2", "/1", "/4", "/3"));
}

TEST_F(WebhooksTest, AdvanceWaitsForTheReceiverWhileTheClockStands) {
  Bench bench(context_, ParseTime(kStart), {.first_timeout = seconds(15)});
  merchant_.Hang();
  bench.Notify(order_);
  ASSERT_TRUE(test::RunUntil(context_, [&] { return merchant_.received().size() == 1; }));
  bool advanced = false;
  asio::co_spawn(context_, bench.time.Advance(minutes(10)),
                 [&](std::exception_ptr) { advanced = true; });
  context_.poll();
  EXPECT_FALSE(advanced);
  EXPECT_EQ(bench.world.simulation.clock.Now(), *ParseTime(kStart));
  merchant_.Wake();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return advanced; }));
  EXPECT_EQ(bench.world.simulation.clock.Now(), *ParseTime(kStart) + minutes(10));
}

TEST_F(WebhooksTest, ReceiverThatCallsBackDuringAdvanceIsAnsweredAndNothingDeadlocks) {
  const auto sandbox = StartServer(
      context_,
      [this](const http::Request&, const http::ConnectionInfo&) { return standing_.TellTime(); });
  http::ClientOptions options;
  options.base_url = *http::ParseUrl("http://" + sandbox->address());
  merchant_.CallBack(std::make_shared<http::Client>(context_.get_executor(), options));
  merchant_.AnswerWith({500, 500});
  standing_.Notify(order_);
  standing_.Advance(minutes(10));
  EXPECT_THAT(merchant_.looked_up(),
              ElementsAre("2026-11-21T08:00:00.000Z", "2026-11-21T08:02:00.000Z",
                          "2026-11-21T08:04:00.000Z"))
      << "the receiver sees the time at which it was called";
}

TEST_F(WebhooksTest, AdvancesComeOneAfterTheOther) {
  merchant_.AnswerWith({}, 500);
  standing_.Notify(order_);
  std::vector<std::string> ended;
  for (const int by : {5, 1, 3}) {
    asio::co_spawn(context_, standing_.time.Advance(minutes(by)), [&](std::exception_ptr) {
      ended.push_back(FormatTime(standing_.world.simulation.clock.Now()));
    });
  }
  ASSERT_TRUE(test::RunUntil(context_, [&] { return ended.size() == 3; }));
  EXPECT_THAT(ended, ElementsAre("2026-11-21T08:05:00.000Z", "2026-11-21T08:06:00.000Z",
                                 "2026-11-21T08:09:00.000Z"));
  EXPECT_THAT(standing_.Begun(), ElementsAre(0, 2, 4, 6, 8));
}

TEST_F(WebhooksTest, RunningClockMakesHappenWhatComesDue) {
  int happened = 0;
  running_.world.simulation.timeline.After(milliseconds(60'000), [&] { happened += 100; });
  running_.time.Poke();
  running_.world.simulation.timeline.After(milliseconds(10), [&] { ++happened; });
  running_.time.Poke();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return happened > 0; }));
  EXPECT_EQ(happened, 1) << "the alarm was set earlier, for what came in later";
  running_.Advance(milliseconds(59'980));
  ASSERT_TRUE(test::RunUntil(context_, [&] { return happened > 1; }))
      << "the alarm is set anew when the clock was moved";
  EXPECT_EQ(happened, 101);
}

TEST_F(WebhooksTest, ClearForgetsWhatIsOnItsWayAndTheLog) {
  merchant_.Hang();
  standing_.Notify(order_);
  standing_.Notify(Bench::OrderWith(2, merchant_.Url()));
  ASSERT_TRUE(test::RunUntil(context_, [&] { return merchant_.received().size() == 1; }));
  standing_.world.Reset();
  standing_.sender.Clear();
  EXPECT_EQ(standing_.sender.pending(), 0u);
  standing_.Notify(Bench::OrderWith(3, merchant_.Url()));
  merchant_.Wake();
  standing_.Idle();
  standing_.Advance(minutes(60));
  EXPECT_THAT(merchant_.orders(), ElementsAre(HasSubstr("0001"), HasSubstr("0003")));
  EXPECT_THAT(standing_.Column("order_id"), ElementsAre(HasSubstr("0003")));
  EXPECT_THAT(standing_.Column("result"), ElementsAre("200"));
}

TEST_F(WebhooksTest, SenderMayGoWhileAttemptsAreUnderWay) {
  merchant_.Hang();
  {
    Bench bench(context_, ParseTime(kStart), {});
    bench.Notify(order_);
    ASSERT_TRUE(test::RunUntil(context_, [&] { return merchant_.received().size() == 1; }));
  }
  merchant_.Wake();
  standing_.Notify(Bench::OrderWith(2, merchant_.Url()));
  standing_.Idle();
  EXPECT_THAT(merchant_.received(), SizeIs(2));
}

}  // namespace
}  // namespace tollbridge::sandbox
