// Limits of the money that goes out of projects, as they are written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gateway/config/adapter_settings.h"
#include "gateway/config/config.h"

namespace tollbridge::gateway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string With(const std::string& of_project) {
  return "operations: {fingerprint_keys_file: /f, outcome_keys_file: /o}\n"
         "projects:\n"
         "  - {name: shop, id: 11111111-1111-4111-8111-111111111111, api_key_file: /k" +
         of_project + "}\n";
}

std::string ProblemsOf(const std::string& refunds) {
  const std::string yaml = With(", limits: {refunds: [" + refunds + "]}");
  return std::string(ParseConfig(yaml).status().message());
}

TEST(MoneyLimitsTest, AreOffUnlessTheyAreSet) {
  const auto config = ParseConfig(With(""));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->projects[0].refund_limits.empty());
  EXPECT_TRUE(config->projects[0].payout_limits.empty());
}

TEST(MoneyLimitsTest, ReachTheProjectAsTheyAreWritten) {
  const auto config = ParseConfig(With(
      ", limits: {refunds: [{currency: EUR, amount: 1000000, count: 500}, "
      "{currency: '*', count: 20, each_caller: true}], payouts: [{currency: USD, amount: 5}]}"));
  ASSERT_TRUE(config.ok()) << config.status();
  const domain::Projects projects = MakeProjects(*config, {}, "");
  const domain::Project& project = projects.all().front();
  EXPECT_THAT(project.refund_limits,
              ElementsAre(domain::MoneyLimit{.currency = "EUR", .amount = 1'000'000, .count = 500},
                          domain::MoneyLimit{.currency = "*", .count = 20, .each_caller = true}));
  EXPECT_THAT(project.payout_limits,
              ElementsAre(domain::MoneyLimit{.currency = "USD", .amount = 5}));
  // And as print-config prints them.
  const auto again = ParseConfig(PrintConfig(*config));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->projects[0].refund_limits, config->projects[0].refund_limits);
}

TEST(MoneyLimitsTest, RefuseWhatCannotBeMeant) {
  EXPECT_THAT(ProblemsOf("{currency: eur, amount: 1}"),
              HasSubstr("projects[0].limits.refunds[0].currency: must be three capital letters"));
  EXPECT_THAT(ProblemsOf("{amount: 1}"), HasSubstr("refunds[0].currency: must be"));
  EXPECT_THAT(ProblemsOf("{currency: '*', amount: 1}"),
              HasSubstr("refunds[0].amount: goes with one currency"));
  EXPECT_THAT(ProblemsOf("{currency: EUR}"),
              HasSubstr("refunds[0]: limits neither amount nor count"));
  EXPECT_THAT(ProblemsOf("{currency: EUR, amount: 1}, {currency: EUR, count: 1}"),
              HasSubstr("refunds[1]: the same currency is limited twice"));
  EXPECT_EQ(ProblemsOf("{currency: EUR, amount: 1}, {currency: EUR, count: 1, each_caller: true}"),
            "");
}

}  // namespace
}  // namespace tollbridge::gateway
