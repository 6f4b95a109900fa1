#include "adapters/payment_service/rate_gate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/telemetry/log.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"

namespace tollbridge::payment_service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RateGateTest : public testing::Test {
 protected:
  static Exchange Of(std::string project) {
    Exchange exchange;
    exchange.operation = "create_order";
    exchange.effect = Effect::kMutation;
    exchange.project = std::move(project);
    return exchange;
  }

  static ExchangeResult TooMany(const std::optional<std::string>& retry_after = std::nullopt) {
    ExchangeResult result =
        Answered(429, R"({"error": {"status": 429, "type": "RateLimit", "value": "slow down"}})");
    if (retry_after) result.response.headers.Set("Retry-After", *retry_after);
    return result;
  }

  ExchangeResult Pass(ExchangeResult result, std::string project = "shop") {
    return pipe_.Pass(Of(std::move(project)), std::move(result));
  }

  /// How long an exchange is held back now; nullopt when it passes, which it is then answered.
  std::optional<milliseconds> Held(std::string project = "shop") {
    const ExchangeResult result = Pass(Answered(200), std::move(project));
    if (!result.held_back) return std::nullopt;
    EXPECT_EQ(result.fate, http::Fate::kNotSent);
    EXPECT_EQ(result.held_back->by, HeldBackBy::kRateLimit);
    return result.held_back->retry_after;
  }

  test::FakeClock clock_;
  telemetry::Metrics metrics_;
  HeldPipe pipe_{std::make_unique<RateGate>(
      RateGateSettings{
          .max_in_flight = 2, .first_pause = milliseconds(100), .longest_pause = milliseconds(300)},
      &clock_, &metrics_)};
};

TEST_F(RateGateTest, ThePaymentServicesOwnWordIsHandedBack) {
  const ExchangeResult result = Pass(TooMany("7"));
  EXPECT_EQ(result.fate, http::Fate::kAnswered);
  EXPECT_EQ(result.response.status, 429);
}

TEST_F(RateGateTest, LimitOfOneOriginIsNotThatOfAnother) {
  Exchange to_vault = Of("shop");
  to_vault.origin = Origin::kVault;
  pipe_.Pass(to_vault, TooMany("7"));
  EXPECT_TRUE(pipe_.Pass(to_vault, Answered(200)).held_back);
  EXPECT_EQ(Held(), std::nullopt);
}

TEST_F(RateGateTest, HoldsBackUntilRetryAfterIsOver) {
  Pass(TooMany("7"));
  EXPECT_EQ(Held(), seconds(7));
  clock_.Advance(milliseconds(6'999));
  EXPECT_EQ(Held(), milliseconds(1));
  clock_.Advance(milliseconds(1));
  EXPECT_EQ(Held(), std::nullopt);
  EXPECT_EQ(pipe_.arrived(), 2u);
  EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_held_back_total", {{"by", "rate_limit"}}), 2);
}

TEST_F(RateGateTest, EachPauseIsOneLine) {
  const telemetry::LogCapture capture;
  Pass(TooMany("7"));
  Held();
  Held();
  ASSERT_EQ(capture.lines().size(), 1u);
  for (const char* part : {"\"event\":\"rate_limited\"", "\"project\":\"shop\"",
                           "\"origin\":\"service\"", "\"pause_ms\":7000"}) {
    EXPECT_NE(capture.lines()[0].find(part), std::string::npos) << part;
  }
}

TEST_F(RateGateTest, HoldsBackOnlyTheProjectThatIsLimited) {
  Pass(TooMany("7"), "shop");
  EXPECT_EQ(Held("market"), std::nullopt);
  EXPECT_NE(Held("shop"), std::nullopt);
}

TEST_F(RateGateTest, WithoutRetryAfterThePauseGrowsUpToTheLongest) {
  for (const int pause : {100, 200, 300, 300}) {
    Pass(TooMany());
    EXPECT_EQ(Held(), milliseconds(pause));
    clock_.Advance(milliseconds(pause + 1));
  }
}

TEST_F(RateGateTest, ARetryAfterThatCannotBeReadIsNone) {
  Pass(TooMany("Wed, 21 Oct 2026 07:28:00 GMT"));
  EXPECT_EQ(Held(), milliseconds(100));
}

TEST_F(RateGateTest, AnyOtherAnswerEndsTheGrowth) {
  Pass(TooMany());
  clock_.Advance(milliseconds(101));
  Pass(Answered(422));
  Pass(TooMany());
  EXPECT_EQ(Held(), milliseconds(100));
}

TEST_F(RateGateTest, NoAnswerEndsNothing) {
  Pass(TooMany());
  clock_.Advance(milliseconds(101));
  Pass(Unknown());
  Pass(TooMany());
  EXPECT_EQ(Held(), milliseconds(200));
}

TEST_F(RateGateTest, SeveralUnderWayTogetherMakeThePauseLongerOnce) {
  pipe_.Start(Of("shop"));
  pipe_.Start(Of("shop"));
  clock_.Advance(milliseconds(10));
  pipe_.Answer(0, TooMany());
  clock_.Advance(milliseconds(10));
  pipe_.Answer(1, TooMany());
  EXPECT_EQ(Held(), milliseconds(90));
}

TEST_F(RateGateTest, ALateGoodAnswerDoesNotEndThePause) {
  pipe_.Start(Of("shop"));
  Pass(TooMany("5"));
  clock_.Advance(milliseconds(10));
  pipe_.Answer(0, Answered(200));
  EXPECT_EQ(Held(), milliseconds(4'990));
}

TEST_F(RateGateTest, AShorterRetryAfterDoesNotCutALongerOne) {
  pipe_.Start(Of("shop"));
  pipe_.Start(Of("shop"));
  pipe_.Answer(0, TooMany("9"));
  pipe_.Answer(1, TooMany("1"));
  EXPECT_EQ(Held(), seconds(9));
}

TEST_F(RateGateTest, AboveTheNumberUnderWayExchangesAreTurnedAwayAtOnce) {
  pipe_.Start(Of("shop"));
  pipe_.Start(Of("market"));
  const std::size_t third = pipe_.Start(Of("shop"));
  EXPECT_EQ(pipe_.arrived(), 2u);
  ASSERT_TRUE(pipe_.result(third) && pipe_.result(third)->held_back);
  EXPECT_EQ(pipe_.result(third)->fate, http::Fate::kNotSent);
  EXPECT_EQ(pipe_.result(third)->held_back->by, HeldBackBy::kInFlight);
  EXPECT_GT(pipe_.result(third)->held_back->retry_after, milliseconds(0));
  EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_in_flight", {}), 2);
  EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_held_back_total", {{"by", "in_flight"}}), 1);
  pipe_.Answer(0, Unknown());
  EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_in_flight", {}), 1);
  EXPECT_FALSE(Pass(Answered(200)).held_back);
}

}  // namespace
}  // namespace tollbridge::payment_service
