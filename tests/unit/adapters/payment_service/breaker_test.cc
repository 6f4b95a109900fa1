#include "adapters/payment_service/breaker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "adapters/payment_service/breaker_transport.h"
#include "base/telemetry/log.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"

namespace tollbridge::payment_service {
namespace {

using std::chrono::milliseconds;

constexpr BreakerSettings kSettings{
    .failures = 3, .open_for = milliseconds(1'000), .probes = 1, .patience = milliseconds(100)};

class BreakerTest : public testing::Test {
 protected:
  explicit BreakerTest(BreakerSettings settings = kSettings)
      : pipe_(std::make_unique<BreakerTransport>(
            settings,
            Breaker::Events{.on_open = [this] { ++opened_; }, .on_close = [this] { ++closed_; }},
            &clock_, &metrics_)) {}

  static Exchange Any(Effect effect = Effect::kRead) {
    Exchange exchange;
    exchange.operation = "get_order";
    exchange.effect = effect;
    return exchange;
  }

  ExchangeResult Pass(ExchangeResult result) { return pipe_.Pass(Any(), std::move(result)); }
  void Fail(int times) {
    for (int i = 0; i < times; ++i) Pass(Answered(503));
  }
  /// Whether an exchange is turned away now.
  bool IsOpen() { return pipe_.Pass(Any(), Answered(200)).held_back.has_value(); }
  double Count(std::string_view metric, const Labels& labels = {}) {
    return CountOf(metrics_, metric, labels);
  }

  test::FakeClock clock_;
  telemetry::Metrics metrics_;
  int opened_ = 0;
  int closed_ = 0;
  HeldPipe pipe_;
};

TEST_F(BreakerTest, OpensAfterFailuresInARow) {
  Fail(2);
  EXPECT_EQ(opened_, 0);
  Fail(1);
  EXPECT_EQ(opened_, 1);
  EXPECT_TRUE(IsOpen());
}

TEST_F(BreakerTest, AnAnswerInBetweenBeginsTheCountAnew) {
  Fail(2);
  Pass(Answered(200));
  Fail(2);
  EXPECT_FALSE(IsOpen());
}

TEST_F(BreakerTest, WhileOpenEachExchangeEndsAtOnceAsNotSent) {
  Fail(3);
  clock_.Advance(milliseconds(400));
  for (const Effect effect : {Effect::kRead, Effect::kMutation}) {
    const std::size_t index = pipe_.Start(Any(effect));
    EXPECT_EQ(pipe_.arrived(), 3u);
    ASSERT_TRUE(pipe_.result(index));
    EXPECT_EQ(pipe_.result(index)->fate, http::Fate::kNotSent);
    EXPECT_EQ(pipe_.result(index)->error.message(), "breaker open");
    ASSERT_TRUE(pipe_.result(index)->held_back);
    EXPECT_EQ(pipe_.result(index)->held_back->by, HeldBackBy::kBreaker);
    EXPECT_EQ(pipe_.result(index)->held_back->retry_after, milliseconds(600));
  }
  EXPECT_EQ(Count("tollbridge_outbound_held_back_total", {{"by", "breaker"}}), 2);
}

TEST_F(BreakerTest, AnAnsweredProbeClosesIt) {
  Fail(3);
  clock_.Advance(milliseconds(999));
  EXPECT_TRUE(IsOpen());
  clock_.Advance(milliseconds(1));
  EXPECT_EQ(Pass(Answered(200)).response.status, 200);
  EXPECT_EQ(closed_, 1);
  Fail(2);
  EXPECT_FALSE(IsOpen()) << "it counts from nothing";
}

TEST_F(BreakerTest, AFailedProbeOpensItForAsLongAgain) {
  Fail(3);
  clock_.Advance(milliseconds(1'000));
  Pass(Unknown());
  clock_.Advance(milliseconds(999));
  EXPECT_TRUE(IsOpen());
  clock_.Advance(milliseconds(1));
  EXPECT_FALSE(IsOpen());
  EXPECT_EQ(opened_, 1) << "it was not closed in between";
  EXPECT_EQ(closed_, 1);
  EXPECT_EQ(Count("tollbridge_outbound_breaker_opened_total"), 2);
}

TEST_F(BreakerTest, NoMoreThanTheProbesPassWhileHalfOpen) {
  Fail(3);
  clock_.Advance(milliseconds(1'000));
  const std::size_t probe = pipe_.Start(Any(Effect::kMutation));
  EXPECT_EQ(pipe_.arrived(), 4u) << "a mutation may be the probe";
  const std::size_t second = pipe_.Start(Any());
  EXPECT_EQ(pipe_.arrived(), 4u);
  ASSERT_TRUE(pipe_.result(second) && pipe_.result(second)->held_back);
  EXPECT_GT(pipe_.result(second)->held_back->retry_after, milliseconds(0));
  pipe_.Answer(3, Answered(422));
  ASSERT_TRUE(pipe_.result(probe));
  EXPECT_EQ(closed_, 1) << "a refusal is the word of a host that is well";
}

TEST_F(BreakerTest, AProbeThatSaysNothingLeavesItsPlaceToTheNext) {
  Fail(3);
  clock_.Advance(milliseconds(1'000));
  Pass(NotSent(absl::FailedPreconditionError("the send window is over")));
  EXPECT_EQ(closed_, 0);
  Pass(Answered(200));
  EXPECT_EQ(closed_, 1);
}

TEST_F(BreakerTest, WhatWasSentBeforeItOpenedDecidesNothingAfterwards) {
  pipe_.Start(Any());
  pipe_.Start(Any());
  for (int i = 0; i < 3; ++i) pipe_.Pass(Any(), Answered(503));
  pipe_.Answer(0, Answered(200));
  EXPECT_EQ(closed_, 0);
  EXPECT_TRUE(IsOpen());
  clock_.Advance(milliseconds(1'000));
  pipe_.Start(Any());
  pipe_.Answer(1, Answered(503));
  EXPECT_EQ(Count("tollbridge_outbound_breaker_opened_total"), 1) << "the probe is still under way";
  pipe_.Answer(5, Answered(200));
  EXPECT_EQ(closed_, 1);
}

TEST_F(BreakerTest, TellsHowManyAreOpenAndHowOftenTheyOpened) {
  EXPECT_EQ(Count("tollbridge_outbound_breakers_open"), 0);
  Fail(3);
  EXPECT_EQ(Count("tollbridge_outbound_breakers_open"), 1);
  clock_.Advance(milliseconds(1'000));
  Pass(Answered(503));
  EXPECT_EQ(Count("tollbridge_outbound_breakers_open"), 1);
  clock_.Advance(milliseconds(1'000));
  Pass(Answered(200));
  EXPECT_EQ(Count("tollbridge_outbound_breakers_open"), 0);
  EXPECT_EQ(Count("tollbridge_outbound_breaker_opened_total"), 2);
}

TEST_F(BreakerTest, CountsAsFailuresWhatTheHostOrTheNetworkDid) {
  ExchangeResult slow_connect = NotSent(absl::DeadlineExceededError("connect"));
  slow_connect.timings.connect = milliseconds(500);
  const struct {
    std::string name;
    ExchangeResult result;
    milliseconds took;
    bool opens;
  } rows[] = {
      {"connection refused", NotSent(), milliseconds(0), true},
      {"connection reset", Unknown(), milliseconds(0), true},
      {"garbled answer", Unknown(absl::DataLossError("cut off")), milliseconds(0), true},
      {"no answer in time", Unknown(absl::DeadlineExceededError("read")), milliseconds(100), true},
      {"no connection in time", slow_connect, milliseconds(500), true},
      {"500", Answered(500), milliseconds(0), true},
      {"504", Answered(504), milliseconds(0), true},
      {"caller in a hurry", Unknown(absl::DeadlineExceededError("read")), milliseconds(99), false},
      {"no time to begin", NotSent(absl::DeadlineExceededError("deadline")), milliseconds(200),
       false},
      {"pool wait over", NotSent(absl::ResourceExhaustedError("pool")), milliseconds(0), false},
      {"send window over", NotSent(absl::FailedPreconditionError("window")), milliseconds(0),
       false},
      {"unwritable", NotSent(absl::InvalidArgumentError("header")), milliseconds(0), false},
      {"held back further in", HoldBack(HeldBackBy::kRateLimit, milliseconds(5)), milliseconds(0),
       false},
      {"200", Answered(200), milliseconds(0), false},
      {"302", Answered(302), milliseconds(0), false},
      {"404", Answered(404), milliseconds(0), false},
      {"429", Answered(429), milliseconds(0), false},
  };
  for (const auto& row : rows) {
    BreakerSettings settings = kSettings;
    settings.failures = 1;
    HeldPipe pipe(
        std::make_unique<BreakerTransport>(settings, Breaker::Events{}, &clock_, &metrics_));
    pipe.Start(Any());
    clock_.Advance(row.took);
    pipe.Answer(0, row.result);
    EXPECT_EQ(pipe.Pass(Any(), Answered(200)).held_back.has_value(), row.opens) << row.name;
  }
}

TEST_F(BreakerTest, EachOriginHasItsOwnAndOnlyTheServicesIsTold) {
  Exchange to_vault = Any(Effect::kMutation);
  to_vault.origin = Origin::kVault;
  for (int i = 0; i < 3; ++i) pipe_.Pass(to_vault, Answered(503));
  EXPECT_TRUE(pipe_.Pass(to_vault, Answered(200)).held_back);
  EXPECT_FALSE(IsOpen()) << "the service itself is well";
  EXPECT_EQ(opened_, 0);
  EXPECT_EQ(Count("tollbridge_outbound_breakers_open"), 1);
  Fail(3);
  EXPECT_TRUE(IsOpen());
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(Count("tollbridge_outbound_breakers_open"), 2);
  clock_.Advance(kSettings.open_for);
  EXPECT_FALSE(pipe_.Pass(to_vault, Answered(200)).held_back);
  EXPECT_EQ(closed_, 0);
  EXPECT_EQ(Count("tollbridge_outbound_breakers_open"), 1);
}

TEST_F(BreakerTest, ReaderThatHadEnoughIsNoFailure) {
  ExchangeResult refused = Unknown(absl::CancelledError("the caller is gone"));
  refused.body_refused = true;
  for (int i = 0; i < 9; ++i) Pass(refused);
  EXPECT_FALSE(IsOpen());
}

TEST_F(BreakerTest, AnAnswerThatIsTooLargeIsNoFailure) {
  for (int i = 0; i < 9; ++i) Pass(Unknown(absl::ResourceExhaustedError("too large")));
  EXPECT_FALSE(IsOpen());
}

TEST_F(BreakerTest, OpeningAndClosingAreALineEach) {
  const telemetry::LogCapture capture;
  for (int i = 0; i < 5; ++i) Pass(Answered(503));
  clock_.Advance(kSettings.open_for);
  Pass(Answered(503));  // the probe fails: it was not closed in between
  clock_.Advance(kSettings.open_for);
  Pass(Answered(200));
  ASSERT_EQ(capture.lines().size(), 2u);
  EXPECT_NE(capture.lines()[0].find("\"breaker_opened\",\"origin\":\"service\""),
            std::string::npos);
  EXPECT_NE(capture.lines()[1].find("\"breaker_closed\",\"origin\":\"service\""),
            std::string::npos);
}

TEST_F(BreakerTest, GivesUpItsMetricWhenItGoes) {
  {
    HeldPipe pipe(
        std::make_unique<BreakerTransport>(kSettings, Breaker::Events{}, &clock_, &metrics_));
    for (int i = 0; i < 3; ++i) pipe.Pass(Any(), Answered(500));
    EXPECT_EQ(Count("tollbridge_outbound_breakers_open"), 1);
  }
  EXPECT_EQ(Count("tollbridge_outbound_breakers_open"), 0);
}

TEST(BreakerStatesTest, SeveralProbesMayPassAndTheFirstAnswerCloses) {
  Breaker breaker({.failures = 1, .open_for = milliseconds(10), .probes = 2}, {});
  const BootTime start{std::chrono::hours(1)};
  breaker.Record(*breaker.Admit(start), Health::kFailing, start);
  EXPECT_EQ(breaker.Wait(start), milliseconds(10));
  const BootTime later = start + milliseconds(10);
  const auto first = breaker.Admit(later);
  const auto second = breaker.Admit(later);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(breaker.Admit(later));
  breaker.Record(*second, Health::kWell, later);
  EXPECT_TRUE(breaker.closed());
  breaker.Record(*first, Health::kFailing, later);
  EXPECT_TRUE(breaker.closed()) << "that probe is of the state before";
}

}  // namespace
}  // namespace tollbridge::payment_service
