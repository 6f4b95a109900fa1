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
  service.options.mark_descriptions = false;
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
  PaymentServiceConfig pauses;
  pauses.settings.rate_gate = {.first_pause = seconds(2), .longest_pause = seconds(1)};
  EXPECT_THAT(PaymentServiceProblems(pauses), ElementsAre(HasSubstr("rate_limit_pause")));
  PaymentServiceConfig names;
  names.settings.wallet_names = {.wallet_a = "", .wallet_b = ""};
  EXPECT_THAT(PaymentServiceProblems(names),
              ElementsAre(HasSubstr("wallet_a_name"), HasSubstr("wallet_b_name")));
}

TEST(PaymentServiceSettingsTest, EachSettingIsThatOfItsLink) {
  PaymentServiceConfig service;
  config::Section section("", "");
  DescribePaymentService(section, &service);
  const absl::Status read = config::ReadYaml(
      "max_connections: 11\nmax_pool_wait: 12ms\nconnect_timeout: 13ms\nmax_in_flight: 9\n"
      "read_attempts: 4\nmutation_attempts: 2\nretry_budget_percent: 15\n"
      "breaker_failures: 7\nbreaker_open: 3s\nbreaker_probes: 6\n"
      "rate_limit_pause: 5s\nrate_limit_longest_pause: 50s\n"
      "wallet_a_name: one\nwallet_b_name: other\n",
      section);
  ASSERT_TRUE(read.ok()) << read;
  const payment_service::Settings& settings = service.settings;
  EXPECT_EQ(settings.client.max_connections, 11u);
  EXPECT_EQ(settings.client.max_pool_wait, milliseconds(12));
  EXPECT_EQ(settings.client.connect_timeout, milliseconds(13));
  EXPECT_EQ(settings.rate_gate.max_in_flight, 9u);
  EXPECT_EQ(settings.rate_gate.first_pause, seconds(5));
  EXPECT_EQ(settings.rate_gate.longest_pause, seconds(50));
  EXPECT_EQ(settings.retry.max_attempts, 4);
  EXPECT_EQ(settings.retry.max_unsent_attempts, 2);
  EXPECT_EQ(settings.retry.budget_percent, 15);
  EXPECT_EQ(settings.breaker.failures, 7);
  EXPECT_EQ(settings.breaker.open_for, seconds(3));
  EXPECT_EQ(settings.breaker.probes, 6);
  EXPECT_EQ(settings.wallet_names.wallet_a, "one");
  EXPECT_EQ(settings.wallet_names.wallet_b, "other");
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
