#include "gateway/config/payment_service_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace tollbridge::gateway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PaymentServiceSettingsTest, NoExtensionIsOnUnlessItIsNamed) {
  PaymentServiceConfig service;
  EXPECT_THAT(PaymentServiceProblems(service), IsEmpty());
  const payments::PaymentOptions none = MakePaymentOptions(service);
  EXPECT_FALSE(none.create_refund || none.partial_capture || none.partial_void);
  EXPECT_TRUE(none.mark_descriptions);

  service.extensions = {"partial_void", "create_refund"};
  service.mark_descriptions = false;
  const payments::PaymentOptions some = MakePaymentOptions(service);
  EXPECT_TRUE(some.create_refund && some.partial_void);
  EXPECT_FALSE(some.partial_capture);
  EXPECT_FALSE(some.mark_descriptions);
}

TEST(PaymentServiceSettingsTest, AllExtensionsMayBeOn) {
  const PaymentServiceConfig service{.extensions = AllExtensions()};
  EXPECT_THAT(PaymentServiceProblems(service), IsEmpty());
  EXPECT_TRUE(MakePaymentOptions(service).partial_capture);
}

TEST(PaymentServiceSettingsTest, UnknownAndRepeatedExtensionsAreRefused) {
  EXPECT_THAT(PaymentServiceProblems({.extensions = {"create_refunds"}}),
              ElementsAre(HasSubstr("'create_refunds'; is 'create_refund' meant?")));
  EXPECT_THAT(PaymentServiceProblems({.extensions = {"teleport", "partial_void", "partial_void"}}),
              ElementsAre(HasSubstr("there is no extension 'teleport'"),
                          HasSubstr("names 'partial_void' twice")));
}

TEST(PaymentServiceSettingsTest, NamesWhatDoesNotFitTogether) {
  EXPECT_THAT(PaymentServiceProblems(
                  {.rate_limit_pause = seconds(2), .rate_limit_longest_pause = seconds(1)}),
              ElementsAre(HasSubstr("rate_limit_pause")));
  EXPECT_THAT(PaymentServiceProblems({.wallet_a_name = "", .wallet_b_name = ""}),
              ElementsAre(HasSubstr("wallet_a_name"), HasSubstr("wallet_b_name")));
}

TEST(PaymentServiceSettingsTest, SettingsOfTheLinksComeFromTheConfiguration) {
  Config config;
  config.payment_service.read_attempts = 4;
  config.payment_service.mutation_attempts = 2;
  config.payment_service.breaker_failures = 7;
  config.payment_service.breaker_open = seconds(3);
  config.payment_service.breaker_probes = 2;
  config.payment_service.max_in_flight = 9;
  config.payment_service.rate_limit_pause = seconds(5);
  config.payment_service.rate_limit_longest_pause = seconds(50);
  const payment_service::RetrySettings retry = MakeRetrySettings(config.payment_service);
  EXPECT_EQ(retry.max_attempts, 4);
  EXPECT_EQ(retry.max_unsent_attempts, 2);
  const payment_service::BreakerSettings breaker = MakeBreakerSettings(config);
  EXPECT_EQ(breaker.failures, 7);
  EXPECT_EQ(breaker.open_for, seconds(3));
  EXPECT_EQ(breaker.probes, 2);
  const payment_service::RateGateSettings gate = MakeRateGateSettings(config.payment_service);
  EXPECT_EQ(gate.max_in_flight, 9u);
  EXPECT_EQ(gate.first_pause, seconds(5));
  EXPECT_EQ(gate.longest_pause, seconds(50));
}

TEST(PaymentServiceSettingsTest, ATimeoutOfAWholeAttemptAlwaysCountsForTheBreaker) {
  Config config;
  config.operations.settings.attempt_deadline = milliseconds(300);
  EXPECT_EQ(MakeBreakerSettings(config).patience, milliseconds(300));
  config.operations.settings.attempt_deadline = seconds(8);
  EXPECT_EQ(MakeBreakerSettings(config).patience, seconds(1));
}

}  // namespace
}  // namespace tollbridge::gateway
