#include "adapters/payment_service/retry_transport.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"

namespace tollbridge::payment_service {
namespace {

using std::chrono::milliseconds;

class RetryTransportTest : public testing::Test {
 protected:
  /// Sends through the pipe; its pauses end when the test moves the clock.
  void Send(Exchange exchange, ScriptedTransport::Script script, RetrySettings settings = {}) {
    chain_.emplace(ChainOf(std::make_unique<RetryTransport>(settings, &clock_, &metrics_,
                                                            [this](std::string_view project) {
                                                              repeated_.emplace_back(project);
                                                            }),
                           &seen_, std::move(script)));
    boost::asio::co_spawn(context_, chain_->Send(std::move(exchange)),
                          [this](std::exception_ptr, ExchangeResult result) { result_ = result; });
    Run();
  }

  void Run() {
    context_.restart();
    context_.poll();
  }

  void Advance(milliseconds duration) {
    clock_.Advance(duration);
    Run();
  }

  Exchange Read(milliseconds time_left = milliseconds(10'000)) {
    Exchange exchange;
    exchange.operation = "get_order";
    exchange.project = "shop";
    exchange.deadline = clock_.BootNow() + time_left;
    return exchange;
  }

  Exchange Mutation() {
    Exchange exchange = Read();
    exchange.operation = "create_order";
    exchange.effect = Effect::kMutation;
    exchange.write_before = clock_.BootNow() + milliseconds(5'000);
    return exchange;
  }

  double Retries() {
    return CountOf(metrics_, "tollbridge_outbound_retries_total", {{"operation", "get_order"}});
  }

  boost::asio::io_context context_{1};
  test::FakeClock clock_;
  telemetry::Metrics metrics_;
  Seen seen_;
  std::vector<std::string> repeated_;
  std::optional<TransportChain> chain_;
  std::optional<ExchangeResult> result_;
};

TEST_F(RetryTransportTest, RepeatsAReadAfterPausesThatDouble) {
  Send(Read(), InOrder({Unknown(), Answered(503), Answered(200)}));
  EXPECT_EQ(seen_.size(), 1u);
  Advance(milliseconds(49));
  EXPECT_EQ(seen_.size(), 1u);
  Advance(milliseconds(1));
  EXPECT_EQ(seen_.size(), 2u);
  Advance(milliseconds(99));
  EXPECT_EQ(seen_.size(), 2u);
  Advance(milliseconds(1));
  EXPECT_EQ(seen_.size(), 3u);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->response.status, 200);
  EXPECT_EQ(Retries(), 2);
  EXPECT_EQ(repeated_, (std::vector<std::string>{"shop", "shop"})) << "told of each";
}

TEST_F(RetryTransportTest, DoesNotRepeatAReadWhoseAnswerIsTooLarge) {
  Send(Read(), InOrder({Unknown(absl::ResourceExhaustedError("too large")), Answered(200)}));
  Advance(milliseconds(1000));
  EXPECT_EQ(seen_.size(), 1u);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->fate, http::Fate::kUnknown);
}

TEST_F(RetryTransportTest, SendsTheSameReadAgain) {
  Exchange exchange = Read();
  exchange.request.target = "/v1/orders/x/";
  exchange.request.headers.Set("Authorization", "Basic eDo=");
  const BootTime deadline = exchange.deadline;
  Send(std::move(exchange), InOrder({NotSent(), Answered(200)}));
  Advance(milliseconds(50));
  ASSERT_EQ(seen_.size(), 2u);
  EXPECT_EQ(seen_[1].request.target, "/v1/orders/x/");
  EXPECT_EQ(seen_[1].request.headers.Find("Authorization"), "Basic eDo=");
  EXPECT_EQ(seen_[1].deadline, deadline);
  EXPECT_EQ(seen_[1].operation, "get_order");
}

TEST_F(RetryTransportTest, GivesTheLastResultAfterTheLastAttempt) {
  Send(Read(), InOrder({Answered(502), Unknown(), Answered(504)}));
  Advance(milliseconds(50));
  Advance(milliseconds(100));
  EXPECT_EQ(seen_.size(), 3u);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->response.status, 504);
  EXPECT_EQ(clock_.sleepers(), 0u);
}

TEST_F(RetryTransportTest, OneAttemptMeansNoRepeat) {
  Send(Read(), InOrder({Answered(503)}), {.max_attempts = 1});
  EXPECT_TRUE(result_);
  EXPECT_EQ(seen_.size(), 1u);
  EXPECT_EQ(Retries(), 0);
}

TEST_F(RetryTransportTest, DoesNotPauseUpToTheDeadline) {
  Send(Read(milliseconds(50)), InOrder({Answered(503)}));
  ASSERT_TRUE(result_) << "it waits for an attempt that has no time left";
  EXPECT_EQ(seen_.size(), 1u);
  EXPECT_EQ(Retries(), 0);
}

TEST_F(RetryTransportTest, RepeatsWhileTheDeadlineLeavesTime) {
  Send(Read(milliseconds(51)), InOrder({Answered(503)}));
  Advance(milliseconds(50));
  ASSERT_TRUE(result_) << "a second pause does not fit before the deadline";
  EXPECT_EQ(seen_.size(), 2u);
}

TEST_F(RetryTransportTest, RepeatsOnlyStatusesThatMayPass) {
  for (const int status : {502, 503, 504}) {
    seen_.clear();
    result_.reset();
    Send(Read(), InOrder({Answered(status), Answered(200)}));
    EXPECT_FALSE(result_) << status;
    Advance(milliseconds(50));
    EXPECT_EQ(seen_.size(), 2u) << status;
  }
  for (const int status : {200, 204, 301, 400, 401, 403, 404, 409, 429, 500, 501}) {
    seen_.clear();
    result_.reset();
    Send(Read(), InOrder({Answered(status), Answered(200)}));
    EXPECT_EQ(seen_.size(), 1u) << status;
    ASSERT_TRUE(result_) << status;
    EXPECT_EQ(result_->response.status, status);
  }
}

TEST_F(RetryTransportTest, DoesNotRepeatWhatCannotBeWritten) {
  Send(Read(), InOrder({NotSent(absl::InvalidArgumentError("a line break in a header"))}));
  ASSERT_TRUE(result_);
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(RetryTransportTest, MutationThatMayHaveLeftPassesOnce) {
  const ExchangeResult results[] = {Unknown(),     Unknown(absl::DeadlineExceededError("read")),
                                    Answered(200), Answered(422),
                                    Answered(429), Answered(502),
                                    Answered(503), Answered(504)};
  for (const ExchangeResult& result : results) {
    seen_.clear();
    result_.reset();
    Send(Mutation(), InOrder({result, Answered(200)}));
    ASSERT_TRUE(result_);
    EXPECT_EQ(seen_.size(), 1u);
    EXPECT_EQ(result_->fate, result.fate);
    EXPECT_EQ(result_->response.status, result.response.status);
    EXPECT_EQ(clock_.sleepers(), 0u);
  }
}

TEST_F(RetryTransportTest, MutationIsRepeatedWhenTheNetworkProvablyTookNothing) {
  Exchange exchange = Mutation();
  exchange.request.body = "{}";
  const std::optional<BootTime> write_before = exchange.write_before;
  Send(std::move(exchange), InOrder({NotSent(), NotSent(), Answered(201)}));
  Advance(milliseconds(50));
  Advance(milliseconds(100));
  ASSERT_EQ(seen_.size(), 3u);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->response.status, 201);
  for (const Exchange& attempt : seen_) {
    EXPECT_EQ(attempt.request.body, "{}");
    EXPECT_EQ(attempt.write_before, write_before) << "the send window is the same for all attempts";
  }
}

TEST_F(RetryTransportTest, MutationIsNotRepeatedOnceItMayHaveLeft) {
  Send(Mutation(), InOrder({NotSent(), Unknown(), Answered(201)}));
  Advance(milliseconds(50));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->fate, http::Fate::kUnknown);
  EXPECT_EQ(seen_.size(), 2u);
}

TEST_F(RetryTransportTest, MutationHasAttemptsOfItsOwn) {
  Send(Mutation(), InOrder({NotSent()}), {.max_attempts = 9, .max_unsent_attempts = 2});
  Advance(milliseconds(50));
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->fate, http::Fate::kNotSent);
  EXPECT_EQ(seen_.size(), 2u);
}

TEST_F(RetryTransportTest, MutationDoesNotPauseUpToTheEndOfTheSendWindow) {
  Exchange exchange = Mutation();
  exchange.write_before = clock_.BootNow() + milliseconds(50);
  Send(std::move(exchange), InOrder({NotSent(), Answered(201)}));
  ASSERT_TRUE(result_) << "the next attempt could write nothing";
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(RetryTransportTest, MutationIsNotRepeatedForWhatIsNotTheNetworks) {
  const absl::Status causes[] = {absl::ResourceExhaustedError("no connection became free in time"),
                                 absl::FailedPreconditionError("the send window is over"),
                                 absl::DeadlineExceededError("connect"),
                                 absl::InvalidArgumentError("a line break"),
                                 absl::CancelledError("the client is gone")};
  for (const absl::Status& cause : causes) {
    seen_.clear();
    result_.reset();
    Send(Mutation(), InOrder({NotSent(cause), Answered(201)}));
    ASSERT_TRUE(result_) << cause;
    EXPECT_EQ(seen_.size(), 1u) << cause;
  }
}

TEST_F(RetryTransportTest, WhatALinkHeldBackIsNotRepeated) {
  for (const HeldBackBy by :
       {HeldBackBy::kBreaker, HeldBackBy::kRateLimit, HeldBackBy::kInFlight}) {
    for (const Exchange& exchange : {Read(), Mutation()}) {
      seen_.clear();
      result_.reset();
      Send(exchange, InOrder({HoldBack(by, milliseconds(10)), Answered(200)}));
      ASSERT_TRUE(result_);
      EXPECT_EQ(seen_.size(), 1u);
      ASSERT_TRUE(result_->held_back);
      EXPECT_EQ(result_->held_back->retry_after, milliseconds(10));
    }
  }
}

TEST_F(RetryTransportTest, ReadWhoseBodyWasGivenInPartIsNotRepeated) {
  ExchangeResult cut = Unknown(absl::DataLossError("cut off"));
  cut.body_given = true;
  Send(Read(), InOrder({cut, Answered(200)}));
  ASSERT_TRUE(result_);
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(RetryTransportTest, RepeatsEndWhenTheBudgetIsSpent) {
  chain_.emplace(
      ChainOf(std::make_unique<RetryTransport>(
                  RetrySettings{.max_attempts = 2, .budget_percent = 10}, &clock_, &metrics_),
              &seen_, InOrder({Answered(503)})));
  constexpr int kReads = 300;
  for (int i = 0; i < kReads; ++i) {
    result_.reset();
    boost::asio::co_spawn(context_, chain_->Send(Read()),
                          [this](std::exception_ptr, ExchangeResult result) { result_ = result; });
    Run();
    Advance(milliseconds(50));
    ASSERT_TRUE(result_);
    EXPECT_EQ(result_->response.status, 503);
  }
  // What was saved up at the start, and a tenth.
  const auto repeats = static_cast<int>(seen_.size()) - kReads;
  EXPECT_GE(repeats, kReads / 10);
  EXPECT_LE(repeats, RetryBudget::kForQuietTimes + kReads / 10);
  EXPECT_EQ(Retries(), repeats);
  EXPECT_EQ(
      CountOf(metrics_, "tollbridge_outbound_retries_denied_total", {{"operation", "get_order"}}),
      kReads - repeats);
}

TEST(RetryBudgetTest, BeginsWithAFewAndEarnsAShareOfEachFirstAttempt) {
  RetryBudget budget(10);
  for (int i = 0; i < RetryBudget::kForQuietTimes; ++i) EXPECT_TRUE(budget.Repeat());
  EXPECT_FALSE(budget.Repeat());
  for (int i = 0; i < 9; ++i) budget.FirstAttempt();
  EXPECT_FALSE(budget.Repeat());
  budget.FirstAttempt();
  EXPECT_TRUE(budget.Repeat());
  EXPECT_FALSE(budget.Repeat());
}

TEST(RetryBudgetTest, SavesUpNoMoreThanAFew) {
  RetryBudget budget(100);
  for (int i = 0; i < 1'000; ++i) budget.FirstAttempt();
  for (int i = 0; i < RetryBudget::kForQuietTimes; ++i) EXPECT_TRUE(budget.Repeat());
  EXPECT_FALSE(budget.Repeat());
}

TEST(RetryBudgetTest, NoneAllowsNothing) {
  RetryBudget budget(0);
  budget.FirstAttempt();
  EXPECT_FALSE(budget.Repeat());
}

}  // namespace
}  // namespace tollbridge::payment_service
